/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Google Benchmark program with everything that an importer can stumble over: errors, skipped
 * benchmarks, threads, counters called like fields, memory, units, labels, complexity, names that
 * want escapes. The files in data/ are what it wrote with --benchmark_repetitions=3 and
 * --benchmark_min_time at its least, with the host's name replaced.
 */
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <string>

namespace
{

void work(benchmark::State &state)
{
    int64_t sum = 0;
    while (state.KeepRunning())
        for (int64_t i = 0; i < state.range(0); i++)
            benchmark::DoNotOptimize(sum += i);
    state.SetComplexityN(state.range(0));
    state.SetItemsProcessed(state.iterations() * state.range(0));
    state.SetBytesProcessed(state.iterations() * state.range(0) * 8);
}

void counters(benchmark::State &state)
{
    while (state.KeepRunning())
        benchmark::DoNotOptimize(state.iterations());
    state.counters["real_time"] = 1;
    state.counters["threads"] = 7;
    state.counters["label"] = 3;
    state.counters["nan"] = std::nan("");
    state.counters["inf"] = INFINITY;
    state.counters["rate"] = benchmark::Counter(1, benchmark::Counter::kIsRate);
    state.counters["flops"] =
        benchmark::Counter(1e9, benchmark::Counter::kIsRate, benchmark::Counter::OneK::kIs1024);
    state.SetLabel("a \"label\"\n<script>`x`");
}

void fails(benchmark::State &state)
{
    state.SkipWithError("went \"wrong\"\n");
    while (state.KeepRunning())
        benchmark::DoNotOptimize(state.iterations());
}

void skips(benchmark::State &state)
{
#ifdef SINCE_1_8
    state.SkipWithMessage("not here");
#else
    state.SkipWithError("not here");
#endif
    while (state.KeepRunning())
        benchmark::DoNotOptimize(state.iterations());
}

void threads(benchmark::State &state)
{
    while (state.KeepRunning())
        for (int i = 0; i < 1000; i++)
            benchmark::DoNotOptimize(i);
    state.SetItemsProcessed(state.iterations());
}

class memory : public benchmark::MemoryManager
{
  public:
    void Start() override
    {
    }
#ifndef SINCE_1_8
    void Stop(Result *result) override
    {
        Stop(*result);
    }
#endif
    void Stop(Result &result) override
    {
        result.num_allocs = 16;
        result.max_bytes_used = 4096;
        result.total_allocated_bytes = 65536;
        result.net_heap_growth = 0;
    }
};

} // namespace

int main(int argc, char **argv)
{
    memory manager;
    benchmark::RegisterBenchmark("work", work)->Arg(100)->Arg(200)->Arg(400)->Complexity();
    benchmark::RegisterBenchmark("units", work)->Arg(1000)->Unit(benchmark::kMicrosecond);
    benchmark::RegisterBenchmark("counters", counters);
    benchmark::RegisterBenchmark("fails", fails);
    benchmark::RegisterBenchmark("skips", skips);
    benchmark::RegisterBenchmark("threads", threads)->Threads(1)->Threads(2)->UseRealTime();
    benchmark::RegisterBenchmark("f<\"q\">\t`id`/<script>", work)->Arg(8);
    benchmark::RegisterMemoryManager(&manager);
    benchmark::AddCustomContext("suite", "shapes \"quoted\"");
    benchmark::AddCustomContext("host_name", "shadowed");
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::RegisterMemoryManager(nullptr);
    return 0;
}
