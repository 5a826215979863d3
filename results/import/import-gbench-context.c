/* SPDX-License-Identifier: Apache-2.0 */
/* The context of Google Benchmark's JSON: where and by which library it was measured. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import-gbench.h"
#include "results/meaning.h"

#define TEXT_MAX 512

/* What tells machines apart. Frequencies and loads are those of a moment. */
static bool is_of_machine(const char *name)
{
    return strcmp(name, "host_name") == 0 || strcmp(name, "num_cpus") == 0 ||
           strcmp(name, "caches") == 0;
}

static void add(char *out, const char *text)
{
    size_t used = strlen(out);

    snprintf(out + used, TEXT_MAX - used, "%s%s", used ? " " : "", text);
}

/* Lists and what is in them, as words: `Data 1 32768 2 Unified 2 1048576 2`. */
static void read_words(struct fl_json_reader *reader, enum fl_json_event event, char *out)
{
    size_t depth = reader->depth;

    out[0] = '\0';
    if (event == FL_JSON_STRING || event == FL_JSON_NUMBER)
        snprintf(out, TEXT_MAX, "%s", reader->text);
    else if (event == FL_JSON_TRUE || event == FL_JSON_FALSE)
        snprintf(out, TEXT_MAX, "%s", event == FL_JSON_TRUE ? "true" : "false");
    if (event != FL_JSON_OBJECT && event != FL_JSON_ARRAY)
        return;
    while (reader->depth >= depth && (event = fl_json_next(reader)) != FL_JSON_END)
        if (event == FL_JSON_STRING || event == FL_JSON_NUMBER)
            add(out, reader->text);
}

/* Custom keys stand behind the library's and may have their names: the first one stays. */
static void keep(struct fl_gbench *g, struct fl_facts *facts, const char *name, const char *value)
{
    if (fl_facts_get(facts, name))
        fl_intake_note(g->intake, 1, true, "keys of the context beside another, '%.80s'", name);
    else if (fl_facts_set(facts, name, "%s", value))
        fl_intake_note(g->intake, 1, true, "keys of the context beyond %d", FL_FACTS_MAX);
}

static void take(struct fl_gbench *g, const char *name, const char *value)
{
    struct fl_intake *intake = g->intake;
    bool again = fl_facts_get(&intake->environment, name) != NULL;

    keep(g, &intake->environment, name, value);
    if (again)
        return;
    if (is_of_machine(name))
        keep(g, &intake->machine, name, value);
    if (strcmp(name, "host_name") == 0 && !intake->round)
        snprintf(intake->host, sizeof(intake->host), "%s", value);
    else if (strcmp(name, "executable") == 0)
        fl_intake_program(intake, value);
    else if (strcmp(name, "library_build_type") == 0 && !intake->round)
        snprintf(intake->build, sizeof(intake->build), "library: %s", value);
    else if (strcmp(name, "library_version") == 0)
        snprintf(g->library_version, sizeof(g->library_version), "%s", value);
    else if (strcmp(name, "date") == 0)
        intake->started_ns = fl_intake_time(value);
}

void fl_gbench_begin_context(struct fl_gbench *g)
{
    g->has_context = false;
    g->library_version[0] = g->last_name[0] = '\0';
    g->intake->environment = (struct fl_facts){.count = 0};
    g->intake->machine = (struct fl_facts){.count = 0};
    g->intake->started_ns = 0;
}

void fl_gbench_read_context(struct fl_gbench *g)
{
    char name[FL_INTAKE_NAME], value[TEXT_MAX];
    struct fl_intake *intake = g->intake;

    while (fl_json_next(g->reader) == FL_JSON_KEY) {
        snprintf(name, sizeof(name), "%s", g->reader->text);
        enum fl_json_event event = fl_json_next(g->reader);
        if (event == FL_JSON_END)
            break;
        read_words(g->reader, event, value);
        take(g, name, value);
    }
    g->has_context = true;
    if (!intake->round)
        snprintf(intake->program, sizeof(intake->program), "Google Benchmark %s",
                 g->library_version[0] ? g->library_version : "1.8.3 or older");
}

/* ---- what numbers of several threads mean ---- */

const char *fl_gbench_time_meaning(const struct fl_gbench *g)
{
    return g->has_context ? fl_meaning_of_time(g->library_version) : FL_MEANING_UNKNOWN;
}

const char *fl_gbench_rate_meaning(const struct fl_gbench *g)
{
    return g->has_context ? fl_meaning_of_rate(g->library_version) : FL_MEANING_UNKNOWN;
}
