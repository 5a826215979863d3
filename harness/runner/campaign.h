/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Campaign: the state of a run while it is measured, cell by cell. For run.c and its helpers.
 */
#ifndef FL_CAMPAIGN_H
#define FL_CAMPAIGN_H

#include "runner/plan.h"
#include "runner/run-description.h"
#include "runner/run.h"
#include "runner/sampler.h"
#include "runner/side.h"

/* Counting processes that are started at most until two agree on every exact metric. */
#define FL_COUNTING_MORE 3

struct fl_campaign_cell {
    int64_t id;
    char *unavailable; /* why it is not measured (any more); NULL: it is */
    uint8_t *done;     /* one byte per counting round, then per timed round: stored already */
    /* Exact and set-valued metrics: totals, or the bits of ratios, of its counting samples,
     * [sample][metric]; -1 where not read. */
    int64_t *totals;
    double *times; /* per call, ns, one a timed round; 0 where it has none; NULL: none has */
    int counted;   /* counting samples in `totals` */
    int64_t counted_calls; /* of each of them */
    int extra;             /* counting samples beyond the scenario's, taken because none agreed */
    bool failed;           /* a sample crashed, hung, failed or computed wrongly */
};

struct fl_campaign {
    const struct fl_run_request *request;
    struct fl_side *side; /* where samples come from */
    struct fl_sampler sampler;
    struct fl_plan plan;
    struct fl_campaign_cell *cells; /* plan.count of them */
    size_t *by_id;                  /* places in the plan, ordered by the cells' ids */
    int64_t run;
    uint64_t seed;
    double timed_seconds; /* that the stored timed samples took */
    int more;             /* counting samples kept beyond the scenario's; 0: FL_COUNTING_MORE */
    size_t done, total;   /* samples stored; and with those still to be taken */
    struct fl_run_result *result;
    struct fl_taken taken; /* scratch for one sample */
};

/* What the sampler needs, for all samples. 0, -E2BIG, as fl_store_metric(). */
int fl_campaign_set_up(struct fl_campaign *campaign, const struct fl_run_description *description,
                       struct fl_err *err) FL_MUST_CHECK;

/* Stores the run and its plan. As the store. */
int fl_campaign_begin(struct fl_campaign *campaign, const struct fl_run_description *description,
                      struct fl_err *err) FL_MUST_CHECK;

/* Makes the cells of the plan, with nothing done. 0, -ENOMEM. */
int fl_campaign_make_cells(struct fl_campaign *campaign, struct fl_err *err) FL_MUST_CHECK;

/* One more cell at the end, with nothing done and no id yet. 0, -ENOMEM. */
int fl_campaign_append(struct fl_campaign *campaign, const char *key,
                       struct fl_err *err) FL_MUST_CHECK;

/* Makes fl_campaign_find() work, once all cells have their ids. 0, -ENOMEM. */
int fl_campaign_index(struct fl_campaign *campaign, struct fl_err *err) FL_MUST_CHECK;

/* Place in the plan of the cell with that id in the store; plan.count where there is none. */
size_t fl_campaign_find(const struct fl_campaign *campaign, int64_t id);

/* Takes all samples that are not done. 0, -EINTR when stopped, -errno. */
int fl_campaign_measure(struct fl_campaign *campaign, struct fl_err *err) FL_MUST_CHECK;

/* Takes one timed sample, unless it is done or cannot be. As fl_campaign_measure(). */
int fl_campaign_take_timed(struct fl_campaign *campaign, size_t cell, int round,
                           struct fl_err *err) FL_MUST_CHECK;

struct fl_campaign_task {
    enum fl_sample_mode mode;
    int round;
    int64_t calls;  /* as struct fl_sample_task */
    size_t padding; /* as struct fl_sample_task */
};

/* Takes one sample, stores it and notes it. As fl_campaign_measure(). */
int fl_campaign_take(struct fl_campaign *campaign, size_t cell, const struct fl_campaign_task *what,
                     struct fl_err *err) FL_MUST_CHECK;

/* Takes a timed sample into `taken` that is not stored. As fl_campaign_measure(). */
int fl_campaign_try(struct fl_campaign *campaign, size_t cell, size_t padding,
                    struct fl_err *err) FL_MUST_CHECK;

/* Samples a cell gets: counting rounds and timed ones. */
size_t fl_campaign_rounds(const struct fl_campaign *campaign);

/* Samples of a cell that are still to be taken, those beyond the scenario's rounds apart. */
size_t fl_campaign_left(const struct fl_campaign *campaign, size_t cell);

/* The cell is not measured (any more), for that reason. 0, -ENOMEM. */
int fl_campaign_give_up(struct fl_campaign *campaign, size_t cell,
                        const char *reason) FL_MUST_CHECK;

/* Notes a stored sample (from this process or an earlier one) in the cell's state. 0, -ENOMEM. */
int fl_campaign_note(struct fl_campaign *campaign, size_t cell,
                     const struct fl_sample *row) FL_MUST_CHECK;

void fl_campaign_release(struct fl_campaign *campaign);

#endif
