/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of the binding share: the benchmark's record and the border no exception crosses.
 */
#ifndef FAULTLINE_GBENCH_INTERNAL_HH
#define FAULTLINE_GBENCH_INTERNAL_HH

#include <cerrno>
#include <new>
#include <string>

#include <benchmark/benchmark.h>

#include "faultline/gbench.h"

/* The registered object's type moved between namespaces over the versions; ask for it. */
using fl_registered =
    decltype(benchmark::RegisterBenchmark("", static_cast<void (*)(benchmark::State &)>(nullptr)));

/*
 * Owned by the lambda that is registered, so that it goes when the library forgets the benchmark.
 * Written while registering only; read by the threads of a run.
 */
struct fl_bench {
    fl_bench_fn fn;
    void *arg;
    fl_registered registered = nullptr;
    size_t arity = 0; /* arguments of a run; 0: none given yet */
    size_t named = 0; /* argument names; 0: none given */
    size_t arg_lists = 0;
    int multiplier = 8; /* of ranges; the library's default */
    bool has_iterations = false;
    bool has_time = false;
    bool has_real_time = false;
    bool has_manual_time = false;
    const char *wrong = nullptr; /* what the first setter that failed wants; static */
    int wrong_code = 0;          /* and what it returned */

    fl_bench(fl_bench_fn function, void *argument) : fn(function), arg(argument)
    {
    }
};

/* body()'s result, or -ENOMEM or -EIO for what it threw. */
template <typename Body> int fl_guard(Body &&body) noexcept
{
    try {
        return body();
    } catch (const std::bad_alloc &) {
        return -ENOMEM;
    } catch (...) {
        return -EIO;
    }
}

/* Runs bench->fn on one thread of one run, and judges how it left its loop. */
void fl_state_enter(benchmark::State &run, const fl_bench *bench) noexcept;

benchmark::TimeUnit fl_unit_to_library(enum fl_unit unit);
enum fl_unit fl_unit_from_library(benchmark::TimeUnit unit);
benchmark::BigO fl_big_o_to_library(enum fl_big_o order);
enum fl_big_o fl_big_o_from_library(benchmark::BigO order);
benchmark::Counter fl_counter_to_library(double value, unsigned flags, enum fl_counter_k k);
unsigned fl_counter_flags_from_library(benchmark::Counter::Flags flags);

#endif
