/* SPDX-License-Identifier: Apache-2.0 */
/* What both of perf stat's formats come to. Private to the files that read them. */
#ifndef RESULTS_IMPORT_IMPORT_PERF_H
#define RESULTS_IMPORT_IMPORT_PERF_H

#include "intake.h"

/* One line. */
struct fl_perf_line {
    char event[FL_INTAKE_NAME], unit[32];
    char value[64]; /* a number, or why there is none: `<not supported>` */
    bool part;      /* of an event: one interval, processor or socket of several */
    double running; /* percent of the time that the event was counted; 100 or more: all of it */
};

struct fl_perf {
    struct fl_intake *intake;
    struct fl_intake_row row;
    bool begun;
};

/* Adds a line. An event that comes again without being a part of it begins another round. */
int fl_perf_take(struct fl_perf *perf, const struct fl_perf_line *line) FL_MUST_CHECK;
/* Ends what has been begun. */
int fl_perf_end(struct fl_perf *perf) FL_MUST_CHECK;

#endif
