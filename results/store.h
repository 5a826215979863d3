/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Store: every sample of every run, in one SQLite file.
 *
 * Writes are one transaction each, so that a process killed at any moment loses at most the sample
 * in flight; any number of processes may read while one writes. A failing write leaves the store as
 * it was and usable. docs/schema.md describes the tables and views behind these functions.
 *
 * Text is hostile: it only ever travels as bound parameters. NULL text is stored as NULL where the
 * column allows it and as "" elsewhere. Functions copy what they are handed; text handed to a
 * callback is valid until the callback returns.
 *
 * Errors, beside those named at a function: -EBUSY another process kept the store locked for longer
 * than the patience; -ENOSPC; -EROFS and -EACCES; -EBADMSG damaged, or not SQLite; -EIO; -ENOMEM.
 *
 * Threads: a store belongs to one thread at a time. Stores opened separately are independent, also
 * on the same file.
 */
#ifndef RESULTS_STORE_H
#define RESULTS_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "faultline/counter.h"
#include "faultline/error.h"
#include "faultline/facts.h"

#define FL_STORE_DEFAULT "faultline.db"
#define FL_STORE_SCHEMA  2 /* version that this code reads and writes */

struct fl_store;

enum fl_store_access {
    FL_STORE_READ,   /* must exist; nothing is changed */
    FL_STORE_WRITE,  /* must exist; an older schema is migrated */
    FL_STORE_CREATE, /* as WRITE, and made where it does not exist or is an empty file */
};

/*
 * -ENOENT: no such file. -ENOTSUP: an SQLite file of another program, or a newer schema: neither is
 * touched. *out is set on success only.
 */
int fl_store_open(const char *path, enum fl_store_access access, struct fl_store **out,
                  struct fl_err *err) FL_MUST_CHECK;
/* NULL is allowed. */
void fl_store_close(struct fl_store *store);

/* How long a call waits for another process's lock; 5000 ms after opening. */
void fl_store_patience(struct fl_store *store, int milliseconds);

/* ---- a run ---- */

enum fl_run_status { FL_RUN_RUNNING, FL_RUN_FINISHED, FL_RUN_INTERRUPTED, FL_RUN_FAILED };

/* Where a run's samples come from. */
enum fl_run_origin {
    FL_ORIGIN_MEASURED, /* by this faultline, into this store */
    FL_ORIGIN_GBENCH,   /* imported from Google Benchmark's JSON */
    FL_ORIGIN_HYPERFINE,
    FL_ORIGIN_PERF_STAT,
    FL_ORIGIN_FAULTLINE, /* imported from an export of another store */
};

/* What is known when a run starts. */
struct fl_run_info {
    const char *fingerprint; /* of the machine; equal text means the same machine */
    const struct fl_fact
        *machine; /* its description; replaces what was stored for the fingerprint */
    size_t machine_count;
    const struct fl_fact *environment; /* what else can move results, for this run */
    size_t environment_count;
    const char *host, *label; /* label may be NULL */
    const char *scenario, *title, *scenario_text;
    const char *command_line, *version, *build_flags;
    uint64_t seed;
    int64_t settle_ns, window_ns; /* of timed samples */
    int64_t counted_calls;        /* calls of a counting sample */
    int rounds, counted_rounds;   /* samples per cell, timed and counting */
    enum fl_run_origin origin;
    const char *commit_id; /* revision that was tested; NULL: not known */
    int64_t commit_ns;     /* its time; 0: not known */
    int64_t started_ns;    /* of an imported run; 0: now */
};

/* Stores the run with status running. */
int fl_store_begin_run(struct fl_store *store, const struct fl_run_info *info, int64_t *run,
                       struct fl_err *err) FL_MUST_CHECK;

/* Sets the status and, unless it is running again, the time of its end. -ENOENT: no such run. */
int fl_store_set_status(struct fl_store *store, int64_t run, enum fl_run_status status,
                        struct fl_err *err) FL_MUST_CHECK;

/* ---- its plan ---- */

struct fl_stored_level {
    const char *factor, *level;
    bool implied; /* at its fallback and so not in the key */
};

struct fl_planned_cell {
    const char *key;
    const struct fl_stored_level *levels; /* all factors, in key order */
    size_t count;
    const char *unavailable; /* why it cannot run here; NULL: it is going to be measured */
};

/*
 * Adds cells to a run in the given order, behind those it has, in one transaction; a cell that the
 * run has keeps its place. ids[i] is the cell of cells[i] (ids may be NULL). -EEXIST: a cell of
 * that key is stored with another level of some factor.
 */
int fl_store_plan(struct fl_store *store, int64_t run, const struct fl_planned_cell *cells,
                  size_t count, int64_t *ids, struct fl_err *err) FL_MUST_CHECK;

/*
 * The id of a metric, which is stored where it is new; kind, direction, summary and source become
 * those given. -EEXIST: stored with another unit. Values of rates (timed, more is better) and
 * levels are kept as they are; all others are totals over the calls of the sample.
 */
int fl_store_metric(struct fl_store *store, const struct fl_metric *metric, int64_t *id,
                    struct fl_err *err) FL_MUST_CHECK;

/* The metrics that a run wants, in the order of its tables. Adds behind those it has. */
int fl_store_plan_metrics(struct fl_store *store, int64_t run, const int64_t *metrics, size_t count,
                          struct fl_err *err) FL_MUST_CHECK;

/* ---- samples ---- */

enum fl_sample_mode { FL_SAMPLE_TIMED, FL_SAMPLE_COUNTED };

enum fl_outcome {
    FL_OUTCOME_OK,
    FL_OUTCOME_CRASHED,
    FL_OUTCOME_TIMED_OUT,
    FL_OUTCOME_WRONG_RESULT,
    FL_OUTCOME_UNAVAILABLE,
    FL_OUTCOME_FAILED,
};

struct fl_value {
    int64_t metric; /* from fl_store_metric() */
    enum fl_reading_state state;
    bool is_real;       /* `real` holds the total; otherwise `total` does */
    int64_t total;      /* over the calls of the sample */
    double real;        /* one that is not finite is stored as unavailable, with that reason */
    double scale;       /* 0 is taken for 1: see struct fl_reading */
    const char *reason; /* for a state other than OK; may be NULL */
};

struct fl_sample {
    int64_t run, cell;
    enum fl_sample_mode mode;
    int round; /* from 0, per mode */
    uint64_t seed;
    enum fl_outcome outcome;
    const char *reason;          /* NULL where the outcome is OK */
    int64_t calls;               /* in the window */
    int64_t started_ns;          /* since 1970 */
    int64_t duration_ns;         /* of the whole sample, process start and check included */
    int cpu;                     /* -1: not pinned */
    double load;                 /* of the machine just before; negative: unknown */
    int64_t steal_ns;            /* taken by the hypervisor during the sample; negative: unknown */
    const struct fl_fact *facts; /* resolved values: blocking, library path, build id, ... */
    size_t fact_count;
    const struct fl_value *values;
    size_t value_count;
};

/*
 * One transaction. `id` may be NULL. -EEXIST: the run has this cell, mode and round already.
 * -ENOENT: the run has no such cell, or a metric is unknown.
 */
int fl_store_add_sample(struct fl_store *store, const struct fl_sample *sample, int64_t *id,
                        struct fl_err *err) FL_MUST_CHECK;

/* ---- expectations ---- */

struct fl_expectation {
    const char *rule;                /* as in the scenario */
    const char *metric;              /* what it is about */
    const char *host;                /* whose published figure it is; NULL: an expectation */
    int64_t cell;                    /* 0: the rule met no cell */
    const char *expected, *measured; /* measured may be NULL: nothing to compare */
    int held;                        /* 1, 0, or -1: could not be decided */
};

/* Replaces the run's expectations, in one transaction. */
int fl_store_set_expectations(struct fl_store *store, int64_t run,
                              const struct fl_expectation *rows, size_t count,
                              struct fl_err *err) FL_MUST_CHECK;

/* ---- reading ---- */

/*
 * Callbacks return 0 to go on; anything else ends the call, which then returns it. A callback may
 * call other functions of the store, but not the one that is calling it.
 */

struct fl_run_record {
    int64_t id;
    const char *uuid;
    enum fl_run_status status;
    int64_t started_ns, finished_ns; /* finished_ns: 0 while it has no end */
    int64_t cells, samples;          /* planned and stored */
    struct fl_run_info info;         /* without machine and environment: see the calls for them */
};
typedef int (*fl_run_fn)(void *arg, const struct fl_run_record *run);

/* All runs, oldest first. */
int fl_store_runs(struct fl_store *store, fl_run_fn each, void *arg,
                  struct fl_err *err) FL_MUST_CHECK;
/* Calls `each` with one run. -ENOENT: no such run. */
int fl_store_run(struct fl_store *store, int64_t run, fl_run_fn each, void *arg,
                 struct fl_err *err) FL_MUST_CHECK;

/*
 * The run that `name` means: `latest`, an id, a label (the last run of that label), or a uuid or
 * its beginning (at least 4 characters, and only one run has it). -ENOENT: none, or several.
 */
int fl_store_find_run(struct fl_store *store, const char *name, int64_t *run,
                      struct fl_err *err) FL_MUST_CHECK;

/* The last run of a scenario, if it is not finished: its process died, was interrupted, or failed.
 * -ENOENT: none. */
int fl_store_find_unfinished(struct fl_store *store, const char *scenario, int64_t *run,
                             struct fl_err *err) FL_MUST_CHECK;

struct fl_stored_cell {
    int64_t id;
    const char *key, *unavailable;
    const struct fl_stored_level *levels;
    size_t count;
};
typedef int (*fl_stored_cell_fn)(void *arg, const struct fl_stored_cell *cell);

/* The planned cells of a run, in their order, with all their factors. */
int fl_store_cells(struct fl_store *store, int64_t run, fl_stored_cell_fn each, void *arg,
                   struct fl_err *err) FL_MUST_CHECK;

/* A stored sample; values are not filled, facts are. */
struct fl_stored_sample {
    int64_t id;
    struct fl_sample sample;
};
typedef int (*fl_stored_sample_fn)(void *arg, const struct fl_stored_sample *sample);

/* The samples of a run in the order they were taken: what --resume need not measure again. */
int fl_store_samples(struct fl_store *store, int64_t run, fl_stored_sample_fn each, void *arg,
                     struct fl_err *err) FL_MUST_CHECK;

typedef int (*fl_value_fn)(void *arg, const struct fl_value *value);
/* The values of one sample, by metric id. */
int fl_store_values(struct fl_store *store, int64_t sample, fl_value_fn each, void *arg,
                    struct fl_err *err) FL_MUST_CHECK;

struct fl_stored_metric {
    int64_t id;
    struct fl_metric metric;
    bool per_call, planned;
};
typedef int (*fl_stored_metric_fn)(void *arg, const struct fl_stored_metric *metric);
/* The metrics that a run planned, in its order, then others that it has values of. */
int fl_store_metrics(struct fl_store *store, int64_t run, fl_stored_metric_fn each, void *arg,
                     struct fl_err *err) FL_MUST_CHECK;

typedef int (*fl_fact_fn)(void *arg, const struct fl_fact *fact);
int fl_store_machine_facts(struct fl_store *store, int64_t run, fl_fact_fn each, void *arg,
                           struct fl_err *err) FL_MUST_CHECK;
int fl_store_environment(struct fl_store *store, int64_t run, fl_fact_fn each, void *arg,
                         struct fl_err *err) FL_MUST_CHECK;

typedef int (*fl_expectation_fn)(void *arg, const struct fl_expectation *row, const char *key);
int fl_store_expectations(struct fl_store *store, int64_t run, fl_expectation_fn each, void *arg,
                          struct fl_err *err) FL_MUST_CHECK;

/* ---- names ---- */

/* As in the store, the exports and on the terminal; "" for a value out of range. */
const char *fl_outcome_name(enum fl_outcome outcome);
const char *fl_run_status_name(enum fl_run_status status);
const char *fl_run_origin_name(enum fl_run_origin origin);
const char *fl_sample_mode_name(enum fl_sample_mode mode);
const char *fl_reading_state_name(enum fl_reading_state state);
const char *fl_metric_kind_name(enum fl_metric_kind kind);
const char *fl_metric_better_name(enum fl_metric_better better);
/* The enumerator of a name, or -1. */
int fl_outcome_from(const char *name);
int fl_run_status_from(const char *name);
int fl_run_origin_from(const char *name);
int fl_sample_mode_from(const char *name);
int fl_metric_kind_from(const char *name);
int fl_metric_better_from(const char *name);

#endif
