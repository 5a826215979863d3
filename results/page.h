/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page: what a report for the terminal is written with: names made safe, numbers, notes and tables.
 * Text that it makes lives until the page is ended; "?" stands where there was no memory for it.
 * Private to results/.
 */
#ifndef RESULTS_PAGE_H
#define RESULTS_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "faultline/arena.h"
#include "faultline/error.h"
#include "notes.h"
#include "text-table.h"

struct fl_page {
    size_t width; /* 0: no limit */
    bool bold;    /* the best of a table */
    FILE *out;
    struct fl_err *err;
    struct fl_arena arena;
    struct fl_notes notes;
};

/* -ENOMEM, and says so. */
int fl_page_out_of_memory(struct fl_page *page);

const char *fl_page_safe(struct fl_page *page, const char *text);
const char *fl_page_text(struct fl_page *page, const char *format, ...) FL_PRINTF(2, 3);

/* Four digits that count, without an exponent where people would not write one. */
const char *fl_page_number(struct fl_page *page, double value);

/* The mark of a note, whose text is kept and not copied. */
const char *fl_page_note(struct fl_page *page, const char *text);

/* Title, and the levels that everything below shares; "" for none. */
void fl_page_begin(struct fl_page *page, const char *title, const char *shared);

/* An empty table with its heads: `titles` above each group of columns, `heads` of each column. */
int fl_page_table(struct fl_page *page, struct fl_table *table, const char *const *titles,
                  const char *const *heads) FL_MUST_CHECK;
int fl_page_print(struct fl_page *page, const struct fl_table *table) FL_MUST_CHECK;

/* The notes; then hands everything to the system, unless `status` says that something failed.
 * Returns that, or -errno of a failed write. */
int fl_page_end(struct fl_page *page, int status) FL_MUST_CHECK;

#endif
