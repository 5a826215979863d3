/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Crossovers: where along one factor the second of two levels becomes the faster one, of a stored
 * run that searched for it, and what a third level predicted.
 *
 * Which of the two is faster at a place is the median of the ratios of their rounds
 * (results/rounds.h). A crossover is given in places along the factor, and in bytes of the kernel's
 * traffic there, which the caller knows. Everything is owned by the struct fl_crossovers. Not
 * thread-safe for one of them.
 */
#ifndef RESULTS_CROSSOVERS_H
#define RESULTS_CROSSOVERS_H

#include <stdio.h>

#include "results/rounds.h"

struct fl_crossover_query {
    const char *search;    /* factor along which it is sought, a number */
    const char *compare;   /* factor of the levels */
    const char *levels[2]; /* the faster one below, and above */
    const char *predictor; /* a third level; "": nothing is predicted */
    const char *predicted; /* fact of its samples, in bytes of traffic */
    double from, to, step; /* ends of the search; neighbours differ by this factor at most */
    /* Bytes of a call of the cell of that key at another level of `search`; 0: unknown. */
    double (*traffic)(void *arg, const char *key, const char *level);
    void *arg;
};

enum fl_crossover_place {
    FL_CROSSOVER_BETWEEN, /* two neighbours */
    FL_CROSSOVER_BELOW,   /* the least place that was measured */
    FL_CROSSOVER_ABOVE,   /* the greatest */
    FL_CROSSOVER_NOWHERE, /* no place has both levels measured */
};

struct fl_crossover {
    const char **levels; /* per varying factor */
    enum fl_crossover_place place;
    double low, high;   /* last place of the first level, first place of the second; 0: none */
    double at, bytes;   /* the crossover, or the place that it is beyond; bytes 0: unknown */
    double predicted;   /* bytes; infinite: never; 0: not predicted */
    size_t points;      /* places with both levels */
    size_t misjudged;   /* of them on the wrong side, as noise puts them */
    const char *reason; /* why it is nowhere, or why nothing was predicted; NULL */
};

struct fl_crossover_loss {
    size_t group;
    double at;               /* place */
    const char *better;      /* of the two levels */
    struct fl_paired paired; /* predictor to the better one */
};

struct fl_crossovers {
    const char *title, *shared;
    const char *search, *first, *second, *predictor, *predicted;
    const char **factors; /* that vary among the groups */
    size_t factor_count;
    double from, to, step;
    struct fl_crossover *groups;
    size_t count;
    struct fl_crossover_loss *losses; /* the worst first */
    size_t loss_count;
    struct fl_arena arena;
};

/*
 * -ENOENT: no such run; -EINVAL: the run has no such factor or no times; else as the store. On
 * failure *out is empty.
 */
int fl_crossovers_read(struct fl_store *store, int64_t run, const struct fl_crossover_query *query,
                       struct fl_crossovers *out, struct fl_err *err) FL_MUST_CHECK;
void fl_crossovers_release(struct fl_crossovers *crossovers);

/* How near a crossover is to its prediction, and what can be said of one out of reach. */
enum fl_crossover_match {
    FL_CROSSOVER_WITHIN,    /* 0.75 to 1.33 */
    FL_CROSSOVER_OUTSIDE,   /* or certainly so, wherever it is */
    FL_CROSSOVER_SAME_SIDE, /* both beyond the same end of the search */
    FL_CROSSOVER_OPEN,      /* beyond an end, and the prediction near it: either may be */
    FL_CROSSOVER_UNMATCHED, /* one of the two is unknown */
};
enum fl_crossover_match fl_crossover_match(const struct fl_crossover *crossover);

/* A row a group, then what the predictor loses. width 0: no limit. -ENOMEM; -errno of a failed
 * write. */
int fl_crossovers_print(const struct fl_crossovers *crossovers, size_t width, FILE *out,
                        struct fl_err *err) FL_MUST_CHECK;

#endif
