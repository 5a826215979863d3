/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sequential: when the pairs of a cell have said enough, and what they said.
 *
 * A loss is log(head / base) of a pair, its negative where more is better: above 0, the head is
 * worse. Pairs are looked at when there are 16, 24, 36, 54, 80, 120, 180, 270, 400 and 600 of them:
 *
 * - A candidate for an alarm where a loss up to `tolerance` would look so bad with a chance of at
 *   most 0.01 / planned * w[k] at look k, w[k] in proportion to k^-1.1 and 1 in sum. So over all
 *   looks and planned tests, one that has lost no more becomes a candidate once in a hundred runs.
 * - Pass where a loss of `detect` would look so good with a chance of at most 0.002.
 * - A candidate is confirmed by pairs that came after it alone: c = half of those it had, at least
 *   16 and at most 100, looked at when there are c, 2 c and 4 c. Regression at a chance of at most
 *   0.05 / 3, pass as above; after the last look, inconclusive.
 *
 * Both sides of a pair ran in random order, which makes losses symmetric about their centre;
 * nothing else is supposed of them. Between the thresholds nothing is promised.
 *
 * Pure functions: the same pairs give the same answer while a run goes on and in its store later.
 */
#ifndef RESULTS_SEQUENTIAL_H
#define RESULTS_SEQUENTIAL_H

#include <stdbool.h>
#include <stddef.h>

#include "faultline/error.h"

#define FL_SEQUENTIAL_LOOKS 10
#define FL_SEQUENTIAL_FIRST 16   /* pairs at the first look */
#define FL_SEQUENTIAL_MOST  1000 /* pairs that can ever be used: 600, and 400 to confirm */

struct fl_sequential_rule {
    double tolerance, detect; /* percent; 0 <= tolerance < detect */
    size_t planned;           /* tests that share the chance of a false alarm, at least 1 */
};

enum fl_sequential_state {
    FL_SEQUENTIAL_UNDECIDED, /* more pairs are needed: see next */
    FL_SEQUENTIAL_PASS,
    FL_SEQUENTIAL_REGRESSION,
    FL_SEQUENTIAL_INCONCLUSIVE, /* all looks are made, and none decided */
};

struct fl_sequential {
    enum fl_sequential_state state;
    size_t candidate; /* pairs when it became a candidate for an alarm; 0: it did not */
    size_t looks;     /* made, those of the confirmation included */
    size_t from;      /* the last look's pairs are from .. used - 1; from is `candidate` or 0 */
    size_t used;      /* 0: no look was made */
    size_t next;      /* pairs at which more can be decided; 0: never */
    double level;     /* an alarm of the last look needs a `worse` of at most this */
    double worse;     /* chance of the last look's pairs where the loss is the tolerance or less */
    double miss;      /* and where it is `detect` or more; at most 0.002 passes */
};

/*
 * The losses are in the order of their rounds; those behind the decision are not looked at.
 * 0; -EINVAL: a rule as it must not be, or a loss that is not finite; -ENOMEM.
 */
int fl_sequential_judge(const struct fl_sequential_rule *rule, const double *losses, size_t count,
                        struct fl_sequential *out) FL_MUST_CHECK;

/* As fl_sequential_judge(), of losses in any unit: counts, whose base may be 0. */
struct fl_sequential_limits {
    double tolerance, detect; /* in the unit of the losses; 0 <= tolerance < detect */
    size_t planned;
};
int fl_sequential_judge_within(const struct fl_sequential_limits *limits, const double *losses,
                               size_t count, struct fl_sequential *out) FL_MUST_CHECK;

/* Pairs at look `look`, from 0 to FL_SEQUENTIAL_LOOKS - 1. */
size_t fl_sequential_pairs(size_t look);

/* What the last look knows about the loss, in the unit of the losses: `at_least` at its level, so
 * above the tolerance where it alarms; `at_most` at 0.2 %, so below `detect` where it passes. */
struct fl_sequential_bounds {
    double at_least, at_most; /* -INFINITY and INFINITY: no bound; NAN: no look was made */
};

/* Of the same losses. 0 or -ENOMEM. Cost: sorts them. */
int fl_sequential_bound(const double *losses, const struct fl_sequential *judged,
                        struct fl_sequential_bounds *out) FL_MUST_CHECK;

#endif
