/* SPDX-License-Identifier: Apache-2.0 */
/* A gate as workflow commands of GitHub Actions, which become annotations. */
#include <string.h>

#include "page.h"
#include "results/gate-formats.h"

/* '%' starts an escape, ',' and ':' end a property; line ends are gone already. */
static void put(struct fl_page *page, const char *text, bool property)
{
    for (const char *c = fl_page_safe(page, text); *c; c++)
        if (*c == '%' || (property && strchr(",:", *c)))
            fprintf(page->out, "%%%02X", (unsigned)*c);
        else
            putc(*c, page->out);
}

static void print_finding(void *arg, const struct fl_gate_finding *finding)
{
    struct fl_page *page = arg;

    fprintf(page->out, "::%s ", fl_gate_severity_name(finding->severity));
    if (finding->place.file) {
        fputs("file=", page->out);
        put(page, finding->place.file, true);
        fprintf(page->out, ",line=%d,", finding->place.line);
    }
    fputs("title=", page->out);
    put(page, finding->title, true);
    fputs("::", page->out);
    put(page, finding->message, false);
    if (finding->command) {
        fputs("%0Aagain: ", page->out);
        put(page, finding->command, false);
    }
    putc('\n', page->out);
}

static void print_severity(struct fl_page *page, const struct fl_gate *gate,
                           enum fl_gate_severity severity)
{
    size_t left = fl_gate_each_shown(gate, severity, print_finding, page);

    if (left) {
        fprintf(page->out, "::%s title=and %zu more::", fl_gate_severity_name(severity), left);
        put(page, gate->summary, false);
        putc('\n', page->out);
    }
}

int fl_gate_print_github(const struct fl_gate *gate, FILE *out, struct fl_err *err)
{
    struct fl_page page = {.out = out, .err = err};

    for (int severity = FL_GATE_ERROR; severity <= FL_GATE_NOTICE; severity++)
        print_severity(&page, gate, (enum fl_gate_severity)severity);
    return fl_page_end(&page, 0);
}
