/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sample: one cell measured once, in this process.
 *
 * open team, kernel and workspace -> replay the history -> settle -> normalise the heap -> window
 * (Google Benchmark, one pass of a fixed iteration count, counters at its edges) -> check ->
 * report.
 */
#ifndef FL_SAMPLE_H
#define FL_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "faultline/arena.h"
#include "faultline/cell.h"
#include "faultline/counter.h"
#include "faultline/facts.h"
#include "faultline/kernel.h"
#include "faultline/registry.h"

#define FL_SAMPLE_METRICS  64
#define FL_SAMPLE_COUNTERS 16
#define FL_SAMPLE_PLUGINS  8
#define FL_CALLS_MAX       1000000000 /* in a window */

/* What was asked for, from the command line. */
struct fl_sample_request {
    const char *cell;                       /* key */
    const char *plugins[FL_SAMPLE_PLUGINS]; /* paths */
    size_t plugin_count;
    const char *library;     /* path or SONAME behind the cell's library alias; NULL: none */
    const char *metrics;     /* names joined by ','; NULL: none beyond time */
    const char *cpus;        /* processors to run on, `0,2-3`; NULL: leave the mask alone */
    const char *places;      /* of a team's threads, `cpu:package:core,...`; NULL: not pinned */
    unsigned threads;        /* of the team; 0: as the cell's level says here */
    double settle;           /* seconds */
    double window;           /* seconds */
    uint64_t iterations;     /* calls in the window, up to FL_CALLS_MAX; 0: as many as fill it */
    uint64_t seed;           /* of operands */
    unsigned long caches[4]; /* data-cache sizes, bytes, in [1]..[3] */
    size_t memory;           /* most bytes for operands; 0: no limit */
    bool counting;           /* a counting sample: fixed calls, every metric; else a timed one */
    int fd;                  /* where messages go */
};

struct fl_injector;

/* One open counter and the metrics wanted of it. */
struct fl_sample_counter {
    const struct fl_counter_ops *ops;
    void *state;
    const char *wanted[FL_SAMPLE_METRICS + 1]; /* NULL-terminated */
    size_t count;
};

struct fl_sample {
    struct fl_sample_request request;
    struct fl_cell cell;
    struct fl_arena arena;
    struct fl_facts facts;
    const struct fl_kernel_ops *kernel;
    void *kernel_state;
    struct fl_injector *injector;  /* stands in for the kernel; NULL: nothing is injected */
    struct fl_workspace workspace; /* ops NULL: the kernel uses none */
    struct fl_team team;           /* ops NULL: not open yet; the caller alone where none is used */
    double gap;                    /* between two calls, seconds */
    struct fl_sample_counter counters[FL_SAMPLE_COUNTERS];
    size_t counter_count;
    char metric_names[4096];      /* request.metrics, cut at the commas */
    uint64_t settle_calls, calls; /* of run() */
    uint64_t calls_each;          /* elementary calls that one run() makes */
    double call_seconds;          /* estimate from settling */
    double window_seconds;
    struct fl_err err;
};

/*
 * Measures and reports. The exit status of the process: 0 when an outcome was reported, whatever it
 * is. `sample` is zeroed but for its request. One at a time in a process.
 */
int fl_sample_run(struct fl_sample *sample);

#endif
