/* SPDX-License-Identifier: Apache-2.0 */
/*
 * History rows: named values as a line of CSV or of JSON; the same names in both. Private to
 * results/.
 */
#ifndef RESULTS_HISTORY_ROWS_H
#define RESULTS_HISTORY_ROWS_H

#include "json-pieces.h"
#include "results/histories.h"

struct fl_rows {
    enum fl_history_format format; /* CSV or JSON */
    FILE *out;
    struct fl_err *err;
    struct fl_json json;
    struct json_object *object; /* of the line */
    bool titles;                /* CSV: the line of names is being written, not values */
    bool begun;                 /* CSV: something stands on the line */
    struct fl_arena arena;      /* of the line */
};

/* A row is begun, filled in the order of its columns, and ended. */
void fl_rows_begin(struct fl_rows *rows);
void fl_rows_text(struct fl_rows *rows, const char *name, const char *text); /* NULL: none */
void fl_rows_integer(struct fl_rows *rows, const char *name, int64_t value);
void fl_rows_real(struct fl_rows *rows, const char *name, double value); /* not finite: none */
/* UTC; 0: none. */
void fl_rows_time(struct fl_rows *rows, const char *name, int64_t ns);
/* JSON: a list of objects; CSV: `NAME: BEFORE -> AFTER; ...`. */
void fl_rows_fields(struct fl_rows *rows, const char *name, const struct fl_history_fields *fields);
int fl_rows_end(struct fl_rows *rows) FL_MUST_CHECK;

/* `2026-12-01T03:16:42Z`, or "" for 0. */
#define FL_ROWS_TIME 32
void fl_rows_time_text(int64_t ns, char out[FL_ROWS_TIME]);

#endif
