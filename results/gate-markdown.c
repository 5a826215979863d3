/* SPDX-License-Identifier: Apache-2.0 */
/* A gate as GitHub-flavoured Markdown: names stand in <code>, where nothing is a link or a mention.
 */
#include <ctype.h>
#include <string.h>

#include "page.h"
#include "results/gate-formats.h"

/*
 * All punctuation that Markdown or HTML could take for more becomes a character reference, which
 * never opens or closes anything.
 */
static void put(struct fl_page *page, const char *text)
{
    for (const char *c = fl_page_safe(page, text); *c; c++)
        if (ispunct((unsigned char)*c) && !strchr(",%", *c))
            fprintf(page->out, "&#%d;", *c);
        else
            putc(*c, page->out);
}

static void put_code(struct fl_page *page, const char *text)
{
    fputs("<code>", page->out);
    put(page, text);
    fputs("</code>", page->out);
}

static void print_finding(void *arg, const struct fl_gate_finding *finding)
{
    struct fl_page *page = arg;

    fprintf(page->out, "- **%s**: ", fl_gate_severity_name(finding->severity));
    put_code(page, finding->title);
    fputs("<br>", page->out);
    put_code(page, finding->message);
    if (finding->place.file) {
        fputs("<br>at ", page->out);
        put_code(page, finding->place.file);
        fprintf(page->out, ", line %d", finding->place.line);
    }
    if (finding->command) {
        fputs("<br>again: ", page->out);
        put_code(page, finding->command);
    }
    putc('\n', page->out);
}

static void print_severity(struct fl_page *page, const struct fl_gate *gate,
                           enum fl_gate_severity severity)
{
    size_t left = fl_gate_each_shown(gate, severity, print_finding, page);

    if (left)
        fprintf(page->out, "- **%s**: and %zu more\n", fl_gate_severity_name(severity), left);
}

int fl_gate_print_markdown(const struct fl_gate *gate, FILE *out, struct fl_err *err)
{
    struct fl_page page = {.out = out, .err = err};

    fprintf(out, "### faultline gate: %s\n\n", fl_gate_exit_name(gate->exit));
    put_code(&page, gate->compare->title);
    fputs("<br>\n", out);
    put_code(&page, gate->summary);
    if (gate->compare->warning) {
        fputs("<br>\n", out);
        put_code(&page, gate->compare->warning);
    }
    fputs("\n\n", out);
    for (int severity = FL_GATE_ERROR; severity <= FL_GATE_NOTICE; severity++)
        print_severity(&page, gate, (enum fl_gate_severity)severity);
    return fl_page_end(&page, 0);
}
