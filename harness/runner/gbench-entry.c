/* SPDX-License-Identifier: Apache-2.0 */
/* Reading one benchmark's rows out of a program's JSON. */
#include "runner/gbench-entry.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1 << 20 };

void fl_gbench_text_line(void *arg, char *line)
{
    struct fl_gbench_text *text = arg;
    size_t length = strlen(line);
    if (text->lost || text->length + length > TEXT_MAX) {
        text->lost = true;
        return;
    }
    char *grown = realloc(text->bytes, text->length + length + 2);
    if (!grown) {
        text->lost = true;
        return;
    }
    text->bytes = grown;
    stpcpy(stpcpy(grown + text->length, line), "\n");
    text->length += length + 1;
}

/* ---- fields ---- */

static const char *text_of(struct json_object *row, const char *field)
{
    struct json_object *value;
    bool found = json_object_object_get_ex(row, field, &value);
    return found && json_object_is_type(value, json_type_string) ? json_object_get_string(value)
                                                                 : "";
}

static double number_of(struct json_object *row, const char *field)
{
    struct json_object *value;
    bool found = json_object_object_get_ex(row, field, &value);
    bool number = found && (json_object_is_type(value, json_type_double) ||
                            json_object_is_type(value, json_type_int));
    return number ? json_object_get_double(value) : (double)NAN;
}

static double nanoseconds(const char *unit)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(unit, units[i].name))
            return units[i].ns;
    return (double)NAN;
}

/* Every field that the format does not define is a counter of the user's. */
static bool is_counter(const char *field)
{
    static const char *const defined[] = {
        "name",           "family_index",     "per_family_instance_index",
        "run_name",       "run_type",         "repetitions",
        "threads",        "repetition_index", "iterations",
        "real_time",      "cpu_time",         "time_unit",
        "label",          "error_occurred",   "error_message",
        "skipped",        "skip_message",     "aggregate_name",
        "aggregate_unit",
    };
    for (size_t i = 0; i < sizeof defined / sizeof *defined; i++)
        if (!strcmp(field, defined[i]))
            return false;
    return true;
}

/* ---- rows ---- */

/* Why a row has no time; NULL: it has. */
static const char *failure_of(struct json_object *row)
{
    struct json_object *value;
    if (json_object_object_get_ex(row, "error_occurred", &value) && json_object_get_boolean(value))
        return text_of(row, "error_message");
    if (json_object_object_get_ex(row, "skipped", &value) && json_object_get_boolean(value))
        return text_of(row, "skip_message");
    return NULL;
}

static void add_counters(struct json_object *row, struct fl_gbench_result *result)
{
    json_object_object_foreach(row, field, value)
    {
        (void)value;
        double number = number_of(row, field);
        if (!is_counter(field) || isnan(number) || result->counter_count == FL_GBENCH_COUNTERS)
            continue;
        struct fl_gbench_counter *counter = &result->counters[result->counter_count];
        if (strlen(field) >= sizeof counter->name)
            continue;
        snprintf(counter->name, sizeof counter->name, "%s", field);
        counter->value = number;
        result->counter_count++;
    }
}

/* Adds a row to the sums; the first one's counters stand for all. */
static void add_row(struct json_object *row, size_t before, struct fl_gbench_result *result)
{
    double unit = nanoseconds(text_of(row, "time_unit"));
    double iterations = number_of(row, "iterations"), threads = number_of(row, "threads");
    result->real_ns += number_of(row, "real_time") * unit;
    result->cpu_ns += number_of(row, "cpu_time") * unit;
    result->iterations += isfinite(iterations) && fabs(iterations) < 1e18 ? (int64_t)iterations : 0;
    if (before)
        return;
    result->threads = threads >= 1 && threads < 1e6 ? (long)threads : 1;
    add_counters(row, result);
}

static void fail(struct fl_gbench_result *result, const char *why)
{
    snprintf(result->failure, sizeof result->failure, "%s", why);
}

/* A row of this benchmark that is a measurement, not one derived from others. */
static bool is_measured(struct json_object *row, const char *name)
{
    const char *run_name = text_of(row, "run_name");
    return !strcmp(*run_name ? run_name : text_of(row, "name"), name) &&
           !*text_of(row, "aggregate_name");
}

static void read_rows(struct json_object *rows, const char *name, struct fl_gbench_result *result)
{
    size_t count = 0;
    for (size_t i = 0; i < json_object_array_length(rows); i++) {
        struct json_object *row = json_object_array_get_idx(rows, i);
        if (!is_measured(row, name))
            continue;
        const char *why = failure_of(row);
        if (why) {
            fail(result, *why ? why : "the benchmark says that it failed");
            return;
        }
        add_row(row, count++, result);
    }
    if (!count) {
        fail(result, "the program told no measurement of this benchmark (aggregates alone have no "
                     "samples)");
        return;
    }
    result->real_ns /= (double)count;
    result->cpu_ns /= (double)count;
    if (!(isfinite(result->real_ns) && result->real_ns > 0))
        fail(result, "the program told no time above 0");
}

int fl_gbench_entry_read(const struct fl_gbench_text *text, const char *name,
                         struct fl_gbench_result *result, struct fl_err *err)
{
    struct json_object *rows, *context, *all;
    if (text->lost || !text->bytes) {
        fail(result, text->lost ? "the program's JSON is too long" : "the program wrote no JSON");
        return 0;
    }
    struct json_tokener *tokener = json_tokener_new();
    if (!tokener)
        return fl_fail(err, -ENOMEM, "out of memory");
    all = json_tokener_parse_ex(tokener, text->bytes, (int)text->length);
    json_tokener_free(tokener);
    if (json_object_object_get_ex(all, "context", &context))
        snprintf(result->version, sizeof result->version, "%s",
                 text_of(context, "library_version"));
    if (json_object_object_get_ex(all, "benchmarks", &rows) &&
        json_object_is_type(rows, json_type_array))
        read_rows(rows, name, result);
    else
        fail(result, "the program's JSON cannot be read");
    json_object_put(all);
    return 0;
}
