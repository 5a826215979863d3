/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker's messages, one a line. Whatever it says, a window has a length that can be divided by,
 * and what is kept has a name. (A scale that is no number is the store's to refuse, with a reason.)
 */
#include <math.h>

#include "fuzz.h"
#include "runner/report.h"

static void check(const struct fl_report *report)
{
    FL_FUZZ_HOLDS(report->calls >= 0);
    FL_FUZZ_HOLDS(isfinite(report->window_ns) && report->window_ns >= 0);
    FL_FUZZ_HOLDS(report->metric_count <= FL_REPORT_METRICS);
    for (size_t i = 0; i < report->metric_count; i++)
        FL_FUZZ_HOLDS(report->metrics[i].name[0]);
    for (size_t i = 0; i < report->facts.count; i++)
        FL_FUZZ_HOLDS(report->facts.items[i].name[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_report *report = calloc(1, sizeof *report);
    char *text = fl_fuzz_text(data, size), *line = text;
    FL_FUZZ_HOLDS(report != NULL);
    while (line) {
        char *newline = strchr(line, '\n');
        if (newline)
            *newline++ = 0;
        fl_report_line(report, line);
        line = newline;
    }
    check(report);
    free(text);
    free(report);
    return 0;
}
