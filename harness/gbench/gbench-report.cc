/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports: Google Benchmark's rows as plain C data.
 *
 * The fields that say how a run ended changed in 1.8 (`error_occurred` became `skipped`); which of
 * them exists is asked of the type, so that packaged and patched versions both work.
 */
#include <limits>
#include <vector>

#include "gbench-report.hh"

using Run = benchmark::BenchmarkReporter::Run;

namespace
{

struct outcome {
    enum fl_run_status status;
    const char *message;
};

template <typename Row> auto outcome_of(const Row &row, int) -> decltype(row.skipped, outcome{})
{
    using Skipped = std::remove_const_t<decltype(row.skipped)>;
    if (row.skipped == Skipped::NotSkipped)
        return {FL_RUN_OK, row.skip_message.c_str()};
    return {row.skipped == Skipped::SkippedWithError ? FL_RUN_ERROR : FL_RUN_SKIPPED,
            row.skip_message.c_str()};
}

template <typename Row> outcome outcome_of(const Row &row, long)
{
    return {row.error_occurred ? FL_RUN_ERROR : FL_RUN_OK, row.error_message.c_str()};
}

enum fl_run_kind kind_of(const Run &row)
{
    if (row.report_big_o)
        return FL_RUN_COMPLEXITY;
    if (row.report_rms)
        return FL_RUN_RMS;
    return row.run_type == Run::RT_Aggregate ? FL_RUN_AGGREGATE : FL_RUN_ITERATION;
}

/* Both clocks of a row, as ns or as a share; the library overlays the two in one field. */
void fill_times(const Run &row, struct fl_run &out)
{
    const double none = std::numeric_limits<double>::quiet_NaN();
    out.real_accumulated_s = row.real_accumulated_time;
    out.cpu_accumulated_s = row.cpu_accumulated_time;
    out.real_ns = out.cpu_ns = out.real_share = out.cpu_share = none;
    if (out.kind == FL_RUN_RMS) {
        /* Stored divided by the unit, so that the printed value is the share again. */
        out.real_share = row.GetAdjustedRealTime();
        out.cpu_share = row.GetAdjustedCPUTime();
    } else if (out.kind == FL_RUN_AGGREGATE && row.aggregate_unit == benchmark::kPercentage) {
        out.real_share = row.real_accumulated_time;
        out.cpu_share = row.cpu_accumulated_time;
    } else {
        const double per_iteration = 1e9 / (row.iterations ? (double)row.iterations : 1.0);
        out.real_ns = row.real_accumulated_time * per_iteration;
        out.cpu_ns = row.cpu_accumulated_time * per_iteration;
    }
}

/* Calls the C callback on one row; the strings live in this frame. */
void report_row(const Run &row, const struct fl_reporter &reporter)
{
    const std::string name = row.benchmark_name();
    const std::string run_name = row.run_name.str();
    std::vector<struct fl_run_counter> counters;
    for (const auto &[counter_name, counter] : row.counters)
        counters.push_back({counter_name.c_str(), counter.value,
                            fl_counter_flags_from_library(counter.flags),
                            counter.oneK == benchmark::Counter::kIs1024 ? FL_K_1024 : FL_K_1000});
    const outcome end = outcome_of(row, 0);
    struct fl_run out = {};
    out.name = name.c_str();
    out.run_name = run_name.c_str();
    out.function_name = row.run_name.function_name.c_str();
    out.aggregate_name = row.aggregate_name.c_str();
    out.label = row.report_label.c_str();
    out.message = end.message;
    out.kind = kind_of(row);
    out.status = end.status;
    out.family_index = row.family_index;
    out.instance_index = row.per_family_instance_index;
    out.iterations = row.iterations;
    out.threads = row.threads;
    out.repetition_index = row.repetition_index;
    out.repetitions = row.repetitions;
    out.unit = fl_unit_from_library(row.time_unit);
    fill_times(row, out);
    out.counters = counters.data();
    out.counter_count = counters.size();
    out.complexity = fl_big_o_from_library(row.complexity);
    out.complexity_n = row.complexity_n;
    reporter.run(&out, reporter.arg);
}

} // namespace

bool fl_c_reporter::ReportContext(const Context &context)
{
    if (!reporter.begin)
        return true;
    struct fl_run_context out = {};
    out.executable = Context::executable_name ? Context::executable_name : "";
    out.host = context.sys_info.name.c_str();
    out.cpus = context.cpu_info.num_cpus;
    out.cycles_per_second = context.cpu_info.cycles_per_second;
    out.name_width = context.name_field_width;
    return reporter.begin(&out, reporter.arg);
}

void fl_c_reporter::ReportRuns(const std::vector<Run> &rows)
{
    if (!reporter.run)
        return;
    for (const Run &row : rows)
        report_row(row, reporter);
}

void fl_c_reporter::Finalize()
{
    if (reporter.end)
        reporter.end(reporter.arg);
}
