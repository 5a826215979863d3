/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sampler: takes one sample of one cell by running a worker, and turns what it said into a row.
 */
#ifndef FL_SAMPLER_H
#define FL_SAMPLER_H

#include <limits.h>
#include <signal.h>
#include <stdint.h>

#include "machine/topology.h"
#include "results/store.h"
#include "runner/child.h"
#include "runner/report.h"
#include "runner/scenario.h"
#include "runner/thread-plan.h"

#define FL_SAMPLER_METRICS 64

/* Constant for a run. */
struct fl_sampler {
    const struct fl_scenario *scenario;
    char worker[PATH_MAX]; /* path of faultline-worker */
    char probe[PATH_MAX];  /* of libfaultline-probe.so; "" where there is none */
    const struct fl_topology *topology;
    char caches[96];                   /* L1,L2,L3 in bytes */
    char metrics[4096];                /* the scenario's, joined by ',' */
    const volatile sig_atomic_t *stop; /* set by a signal handler; NULL: never */
    struct fl_metric wanted[FL_SAMPLER_METRICS];
    int64_t metric_ids[FL_SAMPLER_METRICS]; /* in the store */
    size_t metric_count;
};

/* One sample as taken; `row` points into the rest. */
struct fl_taken {
    struct fl_sample row;
    struct fl_value values[FL_SAMPLER_METRICS];
    struct fl_report report;
    struct fl_child_end end;
    struct fl_thread_plan threads;
    bool hogs_rested; /* one ended or was stopped while the worker ran */
    char reason[FL_ERR_MAX + 64];
};

/* What is to be sampled. */
struct fl_sample_task {
    const char *key;
    int64_t run, cell;
    enum fl_sample_mode mode;
    int round;
    uint64_t seed;
    int64_t calls;  /* in a timed window; 0: as many as fill it */
    size_t padding; /* bytes that its environment gets more; 0: not padded */
};

/*
 * Takes a sample. 0: `taken->row` is to be stored, whatever its outcome; -EINTR: stopped, nothing
 * to store; -errno: no worker could be started.
 */
int fl_sampler_take(const struct fl_sampler *sampler, const struct fl_sample_task *task,
                    struct fl_taken *taken, struct fl_err *err) FL_MUST_CHECK;

/* Of the machine, over the last minute; negative: unknown. */
double fl_sampler_load(void);

/* 0 where the parts of the cell can run here, else -ENOTSUP with the reason. */
int fl_sampler_probe(const struct fl_sampler *sampler, const char *key,
                     struct fl_err *why) FL_MUST_CHECK;

#endif
