/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wait policy `template`: pauses between looks, then sleeps on a futex after a time.
 *
 * To add a policy of your own: copy this file, replace `template` by its name throughout, and add
 * `fl_add_part(wait NAME FILE.c)` to CMakeLists.txt. Nothing else names it. The symbol is
 * fl_wait_NAME; part.name is free text without ':' or spaces.
 */
#include "futex-call.h"
#include "wait-budget.h"
#include "wait-clock.h"

/*
 * Optional. Private state, zeroed and on lines of its own before open(); no other mutable data
 * belongs in a policy. Leave the struct and part.state_size out where there is none.
 */
struct template_state {
    uint64_t budget_ns;
};

/* Optional. 0, or -ENOTSUP with the reason why this policy cannot run on this machine. */
static int template_probe(struct fl_err *why)
{
    (void)why;
    return 0;
}

/* Optional: a policy without it takes no options. Refuses a bad one where it is written. */
static int template_check(const char *options, struct fl_err *err)
{
    uint64_t ns;
    return fl_wait_budget_read("template", options, &ns, err);
}

/* Optional. Once, before the first until(). Budgets are times: loop counts mean something else on
 * every processor. */
static int template_open(void *state, const char *options, struct fl_err *err)
{
    struct template_state *policy = state;
    policy->budget_ns = 5000;
    return fl_wait_budget_read("template", options, &policy->budget_ns, err);
}

/*
 * Required. The measured slot: returns when the word differs from `old`, with acquire order. Who
 * sleeps counts itself in word->sleepers first, as fl_futex_until() does. `stat` may be NULL.
 */
static void template_until(void *state, struct fl_wait_word *word, uint32_t old,
                           struct fl_wait_stat *stat)
{
    const struct template_state *policy = state;
    if (!fl_wait_spin_for(word, old, policy->budget_ns, stat))
        fl_futex_until(word, old, stat);
}

/* Required of a policy that sleeps: wakes all who sleep on the word, and counts stat->wakes. */
static void template_wake(void *state, struct fl_wait_word *word, struct fl_wait_stat *stat)
{
    fl_futex_wake(state, word, stat);
}

/* Optional. What the spinning budget came out as. */
static uint64_t template_budget_ns(const void *state)
{
    return ((const struct template_state *)state)->budget_ns;
}

/* Optional. Gives back what open() took. */
static void template_close(void *state)
{
    (void)state;
}

const struct fl_wait_ops fl_wait_template = {
    .part = {.name = "template",                          /* required */
             .summary = "spins a while, then a futex",    /* required */
             .abi = FL_PART_ABI,                          /* required */
             .state_size = sizeof(struct template_state), /* optional */
             .probe = template_probe},                    /* optional */
    .keeps_processor = false,                             /* required where it never sleeps */
    .check = template_check,                              /* optional */
    .open = template_open,                                /* optional */
    .until = template_until,                              /* required */
    .wake = template_wake,                                /* required where it sleeps */
    .budget_ns = template_budget_ns,                      /* optional */
    .close = template_close,                              /* optional */
};
