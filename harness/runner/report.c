/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the worker's messages. */
#include "runner/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cuts the first word off `*text`; "" at its end. */
static const char *word(char **text)
{
    char *start = *text;
    *text += strcspn(start, " ");
    if (**text)
        *(*text)++ = 0;
    return start;
}

static void take_window(struct fl_report *report, char *rest)
{
    long long calls, runs;
    double ns;
    if (sscanf(rest, "%lld %lf %lld", &calls, &ns, &runs) != 3 || calls < 1 || runs < 1 ||
        !isfinite(ns) || ns < 0)
        return;
    report->calls = calls;
    report->runs = runs;
    report->window_ns = ns;
}

static void take_metric(struct fl_report *report, char *rest)
{
    if (report->metric_count == FL_REPORT_METRICS)
        return;
    struct fl_report_metric *metric = &report->metrics[report->metric_count];
    *metric = (struct fl_report_metric){.scale = 1};
    snprintf(metric->name, sizeof metric->name, "%s", word(&rest));
    if (!metric->name[0])
        return;
    const char *state = word(&rest);
    if (!strcmp(state, "ok")) {
        long long total;
        if (sscanf(rest, "%lld %lf", &total, &metric->scale) != 2)
            return;
        metric->total = total;
    } else if (!strcmp(state, "ratio")) {
        metric->is_ratio = true;
        if (sscanf(rest, "%lf", &metric->ratio) != 1 || !isfinite(metric->ratio))
            return;
    } else {
        metric->state =
            !strcmp(state, "not-observable") ? FL_READING_NOT_OBSERVABLE : FL_READING_UNAVAILABLE;
        snprintf(metric->reason, sizeof metric->reason, "%s", rest);
    }
    report->metric_count++;
}

static void take_outcome(struct fl_report *report, char *rest)
{
    static const struct {
        const char *name;
        enum fl_report_outcome outcome;
    } outcomes[] = {{"ok", FL_REPORT_OK},
                    {"unavailable", FL_REPORT_UNAVAILABLE},
                    {"wrong-result", FL_REPORT_WRONG_RESULT},
                    {"failed", FL_REPORT_FAILED}};
    const char *name = word(&rest);
    for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++)
        if (!strcmp(outcomes[i].name, name))
            report->outcome = outcomes[i].outcome;
    snprintf(report->reason, sizeof report->reason, "%s", rest);
}

void fl_report_line(void *arg, char *line)
{
    struct fl_report *report = arg;
    char *rest = line;
    const char *kind = word(&rest);
    if (!*rest)
        return;
    if (!strcmp(kind, "phase")) {
        snprintf(report->phase, sizeof report->phase, "%s", rest);
    } else if (!strcmp(kind, "fact")) {
        const char *name = word(&rest);
        if (*name)
            fl_facts_set(&report->facts, name, "%s", rest);
    } else if (!strcmp(kind, "window")) {
        take_window(report, rest);
    } else if (!strcmp(kind, "metric")) {
        take_metric(report, rest);
    } else if (!strcmp(kind, "outcome")) {
        take_outcome(report, rest);
    }
}
