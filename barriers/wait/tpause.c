/* SPDX-License-Identifier: Apache-2.0 */
/* Wait policy `tpause`: spins with rests of 2000 cycles in place of pauses; the sibling hardware
 * thread has the core for itself meanwhile. */
#include "wait-clock.h"
#include "waitpkg.h"

enum { REST_CYCLES = 2000 };

static void tpause_until(void *state, struct fl_wait_word *word, uint32_t old,
                         struct fl_wait_stat *stat)
{
    uint64_t looks = 0;
    (void)state;
    do {
        fl_tpause(REST_CYCLES);
        looks++;
    } while (!fl_wait_changed(word, old));
    if (stat)
        stat->spins += looks;
}

const struct fl_wait_ops fl_wait_tpause = {
    .part = {.name = "tpause",
             .summary = "TPAUSE of 2000 cycles between looks (x86 with WAITPKG)",
             .abi = FL_PART_ABI,
             .probe = fl_waitpkg_probe},
    .keeps_processor = true,
    .until = tpause_until,
};
