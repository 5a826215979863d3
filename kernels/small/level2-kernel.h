/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernels dsymv, ssymv, dtrsv and strsv share: their factors, slots and loops.
 *
 * Each call takes one buffer from its workspace, as OpenBLAS' takes one from its pool whatever n
 * is: symv for a block of the matrix made full, trsv for the vector while it is solved.
 */
#ifndef FAULTLINE_KERNELS_LEVEL2_KERNEL_H
#define FAULTLINE_KERNELS_LEVEL2_KERNEL_H

#include "level2.h"

#define FL_SYMV_BLOCK 16 /* columns that are made full together */

/* `scratch` has the bytes of the request. */
typedef void (*fl_level2_fn)(const struct fl_level2 *operands, const void *in, void *out,
                             void *scratch);

struct fl_level2_state {
    struct fl_level2 operands;
    fl_level2_fn call;
    struct fl_request request;
};

extern const struct fl_factor *const fl_symv_factors[];
extern const struct fl_factor *const fl_trsv_factors[];

int fl_level2_kernel_open(const struct fl_level2_kind *kind, struct fl_level2_state *state,
                          const struct fl_kernel_env *env, struct fl_err *err) FL_MUST_CHECK;

/* Slots of the table; they take a struct fl_level2_state. */
size_t fl_level2_kernel_requests(const void *state, struct fl_request requests[FL_REQUESTS_MAX]);
uint64_t fl_level2_kernel_calls(const void *state);
int fl_level2_kernel_run(void *state, const struct fl_workspace *workspace);
int fl_level2_kernel_check(void *state, const struct fl_workspace *workspace, struct fl_err *err);
void fl_level2_kernel_close(void *state);

void fl_symv_f64(const struct fl_level2 *o, const void *in, void *out, void *scratch);
void fl_symv_f32(const struct fl_level2 *o, const void *in, void *out, void *scratch);
void fl_trsv_f64(const struct fl_level2 *o, const void *in, void *out, void *scratch);
void fl_trsv_f32(const struct fl_level2 *o, const void *in, void *out, void *scratch);

#endif
