/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wait policy `spin-yield`: pauses between looks for the budget, then calls sched_yield between
 * looks. It never sleeps, so nobody needs to wake it; threads that yield to each other show as
 * kernel time. Default budget: 10 us. Option: a time (`spin-yield:50us`; 0 yields at once).
 */
#include <sched.h>

#include "wait-budget.h"
#include "wait-clock.h"

struct spin_yield {
    uint64_t budget_ns;
};

static int spin_yield_open(void *state, const char *options, struct fl_err *err)
{
    struct spin_yield *policy = state;
    policy->budget_ns = 10000;
    return fl_wait_budget_read("spin-yield", options, &policy->budget_ns, err);
}

static int spin_yield_check(const char *options, struct fl_err *err)
{
    uint64_t ns;
    return fl_wait_budget_read("spin-yield", options, &ns, err);
}

static void spin_yield_until(void *state, struct fl_wait_word *word, uint32_t old,
                             struct fl_wait_stat *stat)
{
    const struct spin_yield *policy = state;
    if (fl_wait_spin_for(word, old, policy->budget_ns, stat))
        return;
    uint64_t yields = 0;
    do {
        sched_yield();
        yields++;
    } while (!fl_wait_changed(word, old));
    if (stat) {
        stat->spins += yields;
        stat->sleeps += yields;
    }
}

static uint64_t spin_yield_budget_ns(const void *state)
{
    return ((const struct spin_yield *)state)->budget_ns;
}

const struct fl_wait_ops fl_wait_spin_yield = {
    .part = {.name = "spin-yield",
             .summary = "spins for 10us (or `:TIME`), then sched_yield between looks",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct spin_yield)},
    .check = spin_yield_check,
    .open = spin_yield_open,
    .until = spin_yield_until,
    .budget_ns = spin_yield_budget_ns,
};
