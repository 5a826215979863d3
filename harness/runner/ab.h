/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A/B run: base and head measured side by side, as two runs of one store that a pairing joins.
 *
 * Counting rounds first, both sides interleaved in random order, as many as the counts need to be
 * judged (results/counts.h). Then timed rounds: the cells in random order, both samples of a cell
 * next to each other in random order, with the same operands and the same number of calls, which a
 * pilot of each side told. Cells are judged while the run goes on (results/sequential.h) and leave
 * when they are decided, once the suite of all is, too. A cell of which a sample failed leaves at
 * once: nothing can make it pass.
 *
 * Bias: both sides run private copies at paths of one length, and every sample gets another length
 * of environment. All that is random comes from the stored seed.
 */
#ifndef FL_AB_H
#define FL_AB_H

#include "results/pairing.h"
#include "runner/run.h"

enum { FL_AB_BASE, FL_AB_HEAD };

/* What is to be expected, before anything is measured. */
struct fl_ab_forecast {
    size_t cells;      /* pairs that can be measured */
    double seconds;    /* that the timed rounds of a head without a loss take */
    size_t calibrated; /* cells whose noise a calibration told; the others are taken for quiet */
};

/* How far the timed rounds are. */
struct fl_ab_standing {
    size_t cells, decided; /* pairs that are timed; of these, decided or failed */
    bool suite;            /* all together: decided */
    int rounds;            /* that all of them have begun */
    double spent, budget;  /* seconds; budget 0: there is none */
};

struct fl_ab_progress {
    struct fl_progress common; /* begin() tells the base's run */
    void (*predicted)(void *arg, const struct fl_ab_forecast *forecast);
    void (*standing)(void *arg, const struct fl_ab_standing *standing);
};

struct fl_ab_request {
    /* One of each side, not shared and changed by the call. The base's [gate] is in force. */
    struct fl_scenario *scenarios[2];
    const char *texts[2];     /* of the sides: runner/side.h */
    const char *build, *shim; /* as struct fl_side_request */
    const char *store; /* path; made where it does not exist, once the sides are known to be good */
    const char *worker, *probe, *lock, *label, *command_line; /* as struct fl_run_request */
    const struct fl_commit *commit; /* that the head is of; NULL: not known */
    uint64_t seed;
    enum fl_pairing_purpose purpose;
    int rounds;    /* timed ones of each pair, whatever they say; 0: as many as it takes */
    double budget; /* seconds for the timed rounds; 0: no limit */
    bool resume;
    const volatile sig_atomic_t *stop;
    const struct fl_ab_progress *progress;
};

struct fl_ab_result {
    int64_t pairing, runs[2];
    size_t cells;       /* pairs */
    size_t unavailable; /* of these, not runnable here on one side or both */
    size_t failed;      /* of which a sample crashed, hung, failed or computed wrongly */
    size_t open;        /* timed, and undecided at the end */
    size_t samples;     /* stored now */
    bool interrupted;
};

/* As fl_run(); also -EINVAL where no cells of the sides are pairs, or a side is not one. */
int fl_ab(const struct fl_ab_request *request, struct fl_ab_result *result,
          struct fl_err *err) FL_MUST_CHECK;

#endif
