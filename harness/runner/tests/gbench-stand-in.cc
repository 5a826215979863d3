// SPDX-License-Identifier: Apache-2.0
// An ordinary Google Benchmark program that knows nothing of faultline: one benchmark with a name
// full of syntax, a quick one, one that fails and one that crashes.
#include <benchmark/benchmark.h>

#include <csignal>

namespace
{

void Add(benchmark::State &state)
{
    double sum = 0;
    while (state.KeepRunning())
        benchmark::DoNotOptimize(sum += 1);
    state.counters["argument"] = static_cast<double>(state.range(0));
}

void Fail(benchmark::State &state)
{
    state.SkipWithError("no \"device\"");
    while (state.KeepRunning()) {
    }
}

void Crash(benchmark::State &state)
{
    std::signal(SIGSEGV, SIG_DFL); // a sanitizer would exit instead
    while (state.KeepRunning())
        std::raise(SIGSEGV);
}

} // namespace

BENCHMARK(Add)->Name("odd<a+b>/(x|y)/[2]")->Arg(8);
BENCHMARK(Add)->Name("add")->Arg(1);
BENCHMARK(Fail)->Name("fails");
BENCHMARK(Crash)->Name("crashes");
BENCHMARK_MAIN();
