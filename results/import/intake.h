/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intake: where the readers of formats hand over what they find, and where it becomes a run.
 *
 * Rows of one cell may stand anywhere in a file. They wait in a temporary table of SQLite, which
 * lives on disk when it is large, and become one sample a cell when the round ends, in the order of
 * the cells' keys: each page of an index is then written once, where the order of the file would
 * come back to it again and again. Private to
 * results/import/.
 */
#ifndef RESULTS_IMPORT_INTAKE_H
#define RESULTS_IMPORT_INTAKE_H

#include "import.h"
#include "json-reader.h"

#define FL_INTAKE_UNKNOWN "imported" /* fingerprint of a machine of which nothing is known */

#define FL_INTAKE_METRICS 512   /* distinct ones of one import */
#define FL_INTAKE_VALUES  256   /* of one row */
#define FL_INTAKE_TEXT    4096  /* bytes of a row's facts and reason */
#define FL_INTAKE_LEVELS  16    /* of one cell */
#define FL_INTAKE_NAME    256   /* bytes of a metric's name */
#define FL_INTAKE_GROUP   16384 /* repetitions of one cell in one file */

struct fl_intake_value {
    int64_t metric; /* place in the intake's list */
    double value;
    double scale; /* by which the program has multiplied what it counted; 1: it counted all */
};

/* One entry of a file. */
struct fl_intake_row {
    int64_t calls;
    int32_t outcome;    /* enum fl_outcome */
    uint32_t count;     /* values */
    uint32_t text_used; /* of text */
    char aggregate[20]; /* how repetitions were summed up; "": a repetition */
    struct fl_intake_value values[FL_INTAKE_VALUES];
    char text[FL_INTAKE_TEXT]; /* NAME NUL VALUE NUL ...; the reason has the name "" */
};

struct fl_intake_metric {
    int64_t id;
    char name[FL_INTAKE_NAME]; /* as the format says it */
    bool positive;             /* a value that is not above zero is no measurement */
};

struct fl_intake {
    struct fl_store *store;
    const struct fl_import_options *options;
    struct fl_import_report *report;
    struct fl_err *err;
    const char *file; /* being read */
    enum fl_run_origin origin;
    const char *source; /* of the metrics: the format's name for people */
    int64_t run;        /* 0: none yet */
    int round;          /* the next one to end */
    size_t rows;        /* waiting for the round's end */
    int64_t started_ns; /* of the round; 0: not known */
    /* of the run, filled by readers; the first file's win */
    struct fl_facts machine;     /* equal text means the same machine */
    struct fl_facts environment; /* of the round being read */
    struct fl_facts first;       /* environment of the first round */
    char host[256], scenario[256], program[256], build[64];
    char fingerprint[2048]; /* of the first round */
    int64_t run_started_ns;
    /* cells and metrics */
    char key[4096]; /* of the cell that rows are for */
    int64_t cells;
    struct fl_intake_metric *metrics;
    size_t metric_count;
    struct fl_intake_row *packed; /* room for one being written or read */
};

/* A row to be filled. */
void fl_intake_begin_row(struct fl_intake_row *row);
/* Text that does not fit is cut, a fact for which there is no room is dropped: both are noted. */
void fl_intake_fact(struct fl_intake *intake, struct fl_intake_row *row, const char *name,
                    const char *value);
void fl_intake_fail(struct fl_intake *intake, struct fl_intake_row *row, const char *reason);
/* False: the row has a value of that metric already, or no room. */
bool fl_intake_value(struct fl_intake_row *row, size_t metric, double value);

/*
 * The place of a metric, which is stored where it is new. `positive` as in struct fl_intake_metric.
 * SIZE_MAX, and a note: too many, or a name too long.
 */
int fl_intake_metric(struct fl_intake *intake, const struct fl_metric *metric, bool positive,
                     size_t *place) FL_MUST_CHECK;
/* As fl_intake_metric() for a counter of which only the name is known. */
int fl_intake_counter(struct fl_intake *intake, const char *name, size_t *place) FL_MUST_CHECK;

/* Chooses the cell of the rows that follow. -E2BIG: its key is too long. */
int fl_intake_cell(struct fl_intake *intake, const struct fl_stored_level *levels,
                   size_t count) FL_MUST_CHECK;
/* `factor=level` by the rules of faultline/cell.h; `size` where it does not fit. */
size_t fl_intake_put_level(char *out, size_t size, const struct fl_stored_level *level);
int fl_intake_add(struct fl_intake *intake, const struct fl_intake_row *row) FL_MUST_CHECK;
/* Rows since the last end become samples. Nothing where there are none. */
int fl_intake_end_round(struct fl_intake *intake) FL_MUST_CHECK;
/* The environment of a round that has ended; it is the next one's turn. -EXDEV: another machine. */
int fl_intake_keep_surroundings(struct fl_intake *intake) FL_MUST_CHECK;
/* The run's description and end. -ENODATA: no round had anything. */
int fl_intake_end_run(struct fl_intake *intake) FL_MUST_CHECK;

/* The scenario: as asked for, else the program's name, else the file's. */
const char *fl_intake_scenario(struct fl_intake *intake);
/* Names the program that was measured; the first one stays. */
void fl_intake_program(struct fl_intake *intake, const char *path);

/* Printf-like, `count` times; the same text is one note. */
void fl_intake_note(struct fl_intake *intake, size_t count, bool damaged, const char *format, ...)
    FL_PRINTF(4, 5);
/* What a reader had to mend. */
void fl_intake_mends(struct fl_intake *intake, const struct fl_json_reader *reader);

/* 2016-08-02 17:44:46, or RFC 3339 with an offset, as nanoseconds since 1970; 0: neither. */
int64_t fl_intake_time(const char *text);

/* The readers. `reader` is at the beginning; they read it to its end. */
typedef int fl_import_json_fn(struct fl_intake *intake, struct fl_json_reader *reader);
fl_import_json_fn fl_import_gbench, fl_import_hyperfine, fl_import_perf_json, fl_import_faultline;

typedef int fl_import_text_fn(struct fl_intake *intake, const struct fl_json_source *source);
fl_import_text_fn fl_import_perf_csv;

#endif
