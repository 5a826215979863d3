/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Google Benchmark's JSON, 1.0 to 1.9: entries of `benchmarks`. import-gbench-context.c reads
 * `context`.
 *
 * A field is told by its name and its type, the first of a name wins: fields stand in front of
 * counters, which may be called like one. Counters of unknown meaning are kept and not judged.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import-gbench.h"

/* ---- fields ---- */

enum field_kind { TEXT, NUMBER, FLAG };

struct field {
    const char *name;
    enum field_kind kind;
    size_t offset; /* in struct fl_gbench_entry */
    size_t size;   /* of text */
};

#define TEXT_FIELD(member)                                                                         \
    {                                                                                              \
#member, TEXT, offsetof(struct fl_gbench_entry, member),                                   \
            sizeof(((struct fl_gbench_entry *)0)->member)                                          \
    }
#define NUMBER_FIELD(member)                                                                       \
    {                                                                                              \
#member, NUMBER, offsetof(struct fl_gbench_entry, member), 0                               \
    }
#define FLAG_FIELD(member)                                                                         \
    {                                                                                              \
#member, FLAG, offsetof(struct fl_gbench_entry, member), 0                                 \
    }

/* In the order in which they are written, so that the next one is nearly always the right one. */
static const struct field fields[] = {
    TEXT_FIELD(name),
    NUMBER_FIELD(family_index),
    NUMBER_FIELD(per_family_instance_index),
    TEXT_FIELD(run_name),
    TEXT_FIELD(run_type),
    NUMBER_FIELD(repetitions),
    NUMBER_FIELD(repetition_index),
    NUMBER_FIELD(threads),
    TEXT_FIELD(aggregate_name),
    TEXT_FIELD(aggregate_unit),
    FLAG_FIELD(error_occurred),
    TEXT_FIELD(error_message),
    FLAG_FIELD(skipped),
    TEXT_FIELD(skip_message),
    NUMBER_FIELD(iterations),
    NUMBER_FIELD(real_time),
    NUMBER_FIELD(cpu_time),
    TEXT_FIELD(big_o),
    TEXT_FIELD(time_unit),
    TEXT_FIELD(label),
};
#define FIELDS (sizeof(fields) / sizeof(fields[0]))
_Static_assert(FIELDS < 32, "a bit for each in fl_gbench_entry.seen");

static size_t find_field(const char *name, size_t from)
{
    for (size_t i = 0; i < FIELDS; i++) {
        size_t at = from + i < FIELDS ? from + i : from + i - FIELDS;
        if (strcmp(fields[at].name, name) == 0)
            return at;
    }
    return FIELDS;
}

static bool fits(enum field_kind kind, enum fl_json_event event)
{
    if (kind == TEXT)
        return event == FL_JSON_STRING;
    return kind == FLAG ? event == FL_JSON_TRUE || event == FL_JSON_FALSE : event == FL_JSON_NUMBER;
}

/* A locale that groups digits by a point makes 1.234 of 1234: iterations are whole. */
static struct fl_json_number whole(struct fl_json_number number)
{
    if (number.is_integer || !(number.real > 0 && number.real < 1e15))
        return number;
    int64_t nearest = (int64_t)number.real;
    if ((double)nearest < number.real)
        nearest = (int64_t)(number.real * 1000 + 0.5);
    return (struct fl_json_number){true, nearest, (double)nearest};
}

static void set_field(struct fl_gbench *g, const struct field *field, enum fl_json_event event)
{
    struct fl_gbench_entry *entry = &g->entry;
    char *at = (char *)entry + field->offset;
    size_t length = g->reader->length;

    if (field->kind == FLAG) {
        *(bool *)at = event == FL_JSON_TRUE;
    } else if (field->kind == NUMBER) {
        *(struct fl_json_number *)at = g->reader->number;
    } else {
        if (length >= field->size)
            length = field->size - 1;
        memcpy(at, g->reader->text, length);
        at[length] = '\0';
        entry->cut |= field->size == FL_GBENCH_NAME && length < g->reader->length;
    }
}

static int take_counter(struct fl_gbench *g, const char *name, double value)
{
    size_t place;
    int status = fl_gbench_metric(g, name, &place);

    if (status || place == SIZE_MAX)
        return status;
    if (!fl_intake_value(&g->row, place, value))
        fl_intake_note(g->intake, 1, true, "values beside another of the same name, '%.80s'", name);
    return 0;
}

/* The value of a key; `next` is the field that is expected, and moves on. */
static int take_member(struct fl_gbench *g, const char *name, enum fl_json_event event,
                       size_t *next)
{
    struct fl_gbench_entry *entry = &g->entry;
    size_t at = find_field(name, *next);

    if (at < FIELDS && fits(fields[at].kind, event)) {
        *next = at + 1 < FIELDS ? at + 1 : 0;
        if (entry->seen & (1U << at)) {
            fl_intake_note(g->intake, 1, true,
                           "values beside the field '%.80s', whose name they have", name);
            return 0;
        }
        entry->seen |= 1U << at;
        set_field(g, &fields[at], event);
        return 0;
    }
    if (event == FL_JSON_NUMBER)
        return take_counter(g, name, g->reader->number.real);
    if (event != FL_JSON_NULL)
        fl_intake_note(g->intake, 1, true, "members of entries that are no numbers, '%.80s'", name);
    fl_json_skip(g->reader, event);
    return 0;
}

/* ---- entries ---- */

static void clear_entry(struct fl_gbench_entry *entry)
{
    entry->seen = 0;
    entry->error_occurred = entry->skipped = entry->cut = false;
    for (size_t i = 0; i < FIELDS; i++) {
        char *at = (char *)entry + fields[i].offset;
        if (fields[i].kind == TEXT)
            *at = '\0';
        else if (fields[i].kind == NUMBER)
            *(struct fl_json_number *)at = (struct fl_json_number){.integer = 0};
    }
}

static bool has_field(const struct fl_gbench_entry *entry, size_t offset)
{
    for (size_t i = 0; i < FIELDS; i++)
        if (fields[i].offset == offset)
            return entry->seen & (1U << i);
    return false;
}

static int end_entry(struct fl_gbench *g)
{
    struct fl_gbench_entry *entry = &g->entry;
    bool real = has_field(entry, offsetof(struct fl_gbench_entry, real_time));
    bool cpu = has_field(entry, offsetof(struct fl_gbench_entry, cpu_time));

    entry->iterations = whole(entry->iterations);
    if (real && !fl_intake_value(&g->row, g->real_time, entry->real_time.real))
        real = false;
    if (cpu && !fl_intake_value(&g->row, g->cpu_time, entry->cpu_time.real))
        cpu = false;
    return fl_gbench_take_entry(g, real || cpu);
}

/* A document behind one that was cut off stands where its next entry would. */
static bool is_document(const struct fl_gbench *g, const char *name, enum fl_json_event event)
{
    return event == FL_JSON_OBJECT && strcmp(name, "context") == 0 && !g->entry.seen &&
           !g->row.count;
}

static int read_rest(struct fl_gbench *g);

/* From behind the brace of its context on. The rows of the one that was cut off are a round. */
static int read_next_document(struct fl_gbench *g)
{
    int status = fl_intake_end_round(g->intake);

    if (status)
        return status;
    fl_intake_note(g->intake, 1, true, "documents cut off, with another behind them");
    fl_gbench_begin_context(g);
    fl_gbench_read_context(g);
    return read_rest(g);
}

/* 1: whole; 0: nothing of it is to be kept; -errno. */
static int read_entry(struct fl_gbench *g)
{
    char name[FL_INTAKE_NAME];
    enum fl_json_event event;
    size_t next = 0;
    int status = 0;

    clear_entry(&g->entry);
    fl_intake_begin_row(&g->row);
    while ((event = fl_json_next(g->reader)) == FL_JSON_KEY) {
        bool cut = g->reader->length >= sizeof(name);
        snprintf(name, sizeof(name), "%s", g->reader->text);
        event = fl_json_next(g->reader);
        if (event == FL_JSON_END)
            return 0;
        if (is_document(g, name, event))
            return read_next_document(g);
        if (cut) {
            fl_intake_note(g->intake, 1, true, "counters with names longer than %d bytes",
                           FL_INTAKE_NAME - 1);
            fl_json_skip(g->reader, event);
            continue;
        }
        status = take_member(g, name, event, &next);
        if (status)
            return status;
    }
    return event == FL_JSON_OBJECT_END;
}

static int read_entries(struct fl_gbench *g)
{
    enum fl_json_event event;
    int status = fl_gbench_metric(g, "real_time", &g->real_time);

    if (!status)
        status = fl_gbench_metric(g, "cpu_time", &g->cpu_time);
    if (status)
        return status;
    while ((event = fl_json_next(g->reader)) != FL_JSON_ARRAY_END && event != FL_JSON_END) {
        if (event != FL_JSON_OBJECT) {
            fl_json_skip(g->reader, event);
            continue;
        }
        status = read_entry(g);
        if (status > 0)
            status = end_entry(g);
        if (status)
            return status;
    }
    return 0;
}

/* ---- documents ---- */

static int read_rest(struct fl_gbench *g)
{
    int status = 0;

    while (!status && fl_json_next(g->reader) == FL_JSON_KEY) {
        bool context = strcmp(g->reader->text, "context") == 0;
        bool benchmarks = strcmp(g->reader->text, "benchmarks") == 0;
        enum fl_json_event event = fl_json_next(g->reader);
        if (context && event == FL_JSON_OBJECT)
            fl_gbench_read_context(g);
        else if (benchmarks && event == FL_JSON_ARRAY)
            status = read_entries(g);
        else
            fl_json_skip(g->reader, event);
    }
    return status ? status : fl_intake_end_round(g->intake);
}

static int read_document(struct fl_gbench *g)
{
    fl_gbench_begin_context(g);
    return read_rest(g);
}

int fl_import_gbench(struct fl_intake *intake, struct fl_json_reader *reader)
{
    struct fl_gbench *g = calloc(1, sizeof(*g));
    enum fl_json_event event;
    int status = 0;

    if (!g)
        return fl_fail(intake->err, -ENOMEM, "cannot import: out of memory");
    g->intake = intake;
    g->reader = reader;
    while (!status && (event = fl_json_next(reader)) != FL_JSON_END)
        status = event == FL_JSON_OBJECT ? read_document(g) : 0;
    free(g);
    return status;
}
