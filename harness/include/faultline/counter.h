/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counter: a source of metrics about the window (getrusage, perf events, system calls, the probe
 * library, the workspace's own report).
 *
 * open() may allocate and be slow; start() and stop() stand at the edges of the window and do
 * neither allocation nor output nor first touch. Totals are integers over the window; dividing by
 * calls is left to whoever reads the store. What a counter cannot see it says, with the reason; it
 * never reports 0 instead. Add one: copy TEMPLATE.c in harness/counters/.
 */
#ifndef FAULTLINE_COUNTER_H
#define FAULTLINE_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "faultline/facts.h"
#include "faultline/part.h"
#include "faultline/team.h"
#include "faultline/workspace.h"

#ifdef __cplusplus
extern "C" {
#endif

enum fl_metric_kind {
    FL_METRIC_TIMED,       /* a duration or a rate: noisy, compared in pairs */
    FL_METRIC_EXACT,       /* the same integer in every process (locks, allocations, brk) */
    FL_METRIC_SET,         /* one of a few legal integers (page faults) */
    FL_METRIC_NOISY_COUNT, /* an integer that scheduling moves (contended, switches) */
    FL_METRIC_LEVEL,       /* not per call: an amount at the end of the window (bytes held) */
};

enum fl_metric_better { FL_LESS_IS_BETTER, FL_MORE_IS_BETTER, FL_NOT_RANKED };

/* When a metric can be read: in timed samples too, because it is free, or only in counting ones. */
enum fl_metric_mode { FL_IN_EVERY_SAMPLE, FL_IN_COUNTING_SAMPLES };

struct fl_metric {
    const char *name;    /* as in scenarios and CSV: `minor-faults` */
    const char *unit;    /* per call: `faults`, `ns`, `calls`; bytes for levels */
    const char *summary; /* one line */
    const char *source;  /* where the number comes from: `getrusage(RUSAGE_THREAD).ru_minflt` */
    enum fl_metric_kind kind;
    enum fl_metric_better better;
    enum fl_metric_mode mode;
    bool ratio; /* not per call: a number about the whole window (a share, an amount per phase) */
};

/* Ratios and levels stand for themselves; the rest are totals over the calls of a window. */
static inline bool fl_metric_per_call(const struct fl_metric *metric)
{
    return !metric->ratio && metric->kind != FL_METRIC_LEVEL;
}

enum fl_reading_state {
    FL_READING_OK,
    FL_READING_UNAVAILABLE,    /* cannot be counted here; `reason` says why */
    FL_READING_NOT_OBSERVABLE, /* this source cannot see it for this cell; `reason` says why */
};

/* One metric over one window. */
struct fl_reading {
    enum fl_reading_state state;
    int64_t total;      /* events in the window; bytes for levels */
    double ratio;       /* instead of `total`, for metrics that are ratios */
    double scale;       /* 1, or enabled/running time where the kernel multiplexed the event */
    bool multiplexed;   /* scale is an estimate: flagged, never silently applied */
    const char *reason; /* static or in the counter's state; NULL when OK */
};

struct fl_counter_env {
    /* Names of the metrics that are wanted, NULL-terminated; a counter opens only what they need.
     */
    const char *const *wanted;
    const struct fl_workspace *workspace; /* NULL: the kernel uses none */
    const char *library;                  /* path of the library under test, NULL: none */
    struct fl_facts *facts;               /* how it is counted goes here; NULL: not asked for */
    struct fl_team *team;                 /* NULL: the kernel uses none */
};

struct fl_counter_ops {
    struct fl_part part;
    const struct fl_metric *metrics; /* metric_count of them; NULL: only dynamic ones */
    size_t metric_count;
    /*
     * Optional. A metric made from a name that no table lists (`perf:instructions`). True: `out`
     * is filled (strings are static or `name` itself).
     */
    bool (*dynamic)(const char *name, struct fl_metric *out);
    /*
     * Optional. Called in the process that starts the measured ones, when many counting samples
     * are about to read this counter. A descriptor that, as long as it is open, makes open() and
     * close() cheap in the measured processes; -errno where there is none, which is no mistake.
     * Never open beside timed samples: it may slow the whole machine's system calls down.
     */
    int (*hold)(void);
    /* Required. 0 even where some metrics are unavailable: read() says so for each. */
    int (*open)(void *state, const struct fl_counter_env *env, struct fl_err *err);
    /*
     * Required, called by the measured thread at the edges of the window, and once before, when all
     * counters of the sample are open: another's open() may have forked, after which the first
     * write to each page is a fault.
     */
    void (*start)(void *state);
    void (*stop)(void *state);
    /* Required, after stop(). `metric` is one of the wanted names that this counter serves. */
    void (*read)(void *state, const char *metric, struct fl_reading *out);
    /* Required. */
    void (*close)(void *state);
};

#ifdef __cplusplus
}
#endif

#endif
