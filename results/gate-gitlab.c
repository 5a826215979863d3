/* SPDX-License-Identifier: Apache-2.0 */
/* A gate as GitLab's code quality report, which shows findings beside the lines they are about. */
#include <string.h>

#include "json-pieces.h"
#include "page.h"
#include "results/gate-formats.h"

struct gitlab {
    const struct fl_gate *gate;
    struct fl_json json;
    struct fl_page texts;
    struct json_object *all; /* issues */
};

struct issue {
    enum fl_gate_severity severity;
    const char *description, *check, *cell, *metric;
    struct fl_gate_place place;
};

/* The same finding in another run is the same issue: FNV-1a of cell, metric and verdict. */
static void identify(const struct issue *issue, char out[17])
{
    const char *const parts[] = {issue->cell, issue->metric, issue->check};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k <= strlen(parts[i]); k++)
            hash = (hash ^ (unsigned char)parts[i][k]) * UINT64_C(0x100000001b3);
    snprintf(out, 17, "%016llx", (unsigned long long)hash);
}

static void add(struct gitlab *g, const struct issue *issue)
{
    static const char *const severities[] = {"major", "minor", "info"};
    struct json_object *object = json_object_new_object(), *location = json_object_new_object(),
                       *lines = json_object_new_object();
    char identity[17];

    identify(issue, identity);
    fl_json_text(&g->json, object, "description", issue->description);
    fl_json_text(&g->json, object, "check_name", issue->check);
    fl_json_text(&g->json, object, "fingerprint", identity);
    fl_json_text(&g->json, object, "severity", severities[issue->severity]);
    /* GitLab drops issues without a path. */
    fl_json_text(&g->json, location, "path", issue->place.file ? issue->place.file : "faultline");
    fl_json_integer(&g->json, lines, "begin", issue->place.line > 0 ? issue->place.line : 1);
    fl_json_put(&g->json, location, "lines", lines);
    fl_json_put(&g->json, object, "location", location);
    fl_json_append(&g->json, g->all, object);
}

static void add_finding(void *arg, const struct fl_gate_finding *finding)
{
    struct gitlab *g = arg;
    const char *command = finding->command ? fl_page_safe(&g->texts, finding->command) : "";
    const struct issue issue = {
        finding->severity,
        fl_page_text(&g->texts, "%s: %s%s%s", fl_page_safe(&g->texts, finding->title),
                     fl_page_safe(&g->texts, finding->message), *command ? "; again: " : "",
                     command),
        fl_verdict_name(finding->row->result.verdict),
        finding->row->cell,
        finding->row->metric,
        finding->place,
    };

    add(g, &issue);
}

static void add_severity(struct gitlab *g, enum fl_gate_severity severity)
{
    size_t left = fl_gate_each_shown(g->gate, severity, add_finding, g);

    if (!left)
        return;
    const struct issue more = {severity,
                               fl_page_text(&g->texts, "and %zu more", left),
                               fl_gate_severity_name(severity),
                               "",
                               "",
                               {NULL, 0}};
    add(g, &more);
}

int fl_gate_print_gitlab(const struct fl_gate *gate, FILE *out, struct fl_err *err)
{
    struct gitlab g = {
        .gate = gate, .texts = {.out = out, .err = err}, .all = json_object_new_array()};

    for (int severity = FL_GATE_ERROR; severity <= FL_GATE_NOTICE; severity++)
        add_severity(&g, (enum fl_gate_severity)severity);
    return fl_page_end(&g.texts, fl_json_write(&g.json, g.all, out, err));
}
