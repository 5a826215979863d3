/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels dgemm-small-tn and sgemm-small-tn share: everything but the type. */
#ifndef FAULTLINE_KERNELS_SMALL_TN_H
#define FAULTLINE_KERNELS_SMALL_TN_H

#include "chunks.h"
#include "small-path.h"

struct fl_small_tn {
    struct fl_chunks chunks;
    /* One call; each thread works on a copy of it, on its own stack. */
    struct fl_product_state call;
    fl_small_fn direct; /* the path without packing, where calls take it; else NULL */
};

extern const struct fl_factor *const fl_small_tn_factors[];

int fl_small_tn_open(bool single, struct fl_small_tn *state, const struct fl_kernel_env *env,
                     struct fl_err *err) FL_MUST_CHECK;

/* Slots of the table; they take a struct fl_small_tn. */
size_t fl_small_tn_requests(const void *state, struct fl_request requests[FL_REQUESTS_MAX]);
uint64_t fl_small_tn_calls(const void *state);
int fl_small_tn_run(void *state, const struct fl_workspace *workspace);
int fl_small_tn_check(void *state, const struct fl_workspace *workspace, struct fl_err *err);
void fl_small_tn_close(void *state);

#endif
