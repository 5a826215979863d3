/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wait policy `wfe`: on Arm the core rests in WFE until the word's line is written. The exclusive
 * load arms the monitor, and another core's store to the line is the event that ends the rest; a
 * WFE without an armed monitor might rest for ever, so the load comes before every one.
 */
#include "wait-clock.h"

#include <errno.h>

#if defined(__aarch64__)
/* Loads with acquire order, and rests where the value is still `old`. */
static uint32_t load_or_rest(struct fl_wait_word *word, uint32_t old)
{
    uint32_t value;
    __asm__ volatile("ldaxr %w0, [%1]\n\t"
                     "cmp   %w0, %w2\n\t"
                     "b.ne  1f\n\t"
                     "wfe\n"
                     "1:"
                     : "=&r"(value)
                     : "r"(&word->value), "r"(old)
                     : "cc", "memory");
    return value;
}

static int wfe_probe(struct fl_err *why)
{
    (void)why;
    return 0;
}
#else
static uint32_t load_or_rest(struct fl_wait_word *word, uint32_t old)
{
    (void)old;
    return atomic_load_explicit(&word->value, memory_order_acquire);
}

static int wfe_probe(struct fl_err *why)
{
    return fl_fail(why, -ENOTSUP, "WFE is an instruction of 64-bit Arm");
}
#endif

static void wfe_until(void *state, struct fl_wait_word *word, uint32_t old,
                      struct fl_wait_stat *stat)
{
    uint64_t looks = 1;
    (void)state;
    while (load_or_rest(word, old) == old)
        looks++;
    /* The sanitizers do not see the load in assembly; this one they do. */
    (void)fl_wait_changed(word, old);
    if (stat)
        stat->spins += looks;
}

const struct fl_wait_ops fl_wait_wfe = {
    .part = {.name = "wfe",
             .summary = "rests in WFE until the line is written (64-bit Arm)",
             .abi = FL_PART_ABI,
             .probe = wfe_probe},
    .keeps_processor = true,
    .until = wfe_until,
};
