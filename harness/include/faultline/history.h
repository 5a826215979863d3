/* SPDX-License-Identifier: Apache-2.0 */
/*
 * History: what a process allocated before the cell.
 *
 * glibc's thresholds follow what a process freed earlier, so history is part of a cell and is
 * replayed in each fresh process. Grammar of a level:
 *
 *   fresh                              nothing
 *   KERNEL:N+N+...[:malloc-operands]   one call of that kernel (dsyrk, blas:dsyrk_) at each n, in
 *                                      that order, on the cell's own workspace; operands from
 *                                      mmap, or malloc'ed and freed
 *   malloc:BYTES                       one malloc of that size, touched and freed
 *
 * Steps are joined by '/': `malloc:16M/dsyrk:448+512`. In a scenario, `ascending` stands for the
 * cell's kernel at all smaller n of the scenario. No allocation; thread-safe.
 */
#ifndef FAULTLINE_HISTORY_H
#define FAULTLINE_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "faultline/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FL_HISTORY_STEPS 128

struct fl_history_step {
    char kernel[32];      /* "" for a plain malloc/free */
    long n;               /* of the kernel */
    double bytes;         /* of the plain malloc/free */
    bool malloc_operands; /* operands malloc'ed and freed around the call */
};

struct fl_history {
    struct fl_history_step steps[FL_HISTORY_STEPS];
    size_t count;
};

/* 0, or -EINVAL saying what would be accepted. */
int fl_history_parse(const char *level, struct fl_history *history,
                     struct fl_err *err) FL_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
