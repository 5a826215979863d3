/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wait policy `umwait`: the core rests on the word's line until it is written. The kernel ends a
 * rest after 100,000 cycles by default, and so do we; then it looks and rests again, so a write
 * that was missed costs a rest, never a hang.
 */
#include "wait-clock.h"
#include "waitpkg.h"

enum { REST_CYCLES = 100000 };

static void umwait_until(void *state, struct fl_wait_word *word, uint32_t old,
                         struct fl_wait_stat *stat)
{
    uint64_t looks = 0;
    (void)state;
    while (!fl_wait_changed(word, old)) {
        fl_umonitor(word);
        looks++;
        /* The look between arming and resting: a write before it is seen, one after it wakes. */
        if (fl_wait_changed(word, old))
            break;
        fl_umwait(REST_CYCLES);
    }
    if (stat)
        stat->spins += looks;
}

const struct fl_wait_ops fl_wait_umwait = {
    .part = {.name = "umwait",
             .summary = "rests in UMWAIT until the line is written (x86 with WAITPKG)",
             .abi = FL_PART_ABI,
             .probe = fl_waitpkg_probe},
    .keeps_processor = true,
    .until = umwait_until,
};
