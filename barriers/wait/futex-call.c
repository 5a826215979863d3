/* SPDX-License-Identifier: Apache-2.0 */
/* Futex wait and wake on a wait word. */
#include "futex-call.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

void fl_futex_until(struct fl_wait_word *word, uint32_t old, struct fl_wait_stat *stat)
{
    /* seq_cst, both: the sleeper's half of the handshake at fl_wait_wake(). */
    atomic_fetch_add_explicit(&word->sleepers, 1, memory_order_seq_cst);
    while (atomic_load_explicit(&word->value, memory_order_seq_cst) == old) {
        /* The kernel compares once more under its own lock, so a change between our look and the
         * sleep ends it at once; any other return only leads to another look. */
        syscall(SYS_futex, &word->value, FUTEX_WAIT_PRIVATE, old, NULL, NULL, 0);
        if (stat)
            stat->sleeps++;
    }
    /* Relaxed: a waker that still sees us makes one needless call, and that is all. */
    atomic_fetch_sub_explicit(&word->sleepers, 1, memory_order_relaxed);
}

void fl_futex_wake(void *state, struct fl_wait_word *word, struct fl_wait_stat *stat)
{
    (void)state;
    syscall(SYS_futex, &word->value, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
    if (stat)
        stat->wakes++;
}
