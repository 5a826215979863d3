/* SPDX-License-Identifier: Apache-2.0 */
/* Progress of a run on stderr: a bar with the time left on a terminal, plain lines elsewhere. */
#ifndef FL_PROGRESS_H
#define FL_PROGRESS_H

#include <stdbool.h>

#include "runner/run.h"

struct fl_progress_view {
    bool terminal, quiet;
    double started;     /* seconds, monotonic */
    size_t done_before; /* samples that an earlier process took */
    size_t done, total;
    size_t planned;   /* total when the run began; a search adds to it */
    double last_line; /* when the last plain line was written */
    bool bar_shown;   /* the cursor stands behind a bar */
    bool waiting_told;
    const struct fl_scenario *foretold; /* says at the start how long it takes; NULL: does not */
};

/* `quiet`: nothing but notes and failures. */
void fl_progress_init(struct fl_progress_view *view, bool quiet, struct fl_progress *progress);

/* Seconds, monotonic. */
double fl_progress_now(void);

/* One line where the sample did not go well. */
void fl_progress_tell_sample(struct fl_progress_view *view, const char *key,
                             enum fl_outcome outcome, const char *reason);

/* Is it time for another line? Of a bar it always is. */
bool fl_progress_is_due(struct fl_progress_view *view);

/* `4m10s` */
void fl_progress_duration(double seconds, char *out, size_t size);

/* Ends the line of a bar. */
void fl_progress_end(struct fl_progress_view *view);

#endif
