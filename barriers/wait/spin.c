/* SPDX-License-Identifier: Apache-2.0 */
/* Wait policy `spin`: PAUSE (x86) or ISB (Arm) between looks, for ever. */
#include "wait-clock.h"

static void spin_until(void *state, struct fl_wait_word *word, uint32_t old,
                       struct fl_wait_stat *stat)
{
    uint64_t looks = 0;
    (void)state;
    do {
        fl_cpu_pause();
        looks++;
    } while (!fl_wait_changed(word, old));
    if (stat)
        stat->spins += looks;
}

const struct fl_wait_ops fl_wait_spin = {
    .part = {.name = "spin",
             .summary = "PAUSE (x86) or ISB (Arm) between looks, never gives the processor away",
             .abi = FL_PART_ABI},
    .keeps_processor = true,
    .until = spin_until,
};
