/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a text, of bounded length. Private to results/import/. */
#ifndef RESULTS_IMPORT_LINES_H
#define RESULTS_IMPORT_LINES_H

#include "json-reader.h"

#define FL_LINE_MAX 65535

struct fl_lines {
    struct fl_json_source source;
    size_t at, filled;
    bool ended, cut; /* cut: the line was longer */
    int failure;     /* -errno of a read that failed, which ends the text */
    size_t length;
    char line[FL_LINE_MAX + 1]; /* NULs in it are blanks */
    char buffer[FL_JSON_BUFFER];
};

/*
 * The next line, without its end. Where `quoted`, a line goes on while a double quote is open.
 * False: there are no more.
 */
bool fl_lines_next(struct fl_lines *lines, bool quoted);

#endif
