/* SPDX-License-Identifier: Apache-2.0 */
/* perf stat: one cell a file, one metric an event; -j here, -x in import-perf-csv.c. */
#include "import-perf.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE "perf stat"

/* ---- events ---- */

/* `instructions:u`, `cpu_core/instructions/`: is it the event of that name? */
static bool is_event(const char *event, const char *name)
{
    const char *slash = strchr(event, '/');
    size_t length = strlen(name);

    if (slash && strncmp(slash + 1, name, length) == 0 && slash[1 + length] == '/')
        return true;
    return strncmp(event, name, length) == 0 && (!event[length] || event[length] == ':');
}

static bool less_is_better(const char *event)
{
    static const char *const costs[] = {
        "cycles",         "instructions", "page-faults",      "faults",
        "minor-faults",   "major-faults", "context-switches", "cs",
        "cpu-migrations", "migrations",   "branch-misses",    "cache-misses"};

    for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++)
        if (is_event(event, costs[i]))
            return true;
    return strstr(event, "-misses") != NULL;
}

static bool is_time(const struct fl_perf_line *line)
{
    return strcmp(line->unit, "msec") == 0 || strcmp(line->unit, "ns") == 0 ||
           strcmp(line->unit, "sec") == 0 || is_event(line->event, "duration_time") ||
           is_event(line->event, "user_time") || is_event(line->event, "system_time");
}

static int find_metric(struct fl_perf *perf, const struct fl_perf_line *line, size_t *place)
{
    bool time = is_time(line), worse = time || less_is_better(line->event);
    const struct fl_metric metric = {
        .name = line->event,
        .unit = line->unit[0] ? line->unit
                : time        ? "ns"
                              : "",
        .summary = time ? "a time of the whole program" : "events of the whole program",
        .source = SOURCE,
        .kind = time            ? FL_METRIC_TIMED
                : line->unit[0] ? FL_METRIC_LEVEL
                                : FL_METRIC_NOISY_COUNT,
        .better = worse ? FL_LESS_IS_BETTER : FL_NOT_RANKED,
        .ratio = true,
    };

    return fl_intake_metric(perf->intake, &metric, false, place);
}

/* ---- rows ---- */

static struct fl_intake_value *find_value(struct fl_perf *perf, size_t metric)
{
    for (uint32_t i = 0; i < perf->row.count; i++)
        if (perf->row.values[i].metric == (int64_t)metric)
            return &perf->row.values[i];
    return NULL;
}

static void begin_row(struct fl_perf *perf)
{
    fl_intake_begin_row(&perf->row);
    perf->row.calls = 1;
    perf->begun = true;
}

static int add_value(struct fl_perf *perf, const struct fl_perf_line *line, size_t metric)
{
    char *end;
    double value = strtod(line->value, &end);
    struct fl_intake_value *before = find_value(perf, metric);
    int status = 0;

    if (end == line->value) {
        value = (double)NAN;
        fl_intake_fact(perf->intake, &perf->row, line->event, line->value);
    }
    if (before && line->part) {
        before->value += value;
        return 0;
    }
    if (before) {
        status = fl_perf_end(perf);
        begin_row(perf);
    }
    if (!status && !fl_intake_value(&perf->row, metric, value))
        fl_intake_note(perf->intake, 1, true, "events beyond %d", FL_INTAKE_VALUES);
    if (!status && perf->row.count && line->running > 0 && line->running < 100)
        perf->row.values[perf->row.count - 1].scale = 100 / line->running;
    return status;
}

int fl_perf_take(struct fl_perf *perf, const struct fl_perf_line *line)
{
    size_t metric;
    int status = find_metric(perf, line, &metric);

    if (status || metric == SIZE_MAX)
        return status;
    if (!perf->begun)
        begin_row(perf);
    return add_value(perf, line, metric);
}

int fl_perf_end(struct fl_perf *perf)
{
    const char *name = fl_intake_scenario(perf->intake);
    const struct fl_stored_level level = {"benchmark", name, false};

    if (!perf->begun)
        return 0;
    perf->begun = false;
    int status = fl_intake_cell(perf->intake, &level, 1);
    if (status == -E2BIG)
        return fl_fail(perf->intake->err, status, "cannot import: the name '%.80s...' is too long",
                       name);
    if (!status)
        status = fl_intake_add(perf->intake, &perf->row);
    return status ? status : fl_intake_end_round(perf->intake);
}

/* ---- JSON ---- */

struct reading {
    struct fl_perf *perf;
    struct fl_json_reader *reader;
    struct fl_perf_line line;
};

static void take_text(char *out, size_t size, const struct fl_json_reader *reader)
{
    if (!out[0])
        snprintf(out, size, "%s", reader->text);
}

/* Numbers stand in quotes or without them. */
static void take_member(struct reading *r, const char *key, enum fl_json_event event)
{
    static const char *const parts[] = {"interval", "cpu",  "core",   "socket",
                                        "die",      "node", "thread", "cache"};
    struct fl_perf_line *line = &r->line;

    fl_json_skip(r->reader, event);
    if (event != FL_JSON_STRING && event != FL_JSON_NUMBER)
        return;
    if (strcmp(key, "event") == 0)
        take_text(line->event, sizeof(line->event), r->reader);
    else if (strcmp(key, "unit") == 0)
        take_text(line->unit, sizeof(line->unit), r->reader);
    else if (strcmp(key, "counter-value") == 0)
        take_text(line->value, sizeof(line->value), r->reader);
    else if (strcmp(key, "pcnt-running") == 0)
        line->running = strtod(r->reader->text, NULL);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        line->part |= strcmp(key, parts[i]) == 0;
}

static int read_line(struct reading *r)
{
    char key[64];
    enum fl_json_event event;

    r->line = (struct fl_perf_line){.running = 100};
    while ((event = fl_json_next(r->reader)) == FL_JSON_KEY) {
        snprintf(key, sizeof(key), "%s", r->reader->text);
        event = fl_json_next(r->reader);
        take_member(r, key, event);
    }
    if (event == FL_JSON_END)
        return 0;
    if (r->line.event[0] && r->line.value[0])
        return fl_perf_take(r->perf, &r->line);
    fl_intake_note(r->perf->intake, 1, false, "lines without an event, such as derived metrics");
    return 0;
}

int fl_import_perf_json(struct fl_intake *intake, struct fl_json_reader *reader)
{
    struct fl_perf *perf = calloc(1, sizeof(*perf));
    struct reading r = {.perf = perf, .reader = reader};
    enum fl_json_event event;
    int status = 0;

    if (!perf)
        return fl_fail(intake->err, -ENOMEM, "cannot import: out of memory");
    perf->intake = intake;
    snprintf(intake->program, sizeof(intake->program), SOURCE);
    while (!status && (event = fl_json_next(reader)) != FL_JSON_END)
        status = event == FL_JSON_OBJECT ? read_line(&r) : 0;
    if (!status)
        status = fl_perf_end(perf);
    free(perf);
    return status;
}
