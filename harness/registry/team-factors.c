/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of kernels that share their work out: how many threads, how they meet, wait and stand. */
#include <errno.h>
#include <string.h>

#include "faultline/registry.h"
#include "harness-factors.h"

enum { NAMES_MAX = 64 };

/* Every part has its struct fl_part first, so one loop serves all kinds. */
static int unknown_part(struct fl_err *err, const char *kind, const char *level,
                        const void *const *parts)
{
    const char *names[NAMES_MAX] = {NULL};
    for (size_t i = 0; i < NAMES_MAX - 1 && parts[i]; i++)
        names[i] = ((const struct fl_part *)parts[i])->name;
    return fl_unknown_level(kind, level, names, err);
}

static int check_options(const char *kind, const char *level, const char *name,
                         int (*check)(const char *options, struct fl_err *err), struct fl_err *err)
{
    if (check)
        return check(fl_registry_options(level), err);
    return strchr(level, ':') ? fl_fail(err, -EINVAL, "%s '%s' takes no options", kind, name) : 0;
}

static int check_team(const char *level, struct fl_err *err)
{
    if (fl_registry_team(level))
        return 0;
    return unknown_part(err, "team", level, (const void *const *)fl_registry_teams());
}

static int check_barrier(const char *level, struct fl_err *err)
{
    const struct fl_barrier_ops *ops = fl_registry_barrier(level);
    if (!ops)
        return unknown_part(err, "barrier", level, (const void *const *)fl_registry_barriers());
    return check_options("barrier", level, ops->part.name, ops->check, err);
}

static int check_wait(const char *level, struct fl_err *err)
{
    const struct fl_wait_ops *ops = fl_registry_wait(level);
    if (!ops)
        return unknown_part(err, "wait policy", level, (const void *const *)fl_registry_waits());
    return check_options("wait policy", level, ops->part.name, ops->check, err);
}

static const char *const threads_words[] = {"nproc", "2*nproc", NULL};
static const struct fl_factor factor_threads = {
    .name = "threads",
    .summary = "threads of the team, the caller included; nproc: as many as there are processors",
    .type = FL_FACTOR_INT,
    .fallback = "1",
    .min = 1,
    .max = FL_TEAM_THREADS_MAX,
    .words = threads_words,
};

const struct fl_factor fl_factor_team = {
    .name = "team",
    .summary = "whose threads they are: one of `faultline list teams`",
    .type = FL_FACTOR_TEXT,
    .fallback = "persistent",
    .check = check_team,
};

const struct fl_factor fl_factor_barrier = {
    .name = "barrier",
    .summary = "how the threads of a team meet: one of `faultline list barriers`",
    .type = FL_FACTOR_TEXT,
    .fallback = "grouped",
    .check = check_barrier,
};

const struct fl_factor fl_factor_wait = {
    .name = "wait",
    .summary =
        "how a thread waits for others: one of `faultline list waits`; runtime where the barrier "
        "waits by itself",
    .type = FL_FACTOR_TEXT,
    .fallback = "spin-futex",
    .check = check_wait,
};

static const char *const pin_words[] = {"compact", "scatter", "none", NULL};
static const struct fl_factor factor_pin = {
    .name = "pin",
    .summary = "where the threads stand: compact (neighbours share caches), scatter, or none",
    .type = FL_FACTOR_WORD,
    .fallback = "compact",
    .words = pin_words,
};

static const struct fl_factor factor_gap = {
    .name = "gap",
    .summary = "pause of the caller between two calls, which is not timed: 10us, 1ms",
    .type = FL_FACTOR_TIME,
    .fallback = "0",
    .min = 0,
    .max = 1,
};

const struct fl_factor *const fl_team_factors[] = {&factor_threads,
                                                   &fl_factor_team,
                                                   &fl_factor_barrier,
                                                   &fl_factor_wait,
                                                   &factor_pin,
                                                   &factor_gap,
                                                   NULL};
