/* SPDX-License-Identifier: Apache-2.0 */
/* hyperfine's JSON, all versions: one cell a command, its runs as repetitions. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "intake.h"

#define SOURCE "hyperfine"

enum { TIMES, MEMORY, CODES, LISTS };

struct list {
    double values[FL_INTAKE_GROUP]; /* NAN: null */
    size_t count;
};

struct command {
    char name[FL_INTAKE_TEXT];
    bool cut;
    double mean, median, user, system;
    bool has_mean, has_median, has_user, has_system;
    char parameters[FL_INTAKE_LEVELS][2][256];
    size_t parameter_count;
    struct list lists[LISTS];
};

struct hyperfine {
    struct fl_intake *intake;
    struct fl_json_reader *reader;
    size_t times, user, system, memory; /* places of metrics */
    struct command command;
    struct fl_intake_row row;
};

static int find_metrics(struct hyperfine *h)
{
    static const struct fl_metric metrics[] = {
        {"times", "s", "wall time of the command", SOURCE, FL_METRIC_TIMED, FL_LESS_IS_BETTER,
         FL_IN_EVERY_SAMPLE, true},
        {"user", "s", "processor time in user mode, mean of the runs", SOURCE, FL_METRIC_TIMED,
         FL_LESS_IS_BETTER, FL_IN_EVERY_SAMPLE, true},
        {"system", "s", "processor time in the kernel, mean of the runs", SOURCE, FL_METRIC_TIMED,
         FL_LESS_IS_BETTER, FL_IN_EVERY_SAMPLE, true},
        {"memory_usage_byte", "B", "most memory resident", SOURCE, FL_METRIC_LEVEL,
         FL_LESS_IS_BETTER, FL_IN_EVERY_SAMPLE, true},
    };
    size_t *const places[] = {&h->times, &h->user, &h->system, &h->memory};
    int status = 0;

    /* Of a command that never waits for the kernel, a time of 0 in it is a time. */
    for (size_t i = 0; i < 4 && !status; i++)
        status = fl_intake_metric(h->intake, &metrics[i], i == 0, places[i]);
    return status;
}

/* ---- reading ---- */

static void read_list(struct hyperfine *h, struct list *list)
{
    enum fl_json_event event;

    list->count = 0;
    while ((event = fl_json_next(h->reader)) != FL_JSON_ARRAY_END && event != FL_JSON_END) {
        bool number = event == FL_JSON_NUMBER;
        fl_json_skip(h->reader, event);
        if (list->count < FL_INTAKE_GROUP)
            list->values[list->count++] = number ? h->reader->number.real : (double)NAN;
        else
            fl_intake_note(h->intake, 1, true, "runs of one command beyond %d", FL_INTAKE_GROUP);
    }
}

static void add_parameter(struct hyperfine *h, const char *name, const char *value)
{
    struct command *c = &h->command;

    if (c->parameter_count == FL_INTAKE_LEVELS - 1) {
        fl_intake_note(h->intake, 1, true, "parameters of one command beyond %d",
                       FL_INTAKE_LEVELS - 1);
        return;
    }
    snprintf(c->parameters[c->parameter_count][0], sizeof(c->parameters[0][0]), "%s", name);
    snprintf(c->parameters[c->parameter_count++][1], sizeof(c->parameters[0][1]), "%s", value);
}

static void read_parameters(struct hyperfine *h)
{
    char name[256];

    while (fl_json_next(h->reader) == FL_JSON_KEY) {
        snprintf(name, sizeof(name), "%s", h->reader->text);
        enum fl_json_event event = fl_json_next(h->reader);
        if (event == FL_JSON_STRING || event == FL_JSON_NUMBER)
            add_parameter(h, name, h->reader->text);
        else
            fl_json_skip(h->reader, event);
    }
}

static bool take_number(struct hyperfine *h, const char *key)
{
    struct command *c = &h->command;
    const struct {
        const char *key;
        double *value;
        bool *has;
    } numbers[] = {
        {"mean", &c->mean, &c->has_mean},
        {"median", &c->median, &c->has_median},
        {"user", &c->user, &c->has_user},
        {"system", &c->system, &c->has_system},
    };

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (strcmp(key, numbers[i].key) != 0)
            continue;
        if (*numbers[i].has)
            fl_intake_note(h->intake, 1, true, "fields beside another, '%s'", key);
        else
            *numbers[i].value = h->reader->number.real;
        *numbers[i].has = true;
        return true;
    }
    return false;
}

static bool take_list(struct hyperfine *h, const char *key)
{
    static const char *const names[LISTS] = {"times", "memory_usage_byte", "exit_codes"};

    for (size_t i = 0; i < LISTS; i++) {
        if (strcmp(key, names[i]) != 0)
            continue;
        read_list(h, &h->command.lists[i]);
        return true;
    }
    return false;
}

/* Sums of the runs beside their list say nothing new. */
static bool is_sum(const char *key)
{
    return strcmp(key, "stddev") == 0 || strcmp(key, "min") == 0 || strcmp(key, "max") == 0;
}

static void take_member(struct hyperfine *h, const char *key, enum fl_json_event event)
{
    struct command *c = &h->command;

    if (event == FL_JSON_STRING && strcmp(key, "command") == 0 && !c->name[0]) {
        snprintf(c->name, sizeof(c->name), "%s", h->reader->text);
        c->cut = h->reader->length >= sizeof(c->name);
    } else if (event == FL_JSON_STRING && strcmp(key, "parameter") == 0) {
        add_parameter(h, key, h->reader->text); /* 1.6 to 1.10 */
    } else if (event == FL_JSON_OBJECT && strcmp(key, "parameters") == 0) {
        read_parameters(h);
    } else if (!(event == FL_JSON_ARRAY && take_list(h, key)) &&
               !(event == FL_JSON_NUMBER && take_number(h, key))) {
        if (!is_sum(key) && event != FL_JSON_NULL)
            fl_intake_note(h->intake, 1, false, "fields of no known meaning, '%.80s'", key);
        fl_json_skip(h->reader, event);
    }
}

/* 1: whole; 0: the file ended in it. */
static int read_command(struct hyperfine *h)
{
    char key[64];
    enum fl_json_event event;
    struct command *c = &h->command;

    c->name[0] = '\0';
    c->cut = c->has_mean = c->has_median = c->has_user = c->has_system = false;
    c->parameter_count = 0;
    for (size_t i = 0; i < LISTS; i++)
        c->lists[i].count = 0;
    while ((event = fl_json_next(h->reader)) == FL_JSON_KEY) {
        snprintf(key, sizeof(key), "%s", h->reader->text);
        event = fl_json_next(h->reader);
        if (event == FL_JSON_END)
            return 0;
        take_member(h, key, event);
    }
    return event == FL_JSON_OBJECT_END;
}

/* ---- handing over ---- */

/* A parameter is a factor where its name can be one, and a fact where it can't. */
static bool is_factor(const struct command *c, size_t parameter)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const char *name = c->parameters[parameter][0];

    if (!*name || name[strspn(name, letters)] || strcmp(name, "benchmark") == 0)
        return false;
    for (size_t i = 0; i < parameter; i++)
        if (strcmp(c->parameters[i][0], name) == 0)
            return false;
    return true;
}

static int choose_cell(struct hyperfine *h)
{
    const struct command *c = &h->command;
    struct fl_stored_level levels[FL_INTAKE_LEVELS] = {{"benchmark", c->name, false}};
    size_t count = 1;

    for (size_t i = 0; i < c->parameter_count; i++)
        if (is_factor(c, i))
            levels[count++] =
                (struct fl_stored_level){c->parameters[i][0], c->parameters[i][1], false};
    return fl_intake_cell(h->intake, levels, count);
}

/* What is known of the command as a whole goes with its first row. */
static void begin_row(struct hyperfine *h, size_t run)
{
    const struct command *c = &h->command;
    const struct list *codes = &c->lists[CODES];
    char reason[64], name[280];

    fl_intake_begin_row(&h->row);
    h->row.calls = 1;
    for (size_t i = 0; i < c->parameter_count && !run; i++) {
        snprintf(name, sizeof(name), "parameter %s", c->parameters[i][0]);
        if (!is_factor(c, i))
            fl_intake_fact(h->intake, &h->row, name, c->parameters[i][1]);
    }
    if (c->has_user && !run)
        (void)fl_intake_value(&h->row, h->user, c->user);
    if (c->has_system && !run)
        (void)fl_intake_value(&h->row, h->system, c->system);
    if (run >= codes->count || codes->values[run] == 0)
        return;
    if (isnan(codes->values[run]))
        snprintf(reason, sizeof(reason), "killed by a signal");
    else
        snprintf(reason, sizeof(reason), "exit code %.0f", codes->values[run]);
    fl_intake_fail(h->intake, &h->row, reason);
}

static int add_runs(struct hyperfine *h)
{
    const struct list *times = &h->command.lists[TIMES], *memory = &h->command.lists[MEMORY];
    int status = 0;

    for (size_t i = 0; i < times->count && !status; i++) {
        begin_row(h, i);
        (void)fl_intake_value(&h->row, h->times, times->values[i]);
        if (i < memory->count)
            (void)fl_intake_value(&h->row, h->memory, memory->values[i]);
        status = fl_intake_add(h->intake, &h->row);
    }
    return status;
}

static int add_sum(struct hyperfine *h)
{
    const struct command *c = &h->command;

    if (!c->has_median && !c->has_mean) {
        fl_intake_note(h->intake, 1, true, "commands without a time");
        return 0;
    }
    size_t run = 0;
    while (run + 1 < c->lists[CODES].count && c->lists[CODES].values[run] == 0)
        run++;
    begin_row(h, run);
    snprintf(h->row.aggregate, sizeof(h->row.aggregate), c->has_median ? "median" : "mean");
    (void)fl_intake_value(&h->row, h->times, c->has_median ? c->median : c->mean);
    return fl_intake_add(h->intake, &h->row);
}

static int take_command(struct hyperfine *h)
{
    if (!h->command.name[0] || h->command.cut) {
        fl_intake_note(h->intake, 1, true, "commands without a name, or with one too long");
        return 0;
    }
    int status = choose_cell(h);
    if (status == -E2BIG) {
        fl_intake_note(h->intake, 1, true, "commands without a name, or with one too long");
        return 0;
    }
    if (status)
        return status;
    return h->command.lists[TIMES].count ? add_runs(h) : add_sum(h);
}

/* ---- documents ---- */

static int read_commands(struct hyperfine *h)
{
    enum fl_json_event event;
    int status = 0;

    while (!status && (event = fl_json_next(h->reader)) != FL_JSON_ARRAY_END &&
           event != FL_JSON_END) {
        if (event != FL_JSON_OBJECT)
            fl_json_skip(h->reader, event);
        else if (read_command(h))
            status = take_command(h);
    }
    return status;
}

static int read_document(struct hyperfine *h)
{
    int status = 0;

    while (!status && fl_json_next(h->reader) == FL_JSON_KEY) {
        bool results = strcmp(h->reader->text, "results") == 0;
        enum fl_json_event event = fl_json_next(h->reader);
        if (results && event == FL_JSON_ARRAY)
            status = read_commands(h);
        else
            fl_json_skip(h->reader, event);
    }
    return status ? status : fl_intake_end_round(h->intake);
}

int fl_import_hyperfine(struct fl_intake *intake, struct fl_json_reader *reader)
{
    struct hyperfine *h = calloc(1, sizeof(*h));
    enum fl_json_event event;

    if (!h)
        return fl_fail(intake->err, -ENOMEM, "cannot import: out of memory");
    h->intake = intake;
    h->reader = reader;
    snprintf(intake->program, sizeof(intake->program), SOURCE);
    int status = find_metrics(h);
    while (!status && (event = fl_json_next(reader)) != FL_JSON_END)
        status = event == FL_JSON_OBJECT ? read_document(h) : 0;
    free(h);
    return status;
}
