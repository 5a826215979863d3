/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The session: flags, runs, lists, and the main() of a benchmark program.
 */
#include <cstdlib>
#include <sstream>

#include "gbench-report.hh"

namespace
{

/* Google Benchmark has the list mode as a flag only. argv[0] is what reports print: keep it. */
void set_list_mode(bool on)
{
    const char *const executable = benchmark::BenchmarkReporter::Context::executable_name;
    char program[] = "list";
    char flag_on[] = "--benchmark_list_tests=true";
    char flag_off[] = "--benchmark_list_tests=false";
    char *argv[] = {program, on ? flag_on : flag_off, nullptr};
    int argc = 2;
    benchmark::Initialize(&argc, argv);
    benchmark::BenchmarkReporter::Context::executable_name = executable;
}

size_t run_specified(const char *filter, benchmark::BenchmarkReporter *reporter)
{
    return filter ? benchmark::RunSpecifiedBenchmarks(reporter, std::string(filter))
                  : benchmark::RunSpecifiedBenchmarks(reporter);
}

} // namespace

extern "C" {

int fl_bench_initialize(int *argc, char **argv)
{
    if (!argc || *argc < 1 || !argv || !argv[0])
        return -EINVAL;
    return fl_guard([&] {
        benchmark::Initialize(argc, argv);
        return 0;
    });
}

bool fl_bench_report_unrecognized(int argc, char **argv)
{
    return benchmark::ReportUnrecognizedArguments(argc, argv);
}

int fl_bench_add_context(const char *key, const char *value)
{
    if (!key || !value)
        return -EINVAL;
    return fl_guard([&] {
        benchmark::AddCustomContext(key, value);
        return 0;
    });
}

int fl_bench_run(const char *filter, const struct fl_reporter *reporter, size_t *matched)
{
    size_t count = 0;
    const int rc = fl_guard([&] {
        if (reporter) {
            fl_c_reporter ours(*reporter);
            count = run_specified(filter, &ours);
        } else {
            count = run_specified(filter, nullptr);
        }
        return count ? 0 : -ENOENT;
    });
    if (matched)
        *matched = count;
    return rc;
}

int fl_bench_list(const char *filter, void (*name)(const char *name, void *arg), void *arg)
{
    if (!name)
        return -EINVAL;
    return fl_guard([&] {
        std::ostringstream lines;
        fl_c_reporter silent({});
        silent.SetOutputStream(&lines);
        set_list_mode(true);
        const int rc = fl_guard([&] { return run_specified(filter, &silent) ? 0 : -ENOENT; });
        set_list_mode(false);
        std::istringstream names(lines.str());
        for (std::string line; std::getline(names, line);)
            name(line.c_str(), arg);
        return rc;
    });
}

int fl_bench_main(int argc, char **argv)
{
    if (fl_bench_initialize(&argc, argv) || fl_bench_report_unrecognized(argc, argv))
        return EXIT_FAILURE;
    return fl_bench_run(nullptr, nullptr, nullptr) ? EXIT_FAILURE : EXIT_SUCCESS;
}

} // extern "C"
