/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two loops of Google Benchmark's own interface, to compare ours with.
 */
#include <benchmark/benchmark.h>

#include "gbench-loop-cost.h"

static void keep_running(benchmark::State &state)
{
    while (state.KeepRunning())
        loop_cost_body();
}

static void range_loop(benchmark::State &state)
{
    /* NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores): the idiom of the library */
    for (auto _ : state)
        loop_cost_body();
}

extern "C" void loop_cost_register_cxx(int64_t iterations)
{
    benchmark::RegisterBenchmark("cxx KeepRunning", keep_running)->Iterations(iterations);
    benchmark::RegisterBenchmark("cxx range", range_loop)->Iterations(iterations);
}
