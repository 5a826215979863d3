/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ggml's barrier, as its four variants share it: `arrived` counts the threads in, `passed` counts
 * the phases. The variants differ in where the two stand and in who adds to `passed`.
 */
#ifndef FL_GGML_COUNTERS_H
#define FL_GGML_COUNTERS_H

#include "barrier-lines.h"
#include "rmw.h"

enum fl_ggml_leaving {
    FL_GGML_ALL_ADD,  /* every thread adds: 1 the last one, 0 the others */
    FL_GGML_LAST_ADDS /* only the last one adds */
};

static inline void fl_ggml_arrive(_Atomic uint32_t *arrived, struct fl_wait_word *passed,
                                  unsigned threads, enum fl_ggml_leaving leaving,
                                  const struct fl_wait *wait, struct fl_wait_stat *stat)
{
    /* Relaxed: this thread saw the last phase end, so it cannot read an older count. */
    uint32_t before = atomic_load_explicit(&passed->value, memory_order_relaxed);
    /* seq_cst, as in ggml; acquire and release would do. */
    uint32_t count = fl_fetch_add(arrived, 1, memory_order_seq_cst, stat);
    bool last = count == threads - 1;
    if (last)
        /* Relaxed: the addition below releases it, and nobody arrives again before that. */
        atomic_store_explicit(arrived, 0, memory_order_relaxed);
    else
        fl_wait_until(wait, passed, before, stat);
    if (last || leaving == FL_GGML_ALL_ADD)
        fl_fetch_add(&passed->value, last, memory_order_seq_cst, stat);
    if (last)
        fl_wait_wake(wait, passed, stat);
}

#endif
