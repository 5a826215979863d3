/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Report: what one worker said, gathered from its messages (worker/message.h), which come from a
 * process that may have been corrupted: unknown or malformed lines are ignored, and a report
 * without an outcome is a crash.
 */
#ifndef FL_REPORT_H
#define FL_REPORT_H

#include <stdint.h>

#include "faultline/counter.h"
#include "faultline/facts.h"

#define FL_REPORT_METRICS 64

struct fl_report_metric {
    char name[128];
    enum fl_reading_state state;
    int64_t total;
    double scale;
    bool is_ratio; /* `ratio` instead of a total */
    double ratio;
    char reason[FL_ERR_MAX + 128]; /* two counters' reasons may be joined in one */
};

enum fl_report_outcome {
    FL_REPORT_NONE,
    FL_REPORT_OK,
    FL_REPORT_UNAVAILABLE,
    FL_REPORT_WRONG_RESULT,
    FL_REPORT_FAILED,
};

/* A zeroed struct is a report in which nothing has been said. */
struct fl_report {
    char phase[16]; /* last one begun */
    struct fl_facts facts;
    int64_t calls;    /* in the window; 0: the window was not reached */
    int64_t runs;     /* of the kernel, which made those calls */
    double window_ns; /* wall time of all of them */
    struct fl_report_metric metrics[FL_REPORT_METRICS];
    size_t metric_count;
    enum fl_report_outcome outcome;
    char reason[FL_ERR_MAX];
};

/* Takes one message; for struct fl_child's `line`, with the report as its argument. */
void fl_report_line(void *report, char *line);

#endif
