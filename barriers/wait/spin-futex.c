/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wait policy `spin-futex`: spins for the budget, then sleeps on the futex. Without an option the
 * budget is what one park and unpark cost here, measured at open: then waiting costs at most twice
 * what it would if the length of the wait were known. Option: a time (`spin-futex:50us`).
 */
#include "futex-call.h"
#include "wait-budget.h"
#include "wait-clock.h"

struct spin_futex {
    uint64_t budget_ns;
};

static int spin_futex_open(void *state, const char *options, struct fl_err *err)
{
    struct spin_futex *policy = state;
    if (!*options)
        policy->budget_ns = fl_wait_park_cost_ns();
    return fl_wait_budget_read("spin-futex", options, &policy->budget_ns, err);
}

static int spin_futex_check(const char *options, struct fl_err *err)
{
    uint64_t ns;
    return fl_wait_budget_read("spin-futex", options, &ns, err);
}

static void spin_futex_until(void *state, struct fl_wait_word *word, uint32_t old,
                             struct fl_wait_stat *stat)
{
    const struct spin_futex *policy = state;
    if (!fl_wait_spin_for(word, old, policy->budget_ns, stat))
        fl_futex_until(word, old, stat);
}

static uint64_t spin_futex_budget_ns(const void *state)
{
    return ((const struct spin_futex *)state)->budget_ns;
}

const struct fl_wait_ops fl_wait_spin_futex = {
    .part = {.name = "spin-futex",
             .summary = "spins for what parking costs here (or `:TIME`), then sleeps on a futex",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct spin_futex)},
    .check = spin_futex_check,
    .open = spin_futex_open,
    .until = spin_futex_until,
    .wake = fl_futex_wake,
    .budget_ns = spin_futex_budget_ns,
};
