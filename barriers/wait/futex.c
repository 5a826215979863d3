/* SPDX-License-Identifier: Apache-2.0 */
/* Wait policy `futex`: sleeps in the kernel at once. */
#include "futex-call.h"

static void futex_until(void *state, struct fl_wait_word *word, uint32_t old,
                        struct fl_wait_stat *stat)
{
    (void)state;
    fl_futex_until(word, old, stat);
}

const struct fl_wait_ops fl_wait_futex = {
    .part = {.name = "futex", .summary = "sleeps on a futex at once", .abi = FL_PART_ABI},
    .until = futex_until,
    .wake = fl_futex_wake,
};
