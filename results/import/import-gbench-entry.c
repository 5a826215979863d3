/* SPDX-License-Identifier: Apache-2.0 */
/* One entry of Google Benchmark's JSON: what it is, of which cell, and what it measured. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import-gbench.h"
#include "results/meaning.h"

/* ---- metrics ---- */

#define SOURCE "Google Benchmark"

static const struct known {
    struct fl_metric metric;
    bool time;
} known[] = {
    {{"real_time", "ns", "time of an iteration", SOURCE, FL_METRIC_TIMED, FL_LESS_IS_BETTER,
      FL_IN_EVERY_SAMPLE, true},
     true},
    {{"cpu_time", "ns", "processor time of an iteration", SOURCE, FL_METRIC_TIMED,
      FL_LESS_IS_BETTER, FL_IN_EVERY_SAMPLE, true},
     true},
    {{"bytes_per_second", "B/s", "bytes processed", SOURCE, FL_METRIC_TIMED, FL_MORE_IS_BETTER,
      FL_IN_EVERY_SAMPLE, true},
     false},
    {{"items_per_second", "items/s", "items processed", SOURCE, FL_METRIC_TIMED, FL_MORE_IS_BETTER,
      FL_IN_EVERY_SAMPLE, true},
     false},
    {{"allocs_per_iter", "allocations", "allocations of an iteration", SOURCE,
      FL_METRIC_NOISY_COUNT, FL_LESS_IS_BETTER, FL_IN_EVERY_SAMPLE, true},
     false},
    {{"max_bytes_used", "B", "most memory in use", SOURCE, FL_METRIC_LEVEL, FL_LESS_IS_BETTER,
      FL_IN_EVERY_SAMPLE, true},
     false},
    {{"total_allocated_bytes", "B", "memory allocated", SOURCE, FL_METRIC_LEVEL, FL_LESS_IS_BETTER,
      FL_IN_EVERY_SAMPLE, true},
     false},
    {{"net_heap_growth", "B", "memory not freed", SOURCE, FL_METRIC_LEVEL, FL_LESS_IS_BETTER,
      FL_IN_EVERY_SAMPLE, true},
     false},
};

int fl_gbench_metric(struct fl_gbench *g, const char *name, size_t *place)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(known[i].metric.name, name) == 0)
            return fl_intake_metric(g->intake, &known[i].metric, known[i].time, place);
    return fl_intake_counter(g->intake, name, place);
}

/* ---- sums of repetitions ---- */

/* Before 1.5 only the end of a name said that an entry sums others up. */
static const char *old_suffix(const char *name)
{
    static const char *const suffixes[] = {"_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS"};
    size_t length = strlen(name);

    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        size_t tail = strlen(suffixes[i]);
        if (length > tail && strcmp(name + length - tail, suffixes[i]) == 0)
            return name + length - tail;
    }
    return NULL;
}

/* A sum stands behind what it sums up, or behind another sum of it. */
static bool is_old_sum(const struct fl_gbench *g, const char *suffix)
{
    const char *last = g->last_name;
    size_t base = (size_t)(suffix - g->entry.name);
    const char *tail = strncmp(last, g->entry.name, base) == 0 ? last + base : NULL;

    return tail && (!*tail || tail == old_suffix(last));
}

/* Whether the entry sums repetitions up; its name is then that of what it sums up. */
static bool find_sum(struct fl_gbench *g, char aggregate[20])
{
    struct fl_gbench_entry *entry = &g->entry;

    if (strcmp(entry->aggregate_unit, "percentage") == 0)
        snprintf(aggregate, 20, "percentage"); /* a ratio, in a field for times */
    else if (entry->aggregate_name[0])
        snprintf(aggregate, 20, "%s", entry->aggregate_name);
    else if (strcmp(entry->run_type, "aggregate") == 0)
        snprintf(aggregate, 20, "mean"); /* hand-made: it says no more */
    if (aggregate[0] || entry->run_name[0])
        return aggregate[0];
    const char *suffix = old_suffix(entry->name);
    bool sum = suffix && is_old_sum(g, suffix);
    snprintf(g->last_name, sizeof(g->last_name), "%s", entry->name);
    if (sum)
        snprintf(aggregate, 20, "%s", suffix + 1);
    if (sum)
        entry->name[suffix - entry->name] = '\0';
    return sum;
}

static bool is_complexity(const struct fl_gbench_entry *entry, const char *aggregate)
{
    return entry->big_o[0] || strcmp(aggregate, "BigO") == 0 || strcmp(aggregate, "RMS") == 0 ||
           strcmp(entry->aggregate_name, "RMS") == 0;
}

/* ---- the cell ---- */

/* Before 1.5 the number of threads stood in the name only. */
static int64_t threads_of(const struct fl_gbench_entry *entry)
{
    static const char mark[] = "/threads:";
    const char *at = strstr(entry->name, mark);

    if (entry->threads.is_integer && entry->threads.integer)
        return entry->threads.integer;
    return at ? strtoll(at + sizeof(mark) - 1, NULL, 10) : 1;
}

static int choose_cell(struct fl_gbench *g, int64_t threads)
{
    const struct fl_gbench_entry *entry = &g->entry;
    char number[24];
    const struct fl_stored_level levels[] = {
        {"benchmark", entry->run_name[0] ? entry->run_name : entry->name, false},
        {"threads", number, false},
    };

    snprintf(number, sizeof(number), "%lld", (long long)threads);
    return fl_intake_cell(g->intake, levels, threads > 1 ? 2 : 1);
}

/* ---- what it measured ---- */

static double nanoseconds(const char *unit)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"", 1}};

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(unit, units[i].name) == 0)
            return units[i].ns;
    return 0;
}

/* False: nobody knows what the times mean. */
static bool scale_times(struct fl_gbench *g)
{
    double factor = nanoseconds(g->entry.time_unit);

    for (uint32_t i = 0; i < g->row.count && factor > 0; i++) {
        size_t metric = (size_t)g->row.values[i].metric;
        if (metric == g->real_time || metric == g->cpu_time)
            g->row.values[i].value *= factor;
    }
    return factor > 0;
}

static void add_facts(struct fl_gbench *g, int64_t threads)
{
    const struct fl_gbench_entry *entry = &g->entry;

    if (entry->time_unit[0] && strcmp(entry->time_unit, "ns") != 0)
        fl_intake_fact(g->intake, &g->row, "time_unit", entry->time_unit);
    if (entry->label[0])
        fl_intake_fact(g->intake, &g->row, "label", entry->label);
    if (threads > 1) {
        fl_intake_fact(g->intake, &g->row, FL_FACT_TIME_MEANING, fl_gbench_time_meaning(g));
        fl_intake_fact(g->intake, &g->row, FL_FACT_RATE_MEANING, fl_gbench_rate_meaning(g));
    }
}

static void set_outcome(struct fl_gbench *g)
{
    const struct fl_gbench_entry *entry = &g->entry;

    if (entry->error_occurred)
        fl_intake_fail(g->intake, &g->row,
                       entry->error_message[0] ? entry->error_message
                                               : "an error, of which the file does not say which");
    else if (entry->skipped)
        fl_intake_fail(g->intake, &g->row,
                       entry->skip_message[0] ? entry->skip_message : "skipped by the benchmark");
}

/* Why an entry is no row; NULL: it is one. */
static const char *left_out(struct fl_gbench *g, const char *aggregate, bool has_time)
{
    const struct fl_gbench_entry *entry = &g->entry;

    if (!entry->name[0] && !entry->run_name[0])
        return "entries without a name";
    if (entry->cut)
        return "entries with names longer than 4000 bytes";
    if (is_complexity(entry, aggregate))
        return "complexity fits (BigO, RMS), which are no times";
    if (entry->error_occurred || entry->skipped)
        return NULL;
    if (!has_time)
        return "entries without a time";
    return scale_times(g) ? NULL : "entries with times in an unknown unit";
}

int fl_gbench_take_entry(struct fl_gbench *g, bool has_time)
{
    char aggregate[20] = "";
    bool sum = find_sum(g, aggregate);
    const char *why = left_out(g, aggregate, has_time);

    if (why) {
        fl_intake_note(g->intake, 1, !is_complexity(&g->entry, aggregate), "%s", why);
        return 0;
    }
    int64_t threads = threads_of(&g->entry);
    int status = choose_cell(g, threads);
    if (status == -E2BIG) {
        fl_intake_note(g->intake, 1, true, "entries with names longer than 4000 bytes");
        return 0;
    }
    if (status)
        return status;
    if (sum)
        memcpy(g->row.aggregate, aggregate, sizeof(aggregate));
    g->row.calls = g->entry.iterations.integer > 0 ? g->entry.iterations.integer : 0;
    set_outcome(g);
    add_facts(g, threads);
    return fl_intake_add(g->intake, &g->row);
}
