/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing the parts that a sample is made of. */
#ifndef FL_SAMPLE_PARTS_H
#define FL_SAMPLE_PARTS_H

#include "sample.h"

/* Finds and opens team, kernel and workspace of sample->cell. 0, -ENOTSUP (cannot run here),
 * -errno. */
int fl_sample_open(struct fl_sample *sample, struct fl_err *err) FL_MUST_CHECK;

/* A kernel part with its state. */
struct fl_open_kernel {
    const struct fl_kernel_ops *ops;
    void *state;
};

/* Opens a kernel for `cell` with operands from `arena`; facts may be thrown away by the caller. */
int fl_sample_open_kernel(const struct fl_sample *sample, const struct fl_cell *cell,
                          struct fl_arena *arena, struct fl_facts *facts,
                          struct fl_open_kernel *kernel, struct fl_err *err) FL_MUST_CHECK;

/* Opens the counters that serve the wanted metrics. */
int fl_sample_open_counters(struct fl_sample *sample, struct fl_err *err) FL_MUST_CHECK;

/* Closes what is open, in reverse order. */
void fl_sample_close(struct fl_sample *sample);

#endif
