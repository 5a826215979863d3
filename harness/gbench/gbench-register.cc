/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registration: every setter checks what Google Benchmark would abort on, then passes it on.
 */
#include <climits>
#include <memory>
#include <vector>

#include "gbench-internal.hh"

namespace
{

/* Applies a setter whose arguments are `valid`; remembers the first that failed. */
template <typename Apply>
int set(struct fl_bench *bench, const char *wants, int verdict, Apply &&apply) noexcept
{
    const int rc = verdict ? verdict : fl_guard([&] {
        apply(*bench->registered);
        return 0;
    });
    if (rc && !bench->wrong) {
        bench->wrong = wants;
        bench->wrong_code = rc;
    }
    return rc;
}

int valid(bool is_valid)
{
    return is_valid ? 0 : -EINVAL;
}

/* The library counts arguments by their lists or, where there is none yet, by their names. */
bool fits(const struct fl_bench *bench, size_t arity)
{
    const size_t had = bench->arity ? bench->arity : bench->named;
    return arity > 0 && (had == 0 || had == arity);
}

/* 0 when the benchmark can take `lists` more argument lists of `arity` arguments each. */
int room_for(const struct fl_bench *bench, size_t arity, size_t lists)
{
    if (lists == 0 || !fits(bench, arity))
        return -EINVAL;
    return lists > FL_BENCH_ARGS_MAX - bench->arg_lists ? -E2BIG : 0;
}

/* The product, or a number above the limit as soon as it is passed. */
size_t times(size_t product, size_t count)
{
    if (count != 0 && product > FL_BENCH_ARGS_MAX / count)
        return FL_BENCH_ARGS_MAX + 1;
    return product * count;
}

/* How many values the library makes of a range: its ends, 0, and the powers +-m^k inside. */
size_t range_values(const struct fl_range &range, int64_t multiplier)
{
    size_t count = range.low == range.high ? 1 : 2;
    if (range.low < 0 && 0 < range.high)
        count++;
    for (int64_t power = 1;; power *= multiplier) {
        count += range.low < power && power < range.high;
        count += range.low < -power && -power < range.high;
        if (power > INT64_MAX / multiplier)
            return count;
    }
}

template <typename Apply>
int add_args(struct fl_bench *bench, const char *wants, int verdict, size_t arity, size_t lists,
             Apply &&apply)
{
    if (verdict == 0)
        verdict = room_for(bench, arity, lists);
    return set(bench, wants, verdict, [&](auto &registered) {
        apply(registered);
        bench->arity = arity;
        bench->arg_lists += lists;
    });
}

} // namespace

extern "C" {

int fl_bench_register(const char *name, fl_bench_fn fn, void *arg, struct fl_bench **bench)
{
    if (!name || !*name || !fn || !bench)
        return -EINVAL;
    return fl_guard([&] {
        auto owner = std::make_shared<struct fl_bench>(fn, arg);
        owner->registered = benchmark::RegisterBenchmark(
            name, [owner](benchmark::State &run) { fl_state_enter(run, owner.get()); });
        *bench = owner.get();
        return 0;
    });
}

int fl_bench_clear(void)
{
    return fl_guard([] {
        benchmark::ClearRegisteredBenchmarks();
        return 0;
    });
}

int fl_bench_arg(struct fl_bench *bench, int64_t value)
{
    return add_args(bench, "fl_bench_arg: other calls give another number of arguments", 0, 1, 1,
                    [&](auto &registered) { registered.Arg(value); });
}

int fl_bench_args(struct fl_bench *bench, const int64_t *values, size_t count)
{
    return add_args(bench, "fl_bench_args: wants values, as many as other calls give",
                    valid(values != nullptr), count, 1, [&](auto &registered) {
                        registered.Args(std::vector<int64_t>(values, values + count));
                    });
}

int fl_bench_range(struct fl_bench *bench, int64_t low, int64_t high)
{
    const struct fl_range range = {low, high};
    return fl_bench_ranges(bench, &range, 1);
}

int fl_bench_ranges(struct fl_bench *bench, const struct fl_range *ranges, size_t count)
{
    int verdict = valid(ranges != nullptr);
    for (size_t i = 0; verdict == 0 && i < count; i++)
        verdict = valid(ranges[i].low <= ranges[i].high);
    size_t lists = 1;
    for (size_t i = 0; verdict == 0 && i < count; i++)
        lists = times(lists, range_values(ranges[i], bench->multiplier));
    return add_args(bench, "fl_bench_ranges: wants low <= high, as many as other calls give",
                    verdict, count, lists, [&](auto &registered) {
                        std::vector<std::pair<int64_t, int64_t>> pairs;
                        for (size_t i = 0; i < count; i++)
                            pairs.emplace_back(ranges[i].low, ranges[i].high);
                        registered.Ranges(pairs);
                    });
}

int fl_bench_range_multiplier(struct fl_bench *bench, int multiplier)
{
    return set(bench, "fl_bench_range_multiplier: wants 2 or more", valid(multiplier >= 2),
               [&](auto &registered) {
                   registered.RangeMultiplier(multiplier);
                   bench->multiplier = multiplier;
               });
}

int fl_bench_dense_range(struct fl_bench *bench, int64_t low, int64_t high, int step)
{
    /* The library counts up in int64_t: the sum past `high` must not overflow. */
    const int verdict = valid(step >= 1 && low <= high && high <= INT64_MAX - step);
    const uint64_t span = (uint64_t)high - (uint64_t)low;
    const uint64_t lists = verdict ? 0 : span / (uint64_t)step + 1;
    return add_args(bench, "fl_bench_dense_range: wants low <= high and a step of 1 or more",
                    verdict, 1, lists,
                    [&](auto &registered) { registered.DenseRange(low, high, step); });
}

int fl_bench_args_product(struct fl_bench *bench, const struct fl_list *lists, size_t count)
{
    int verdict = valid(lists != nullptr);
    size_t product = 1;
    for (size_t i = 0; verdict == 0 && i < count; i++) {
        verdict = valid(lists[i].values && lists[i].count);
        product = times(product, lists[i].count);
    }
    return add_args(bench, "fl_bench_args_product: wants lists that are not empty", verdict, count,
                    product, [&](auto &registered) {
                        std::vector<std::vector<int64_t>> values;
                        for (size_t i = 0; i < count; i++)
                            values.emplace_back(lists[i].values, lists[i].values + lists[i].count);
                        registered.ArgsProduct(values);
                    });
}

int fl_bench_arg_names(struct fl_bench *bench, const char *const *names, size_t count)
{
    int verdict = valid(names != nullptr && fits(bench, count));
    for (size_t i = 0; verdict == 0 && i < count; i++)
        verdict = valid(names[i] != nullptr);
    return set(bench, "fl_bench_arg_names: wants a name for each argument", verdict,
               [&](auto &registered) {
                   registered.ArgNames(std::vector<std::string>(names, names + count));
                   bench->named = count;
               });
}

int fl_bench_unit(struct fl_bench *bench, enum fl_unit unit)
{
    return set(bench, "fl_bench_unit: wants one of enum fl_unit", valid(unit <= FL_SECOND),
               [&](auto &registered) { registered.Unit(fl_unit_to_library(unit)); });
}

int fl_bench_min_time(struct fl_bench *bench, double seconds)
{
    return set(bench, "fl_bench_min_time: wants a time above 0 and no set iterations",
               valid(seconds > 0 && !bench->has_iterations), [&](auto &registered) {
                   registered.MinTime(seconds);
                   bench->has_time = true;
               });
}

int fl_bench_min_warmup_time(struct fl_bench *bench, double seconds)
{
    return set(bench, "fl_bench_min_warmup_time: wants a time of 0 or more and no set iterations",
               valid(seconds >= 0 && !bench->has_iterations), [&](auto &registered) {
                   registered.MinWarmUpTime(seconds);
                   bench->has_time = true;
               });
}

int fl_bench_iterations(struct fl_bench *bench, int64_t count)
{
    return set(bench, "fl_bench_iterations: wants 1 or more and no minimum times",
               valid(count >= 1 && !bench->has_time), [&](auto &registered) {
                   registered.Iterations(count);
                   bench->has_iterations = true;
               });
}

int fl_bench_repetitions(struct fl_bench *bench, int count)
{
    return set(bench, "fl_bench_repetitions: wants 1 or more", valid(count >= 1),
               [&](auto &registered) { registered.Repetitions(count); });
}

int fl_bench_report_aggregates_only(struct fl_bench *bench, bool on)
{
    return set(bench, "fl_bench_report_aggregates_only", 0,
               [&](auto &registered) { registered.ReportAggregatesOnly(on); });
}

int fl_bench_display_aggregates_only(struct fl_bench *bench, bool on)
{
    return set(bench, "fl_bench_display_aggregates_only", 0,
               [&](auto &registered) { registered.DisplayAggregatesOnly(on); });
}

int fl_bench_threads(struct fl_bench *bench, int count)
{
    return set(bench, "fl_bench_threads: wants 1 or more", valid(count >= 1),
               [&](auto &registered) { registered.Threads(count); });
}

int fl_bench_thread_range(struct fl_bench *bench, int low, int high)
{
    return set(bench, "fl_bench_thread_range: wants 1 <= low <= high",
               valid(low >= 1 && low <= high),
               [&](auto &registered) { registered.ThreadRange(low, high); });
}

int fl_bench_dense_thread_range(struct fl_bench *bench, int low, int high, int stride)
{
    return set(bench, "fl_bench_dense_thread_range: wants 1 <= low <= high, a stride of 1 or more",
               valid(low >= 1 && low <= high && stride >= 1 && high <= INT_MAX - stride),
               [&](auto &registered) { registered.DenseThreadRange(low, high, stride); });
}

int fl_bench_thread_per_cpu(struct fl_bench *bench)
{
    return set(bench, "fl_bench_thread_per_cpu", 0,
               [&](auto &registered) { registered.ThreadPerCpu(); });
}

int fl_bench_process_cpu_time(struct fl_bench *bench)
{
    return set(bench, "fl_bench_process_cpu_time", 0,
               [&](auto &registered) { registered.MeasureProcessCPUTime(); });
}

int fl_bench_real_time(struct fl_bench *bench)
{
    return set(bench, "fl_bench_real_time: excludes fl_bench_manual_time",
               valid(!bench->has_manual_time), [&](auto &registered) {
                   registered.UseRealTime();
                   bench->has_real_time = true;
               });
}

int fl_bench_manual_time(struct fl_bench *bench)
{
    return set(bench, "fl_bench_manual_time: excludes fl_bench_real_time",
               valid(!bench->has_real_time), [&](auto &registered) {
                   registered.UseManualTime();
                   bench->has_manual_time = true;
               });
}

int fl_bench_complexity(struct fl_bench *bench, enum fl_big_o order)
{
    return set(bench, "fl_bench_complexity: wants one of enum fl_big_o but FL_O_LAMBDA",
               valid(order < FL_O_LAMBDA),
               [&](auto &registered) { registered.Complexity(fl_big_o_to_library(order)); });
}

int fl_bench_complexity_fn(struct fl_bench *bench, double (*order)(int64_t n))
{
    return set(bench, "fl_bench_complexity_fn: wants a function", valid(order != nullptr),
               [&](auto &registered) { registered.Complexity(order); });
}

} // extern "C"
