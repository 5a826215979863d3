/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Google Benchmark program: any binary linked to Google Benchmark, asked for its list of benchmarks
 * and run for one of them at a time, in a fresh process.
 *
 * It is spoken to by its flags only, so it needs no change. From 1.8 on it takes an iteration count
 * (`--benchmark_min_time=Nx`); an older one chooses its own for the time it is given, and so each
 * process another. Not for several threads at once (child.h).
 */
#ifndef FL_GBENCH_PROGRAM_H
#define FL_GBENCH_PROGRAM_H

#include "runner/child.h"

#define FL_GBENCH_COUNTERS 24
#define FL_GBENCH_NAME_MAX 512

struct fl_gbench_program {
    const char *path;
    char *const *environment;          /* of its processes; NULL: this process' own */
    const volatile sig_atomic_t *stop; /* as struct fl_child */
    bool takes_iterations;             /* filled by fl_gbench_program_open() */
    bool takes_warm_up;
};

/* What is to be run. */
struct fl_gbench_task {
    const char *name;   /* as listed */
    double settle;      /* seconds to run before what is timed, where the program can */
    double window;      /* seconds of timed iterations, where `iterations` cannot be asked for */
    int64_t iterations; /* as a result tells them; 0: as many as the window takes */
    double timeout;     /* seconds until it is killed */
};

/* A user's counter, as the program tells it: a rate or an amount, of unknown direction. */
struct fl_gbench_counter {
    char name[64];
    double value;
};

struct fl_gbench_result {
    struct fl_child_end end;
    char failure[256];  /* why there is no time: an error of the benchmark's own; "": there is */
    int64_t iterations; /* of all threads and repetitions */
    double real_ns, cpu_ns; /* per iteration, as told; threads divide it up to 1.8.5 */
    long threads;
    char version[32]; /* of the library; "": does not tell, so it is older than 1.8.4 */
    struct fl_gbench_counter counters[FL_GBENCH_COUNTERS];
    size_t counter_count;
};

/* Finds out what it takes. 0; -ENOENT, -EACCES; -ENOEXEC: no Google Benchmark program. */
int fl_gbench_program_open(struct fl_gbench_program *program, struct fl_err *err) FL_MUST_CHECK;

/* Calls `each` with the name of every benchmark that the filter (as of --benchmark_filter; "": all)
 * selects, in the program's order; a name of FL_GBENCH_NAME_MAX bytes
 * or more is left out. 0; -EINTR: stopped; -ENOEXEC as above. */
int fl_gbench_program_list(const struct fl_gbench_program *program, const char *filter,
                           void (*each)(void *arg, const char *name), void *arg,
                           struct fl_err *err) FL_MUST_CHECK;

/* Runs one. 0: it was started and has ended, however; -errno where it could not be started. */
int fl_gbench_program_run(const struct fl_gbench_program *program,
                          const struct fl_gbench_task *task, struct fl_gbench_result *result,
                          struct fl_err *err) FL_MUST_CHECK;

#endif
