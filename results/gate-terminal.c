/* SPDX-License-Identifier: Apache-2.0 */
/* A gate for a terminal or the log of a CI server. */
#include "page.h"
#include "results/gate-formats.h"

static void print_finding(void *arg, const struct fl_gate_finding *finding)
{
    struct fl_page *page = arg;

    fprintf(page->out, "%s: %s\n  %s\n", fl_gate_severity_name(finding->severity),
            fl_page_safe(page, finding->title), fl_page_safe(page, finding->message));
    if (finding->place.file)
        fprintf(page->out, "  at %s:%d\n", fl_page_safe(page, finding->place.file),
                finding->place.line);
    if (finding->command)
        fprintf(page->out, "  again: %s\n", fl_page_safe(page, finding->command));
}

static void print_severity(struct fl_page *page, const struct fl_gate *gate,
                           enum fl_gate_severity severity)
{
    size_t left = fl_gate_each_shown(gate, severity, print_finding, page);

    if (left)
        fprintf(page->out, "%s: and %zu more\n", fl_gate_severity_name(severity), left);
}

int fl_gate_print_terminal(const struct fl_gate *gate, FILE *out, struct fl_err *err)
{
    struct fl_page page = {.out = out, .err = err};

    fl_page_begin(&page, gate->compare->title, "");
    for (int severity = FL_GATE_ERROR; severity <= FL_GATE_NOTICE; severity++)
        print_severity(&page, gate, (enum fl_gate_severity)severity);
    if (gate->compare->warning)
        fprintf(out, "%s\n", fl_page_safe(&page, gate->compare->warning));
    fprintf(out, "gate: %s\n", fl_page_safe(&page, gate->summary));
    return fl_page_end(&page, 0);
}
