/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sleeping on a word in the kernel, and waking the sleepers.
 *
 * fl_futex_until() and fl_futex_wake() are the two slots of every policy that ends in a futex; the
 * order of their accesses is argued at fl_wait_wake().
 */
#ifndef FL_FUTEX_CALL_H
#define FL_FUTEX_CALL_H

#include "faultline/wait.h"

/* Sleeps until the word differs from `old`. */
void fl_futex_until(struct fl_wait_word *word, uint32_t old, struct fl_wait_stat *stat);

/* Wakes all that sleep on the word, with one system call. */
void fl_futex_wake(void *state, struct fl_wait_word *word, struct fl_wait_stat *stat);

#endif
