/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wait policy `spin-backoff`: 1, 2, 4, up to 64 pauses between looks, for ever. Fewer looks steal
 * the line from its writer less often; the price is that the last pauses may be for nothing.
 */
#include "wait-clock.h"

enum { PAUSES_MAX = 64 };

static void spin_backoff_until(void *state, struct fl_wait_word *word, uint32_t old,
                               struct fl_wait_stat *stat)
{
    uint64_t looks = 0;
    unsigned pauses = 1;
    (void)state;
    do {
        for (unsigned i = 0; i < pauses; i++)
            fl_cpu_pause();
        if (pauses < PAUSES_MAX)
            pauses *= 2;
        looks++;
    } while (!fl_wait_changed(word, old));
    if (stat)
        stat->spins += looks;
}

const struct fl_wait_ops fl_wait_spin_backoff = {
    .part = {.name = "spin-backoff",
             .summary = "1, 2, 4 ... 64 pauses between looks, never gives the processor away",
             .abi = FL_PART_ABI},
    .keeps_processor = true,
    .until = spin_backoff_until,
};
