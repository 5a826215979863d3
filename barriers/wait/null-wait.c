/* SPDX-License-Identifier: Apache-2.0 */
/* Wait policy `null`: looks at the word and does nothing else; what the other policies add to it is
 * their own cost. */
#include "wait-clock.h"

static void null_until(void *state, struct fl_wait_word *word, uint32_t old,
                       struct fl_wait_stat *stat)
{
    uint64_t looks = 0;
    (void)state;
    do
        looks++;
    while (!fl_wait_changed(word, old));
    if (stat)
        stat->spins += looks;
}

const struct fl_wait_ops fl_wait_null = {
    .part = {.name = "null",
             .summary = "looks without any hint or pause: measures the looking alone",
             .abi = FL_PART_ABI},
    .keeps_processor = true,
    .until = null_until,
};
