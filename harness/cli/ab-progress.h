/* SPDX-License-Identifier: Apache-2.0 */
/* Progress of an A/B run on stderr: what is predicted, then how many cells are decided. */
#ifndef FL_AB_PROGRESS_H
#define FL_AB_PROGRESS_H

#include "progress.h"
#include "runner/ab.h"

struct fl_ab_view {
    struct fl_progress_view view;
    struct fl_progress common; /* its slots */
    const char *what;          /* `A/B run` */
    size_t counted;            /* samples so far */
    bool timing;               /* the timed rounds have begun */
};

void fl_ab_progress_init(struct fl_ab_view *view, const char *what, bool quiet,
                         struct fl_ab_progress *progress);

/* Ends the line of a bar. */
void fl_ab_progress_end(struct fl_ab_view *view);

#endif
