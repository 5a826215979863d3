/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text: names, labels and reasons come from outside and are hostile; here they are made harmless
 * for a terminal and for JSON. Results live in the arena; NULL where it has no memory.
 */
#ifndef RESULTS_TEXT_H
#define RESULTS_TEXT_H

#include <stdarg.h>
#include <stddef.h>

#include "faultline/arena.h"
#include "faultline/error.h"

/* A copy. */
char *fl_text_copy(struct fl_arena *arena, const char *text);

/* What vprintf() would print, whatever its length. */
char *fl_text_format(struct fl_arena *arena, const char *format, va_list values) FL_PRINTF(2, 0);

/*
 * For one line on a terminal: control characters, bytes that are not UTF-8, and characters that
 * reorder or hide others become \xNN or \u{NNNN}.
 */
char *fl_text_for_terminal(struct fl_arena *arena, const char *text);

/* Valid UTF-8: bytes that are not become U+FFFD. */
char *fl_text_as_utf8(struct fl_arena *arena, const char *text);

/* Columns of text from fl_text_for_terminal(): its characters. */
size_t fl_text_columns(const char *text);

#endif
