/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explain: the experiment that explains a slow cell. The cell, each of its suspects removed by
 * itself, and all memory suspects removed together, as a scenario that names its cells.
 */
#ifndef FL_RUN_EXPLAIN_H
#define FL_RUN_EXPLAIN_H

#include "results/explanation.h"
#include "results/summary.h"
#include "runner/scenario.h"

#define FL_EXPLAIN_SCENARIO                                                                        \
    "explain" /* name of the scenario, by which its runs are known again                           \
               */
#define FL_EXPLAIN_VARIANTS 64

struct fl_explain_plan {
    char key[FL_CELL_KEY_MAX]; /* of the slow cell, canonical */
    struct fl_variant variants[FL_EXPLAIN_VARIANTS];
    size_t count;
    struct fl_arena arena; /* of the variants' keys */
};

/*
 * The suspects of a cell, in their order, each removal that makes another cell; none comes twice.
 * 0; -EINVAL: `cell` is no key of a cell; -ENOMEM. On failure *out is empty.
 */
int fl_explain_plan_make(const char *cell, struct fl_explain_plan *out,
                         struct fl_err *err) FL_MUST_CHECK;
void fl_explain_plan_release(struct fl_explain_plan *plan);

/*
 * Text of the scenario that measures it, which the caller frees: 21 rounds of 20 ms and 50 ms,
 * `time` and the counters of the suspects. 0; -E2BIG: a level is longer than a line; -ENOMEM.
 */
int fl_explain_scenario(const struct fl_explain_plan *plan, char **text,
                        struct fl_err *err) FL_MUST_CHECK;

/*
 * The cell of a run that most asks for an explanation: of the cells that were measured and whose
 * counters name a suspect (one that convicts is above 0, or was not measured), the one that takes
 * longest beside the fastest of the run that differs from it in the levels of suspects alone.
 * Where no counter names any, of all cells measured. Its place in the summary. 0; -ENOENT: no cell
 * was measured; -ENOMEM.
 */
int fl_explain_choose(const struct fl_summary *summary, size_t *cell,
                      struct fl_err *err) FL_MUST_CHECK;

#endif
