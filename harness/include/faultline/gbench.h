/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Google Benchmark from C: register, run, report, with every --benchmark_* flag.
 *
 * A benchmark is a function `void fn(struct fl_state *state, void *arg)` with one loop in it:
 *
 *     static void copy(struct fl_state *state, void *arg)
 *     {
 *         struct buffers *b = arg;                    // before the loop: not timed
 *         while (fl_state_next(state))
 *             memcpy(b->to, b->from, b->bytes);       // timed
 *         fl_state_set_bytes_processed(state, fl_state_iterations(state) * (int64_t)b->bytes);
 *     }
 *
 * Registration and runs belong to one thread at a time (Google Benchmark keeps its list and flags
 * in globals). A struct fl_state belongs to the thread that was handed it; with several threads
 * each has its own and the function runs once in each. Strings that are handed in are copied;
 * strings that are handed out live as long as their comment says.
 *
 * Errors are 0 or a negative errno. No C++ exception reaches the caller. Between the entry of the
 * function and the end of its loop the binding allocates nothing; fl_state_skip_with_error() and
 * the setters for after the loop do.
 *
 * docs/gbench.md holds a complete example and the table from C++ names to these.
 */
#ifndef FAULTLINE_GBENCH_H
#define FAULTLINE_GBENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "faultline/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* C may pass any int as an enumerator; with a fixed type the C++ side can tell and refuse it. */
#ifdef __cplusplus
#define FL_ENUM_BASE : unsigned int
#else
#define FL_ENUM_BASE
#endif

/* ---- The loop ---------------------------------------------------------------------------- */

enum fl_state_phase FL_ENUM_BASE { FL_STATE_FRESH, FL_STATE_RUNNING, FL_STATE_FINISHED };

/* One thread of one run. The fields are there for the inline loop: read them through functions. */
struct fl_state {
    int64_t left; /* iterations of the batch in hand that fl_state_next() has not begun */
    void *run;    /* the C++ state */
    const void *bench;
    int64_t begun; /* iterations begun when the run was skipped */
    enum fl_state_phase phase;
    bool paused;
    bool skipped;
};

typedef void (*fl_bench_fn)(struct fl_state *state, void *arg);

/*
 * Takes the iterations of this run in one batch: starts the clock and returns their number (> 0),
 * or stops it and returns 0. With several threads it waits for all of them at both ends. The loops
 * below call it; a benchmark may also call it itself and loop on its own, until it returns 0.
 */
int64_t fl_state_take(struct fl_state *state);

/*
 * Another iteration? A skip ends the loop at the end of the iteration. Costs a load, a decrement
 * and a store per iteration.
 */
static inline bool fl_state_next(struct fl_state *state)
{
    if (__builtin_expect(state->left <= 0, 0)) {
        state->left = fl_state_take(state);
        if (state->left <= 0)
            return false;
    }
    state->left--;
    return true;
}

/*
 * The same loop counting in a register: FL_FOR_EACH(state) { ... }. Inside it
 * fl_state_iterations() is the whole batch, and a skip must be followed by `break`.
 */
#define FL_FOR_EACH(state)                                                                         \
    for (int64_t fl_left_ = 0; fl_left_ > 0 || (fl_left_ = fl_state_take(state)) > 0; fl_left_--)

/*
 * For bodies that do `n` iterations of work at once: true while `n` more are wanted; the last batch
 * may overshoot by up to n - 1, which fl_state_iterations() counts. n <= 0 is an error outcome.
 * Use one kind of loop in a function.
 */
bool fl_state_take_batch(struct fl_state *state, int64_t n);

/* ---- Inside the function ----------------------------------------------------------------- */

/*
 * Stops and restarts this thread's clock inside the loop. 0; -EINVAL outside the loop or when it
 * already is so. Two clock reads each: too dear for short bodies. A loop left paused is resumed at
 * its end.
 */
int fl_state_pause(struct fl_state *state);
int fl_state_resume(struct fl_state *state);

/* Adds the seconds of this iteration; once per iteration under fl_bench_manual_time(). */
void fl_state_set_iteration_time(struct fl_state *state, double seconds);

/* Argument `pos` of this run (from 0). Out of range: 0, and the run's outcome is an error. */
int64_t fl_state_range(struct fl_state *state, size_t pos);
size_t fl_state_range_count(const struct fl_state *state);

int fl_state_threads(const struct fl_state *state);      /* >= 1 */
int fl_state_thread_index(const struct fl_state *state); /* 0 .. threads - 1 */

int64_t fl_state_iterations(const struct fl_state *state);     /* begun so far, by this thread */
int64_t fl_state_max_iterations(const struct fl_state *state); /* what this run asks for, > 0 */

/*
 * Ends this run as an error with `message` (copied; NULL reads as empty) instead of a time. In a
 * while loop the current iteration is the last. The first message of all threads is reported.
 * Returns 0, -ENOMEM.
 */
int fl_state_skip_with_error(struct fl_state *state, const char *message);

/*
 * The same, as an outcome that is no failure. -ENOTSUP and no effect where Google Benchmark has no
 * such outcome (before 1.8).
 */
int fl_state_skip_with_message(struct fl_state *state, const char *message);
bool fl_state_skipped(const struct fl_state *state);

/* ---- After the loop ---------------------------------------------------------------------- */

/* Totals over this thread's iterations; reported per second, summed over threads. 0, -ENOMEM. */
int fl_state_set_bytes_processed(struct fl_state *state, int64_t bytes);
int fl_state_set_items_processed(struct fl_state *state, int64_t items);

/* Free text of the report line, copied; the last one given wins. 0, -ENOMEM. */
int fl_state_set_label(struct fl_state *state, const char *label);

/* The N of this run for fl_bench_complexity(), > 0. */
void fl_state_set_complexity_n(struct fl_state *state, int64_t n);

/* How a counter is turned into what is reported; summed over threads first. */
enum fl_counter_flags FL_ENUM_BASE {
    FL_COUNTER_PLAIN = 0,
    FL_COUNTER_RATE = 1 << 0,           /* divided by the seconds of the run */
    FL_COUNTER_AVG_THREADS = 1 << 1,    /* divided by the threads */
    FL_COUNTER_PER_ITERATION = 1 << 2,  /* value of one iteration: multiplied by iterations */
    FL_COUNTER_AVG_ITERATIONS = 1 << 3, /* divided by the iterations */
    FL_COUNTER_INVERT = 1 << 4,         /* 1/x, after everything else */
};

/* What a `k` of the printed value is. */
enum fl_counter_k FL_ENUM_BASE { FL_K_1000 = 1000, FL_K_1024 = 1024 };

/*
 * Sets the counter `name` (copied) of this thread. `flags` are or-ed fl_counter_flags. 0, -ENOMEM,
 * -EINVAL (unknown flag or k, empty name).
 */
int fl_state_counter(struct fl_state *state, const char *name, double value, unsigned flags,
                     enum fl_counter_k k);

/* ---- For the compiler -------------------------------------------------------------------- */

/* Integers and pointers stay in general registers, floating point in its own. */
#if defined(__x86_64__) || defined(__i386__)
#define FL_ANY_REGISTER "rx"
#elif defined(__aarch64__)
#define FL_ANY_REGISTER "rw"
#else
#define FL_ANY_REGISTER "r"
#endif

/*
 * `value`, an integer, pointer, float or double, is computed into a register here, and memory is up
 * to date. gcc emits nothing beyond that, clang may move a floating point value. For a struct or an
 * array give its address: then its contents are in memory here, and read again after. (A choice of
 * register or memory, as in C++, lets gcc hand over a place in memory that it never reads.)
 */
#define FL_DO_NOT_OPTIMIZE(value) __asm__ volatile("" : : FL_ANY_REGISTER(value) : "memory")

/* The same for a variable of such a type, of whose value the compiler knows nothing afterwards. */
#define FL_HIDE_VALUE(lvalue) __asm__ volatile("" : "+" FL_ANY_REGISTER(lvalue) : : "memory")

/* Everything in memory that others may see is written before and read again after. */
#define FL_CLOBBER_MEMORY() __asm__ volatile("" : : : "memory")

/* ---- Registration ------------------------------------------------------------------------ */

/*
 * A registered benchmark: a family of runs, one for every list of arguments and thread count.
 *
 * Setters return 0 or -EINVAL (out of range, or against an earlier setter), -E2BIG (more than
 * FL_BENCH_ARGS_MAX argument lists), -ENOMEM. A failed setter changes nothing but marks the
 * benchmark: its runs then end as errors that name the first such setter. So setters need no check
 * of their own. Valid until fl_bench_clear().
 */
struct fl_bench;

#define FL_BENCH_ARGS_MAX 1048576

/* Registers fn(state, arg) as `name` (copied, not empty). 0, -EINVAL, -ENOMEM. */
FL_MUST_CHECK int fl_bench_register(const char *name, fl_bench_fn fn, void *arg,
                                    struct fl_bench **bench);

/* Forgets all benchmarks; every struct fl_bench is invalid. 0. */
int fl_bench_clear(void);

struct fl_range {
    int64_t low, high; /* both included, low <= high */
};

struct fl_list {
    const int64_t *values;
    size_t count; /* >= 1 */
};

/* One more run, with one argument, or with `count` >= 1 of them. All calls agree on the count. */
int fl_bench_arg(struct fl_bench *bench, int64_t value);
int fl_bench_args(struct fl_bench *bench, const int64_t *values, size_t count);

/* Runs at low, the powers of the multiplier between, and high; several: their product. */
int fl_bench_range(struct fl_bench *bench, int64_t low, int64_t high);
int fl_bench_ranges(struct fl_bench *bench, const struct fl_range *ranges, size_t count);
int fl_bench_range_multiplier(struct fl_bench *bench, int multiplier); /* >= 2, set before; 8 */

/* Runs at low, low + step, ... <= high; step >= 1. */
int fl_bench_dense_range(struct fl_bench *bench, int64_t low, int64_t high, int step);

/* Runs at every combination of the lists' values. */
int fl_bench_args_product(struct fl_bench *bench, const struct fl_list *lists, size_t count);

/* Names of the arguments, shown as `name:value`; one per argument. */
int fl_bench_arg_names(struct fl_bench *bench, const char *const *names, size_t count);

/* Unit of printed times (not of struct fl_run's). */
enum fl_unit FL_ENUM_BASE { FL_NANOSECOND, FL_MICROSECOND, FL_MILLISECOND, FL_SECOND };
int fl_bench_unit(struct fl_bench *bench, enum fl_unit unit);

int fl_bench_min_time(struct fl_bench *bench, double seconds);        /* > 0, no iterations set */
int fl_bench_min_warmup_time(struct fl_bench *bench, double seconds); /* >= 0, likewise */
int fl_bench_iterations(struct fl_bench *bench, int64_t count); /* >= 1: exactly these, one pass */
int fl_bench_repetitions(struct fl_bench *bench, int count);    /* >= 1 */
int fl_bench_report_aggregates_only(struct fl_bench *bench, bool on);
int fl_bench_display_aggregates_only(struct fl_bench *bench, bool on);

/* Thread counts to run with, >= 1: one; powers of two of a range; every `stride` of a range. */
int fl_bench_threads(struct fl_bench *bench, int count);
int fl_bench_thread_range(struct fl_bench *bench, int low, int high);
int fl_bench_dense_thread_range(struct fl_bench *bench, int low, int high, int stride);
int fl_bench_thread_per_cpu(struct fl_bench *bench);

/*
 * Which clock decides the number of iterations and rates: CPU time of the main thread (default), of
 * the process, elapsed time, or what fl_state_set_iteration_time() added up. Elapsed and manual
 * exclude each other.
 */
int fl_bench_process_cpu_time(struct fl_bench *bench);
int fl_bench_real_time(struct fl_bench *bench);
int fl_bench_manual_time(struct fl_bench *bench);

enum fl_big_o FL_ENUM_BASE {
    FL_O_NONE,
    FL_O_1,
    FL_O_N,
    FL_O_N_SQUARED,
    FL_O_N_CUBED,
    FL_O_LOG_N,
    FL_O_N_LOG_N,
    FL_O_AUTO,   /* the best fit of the above */
    FL_O_LAMBDA, /* only reported: a function of one's own */
};

/* Two more reported rows per family, a coefficient and an RMS, from runs that set an N. */
int fl_bench_complexity(struct fl_bench *bench, enum fl_big_o order);
int fl_bench_complexity_fn(struct fl_bench *bench, double (*order)(int64_t n));

/* ---- Reports ----------------------------------------------------------------------------- */

enum fl_run_kind FL_ENUM_BASE {
    FL_RUN_ITERATION,  /* one repetition */
    FL_RUN_AGGREGATE,  /* mean, median, stddev, cv over repetitions */
    FL_RUN_COMPLEXITY, /* the coefficient of a family's fitted order */
    FL_RUN_RMS,        /* the root mean square error of that fit, as a share of the mean */
};

enum fl_run_status FL_ENUM_BASE { FL_RUN_OK, FL_RUN_ERROR, FL_RUN_SKIPPED };

struct fl_run_counter {
    const char *name;
    double value;   /* after rate, averages and inversion */
    unsigned flags; /* enum fl_counter_flags */
    enum fl_counter_k k;
};

/* One reported row. Strings are never NULL; they and `counters` live during the callback. */
struct fl_run {
    const char *name;           /* `copy/64/threads:2_mean`: run_name and aggregate */
    const char *run_name;       /* `copy/64/threads:2` */
    const char *function_name;  /* `copy` */
    const char *aggregate_name; /* `mean`, `BigO`, `RMS`; empty for iterations */
    const char *label;
    const char *message; /* of an error or a skip */
    enum fl_run_kind kind;
    enum fl_run_status status;
    int64_t family_index, instance_index; /* of the benchmark; of the run within it */
    int64_t iterations;                   /* all threads; repetitions for aggregates; 0 for fits */
    int64_t threads;
    int64_t repetition_index, repetitions; /* index -1 for what is not one repetition */
    enum fl_unit unit;
    double real_accumulated_s, cpu_accumulated_s; /* as the library keeps them */
    /*
     * ns per iteration; of a BigO row the coefficient in ns. NaN where the row is a share (cv,
     * RMS), which is then in the *_share fields, NaN otherwise. 0 in errors and skips.
     */
    double real_ns, cpu_ns;
    double real_share, cpu_share;
    const struct fl_run_counter *counters; /* sorted by name */
    size_t counter_count;
    enum fl_big_o complexity; /* of a fit row the order found, else the order asked for */
    int64_t complexity_n;     /* 0: the run set none */
};

struct fl_run_context {
    const char *executable; /* argv[0]; empty when not initialised */
    const char *host;
    int cpus;
    double cycles_per_second;
    size_t name_width; /* characters of the longest name */
};

/* Callbacks run in the thread of fl_bench_run(), between runs, never inside a timed loop. */
struct fl_reporter {
    bool (*begin)(const struct fl_run_context *context, void *arg); /* or NULL; false: run none */
    void (*run)(const struct fl_run *run, void *arg);               /* or NULL */
    void (*end)(void *arg);                                         /* or NULL */
    void *arg;
};

/* ---- Runs -------------------------------------------------------------------------------- */

/*
 * Reads and removes the --benchmark_* flags from argv, as the C++ Initialize() does: an unknown one
 * or --help ends the process. Optional. argv[0] must outlive all runs. 0, -EINVAL, -ENOMEM.
 */
int fl_bench_initialize(int *argc, char **argv);

/* True, after a line on stderr for each, when arguments are left over. */
bool fl_bench_report_unrecognized(int argc, char **argv);

/* One more line of context in console and JSON reports (copied). 0, -ENOMEM, -EINVAL (NULL). */
int fl_bench_add_context(const char *key, const char *value);

/*
 * Runs what matches the regular expression `filter` (a leading `-` inverts it; NULL: what
 * --benchmark_filter says, which is everything by default) and reports to `reporter` alone, or
 * where that is NULL as --benchmark_format says to stdout. --benchmark_out works in both.
 * `matched` (or NULL) gets the number of runs that match. 0; -ENOENT when nothing does or the
 * expression is wrong, after a line on stderr; -ENOMEM; -EIO for any other exception. Where a
 * thread cannot be made the library ends the process. Names that begin with `DISABLED_` never run.
 */
FL_MUST_CHECK int fl_bench_run(const char *filter, const struct fl_reporter *reporter,
                               size_t *matched);

/*
 * Calls name(run's name, arg) for everything that fl_bench_run() would run, and runs nothing.
 * Switches --benchmark_list_tests off, and empties the file of --benchmark_out. Errors as
 * fl_bench_run().
 */
FL_MUST_CHECK int fl_bench_list(const char *filter, void (*name)(const char *name, void *arg),
                                void *arg);

/* The main() of a benchmark program: initialise, refuse leftovers, run. An exit status. */
int fl_bench_main(int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif
