/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernels dgemm, sgemm, dsyrk and ssyrk share: their factors and their slots. Each of them
 * is a row of this: an operation and a type.
 */
#ifndef FAULTLINE_KERNELS_PRODUCT_KERNEL_H
#define FAULTLINE_KERNELS_PRODUCT_KERNEL_H

#include "faultline/kernel.h"
#include "isa.h"
#include "product.h"
#include "scalar.h"

struct fl_product_state {
    struct fl_product product;
    enum fl_isa isa;
    const void *micro; /* of the kernel's type */
    fl_body_fn body;   /* the product with its buffers; its argument is this state */
    struct fl_request requests[2];
    uint64_t seed;
    struct fl_arena *arena; /* for the scratch of the check */
    const struct fl_scalar *scalar;
    const struct fl_team *team;
    /* One for each thread of a team of several, each on operands of its own, the first on those
     * above; read only while a region runs. NULL: the caller alone, and no region. */
    struct fl_product_state *members;
};

/* What a kernel is. */
struct fl_product_kind {
    bool syrk, single;
};

/* Factors that kernels beyond the products have too. */
extern const struct fl_factor fl_factor_isa, fl_factor_blocking;

extern const struct fl_factor *const fl_gemm_factors[];
extern const struct fl_factor *const fl_syrk_factors[];
/* The same without what only our own loops have: blocking. */
extern const struct fl_factor *const fl_foreign_gemm_factors[];
extern const struct fl_factor *const fl_foreign_syrk_factors[];

/*
 * Reads operation, sizes, leading dimensions, alpha and beta off a cell into a product without
 * operands and blocking. 0, or -EINVAL where a leading dimension is too small.
 */
int fl_product_read(const struct fl_product_kind *kind, const struct fl_cell *cell,
                    struct fl_product *product, struct fl_err *err) FL_MUST_CHECK;

/*
 * Instruction set and blocking of a product that was read, with the requests that follow: fills the
 * rest of `state` but operands, seed and arena, and sets the facts. 0, -ENOTSUP or -EINVAL.
 */
int fl_product_resolve(struct fl_product_state *state, bool single, const struct fl_kernel_env *env,
                       struct fl_err *err) FL_MUST_CHECK;

/* Maps the operands of a product that was read, each in pages of its own. 0 or -ENOMEM. */
int fl_product_allocate(struct fl_product *product, const struct fl_scalar *scalar,
                        struct fl_arena *arena, struct fl_err *err) FL_MUST_CHECK;

int fl_product_cost(const struct fl_product_kind *kind, const struct fl_cell *cell,
                    struct fl_cost *cost, struct fl_err *err) FL_MUST_CHECK;
int fl_product_open(const struct fl_product_kind *kind, struct fl_product_state *state,
                    const struct fl_kernel_env *env, struct fl_err *err) FL_MUST_CHECK;

/* One call, by one caller. */
int fl_product_call(const struct fl_product_state *state, const struct fl_workspace *workspace);

/* Slots of the table; they take a struct fl_product_state. */
size_t fl_product_requests(const void *state, struct fl_request requests[FL_REQUESTS_MAX]);
uint64_t fl_product_calls(const void *state);
int fl_product_run(void *state, const struct fl_workspace *workspace);
int fl_product_check(void *state, const struct fl_workspace *workspace, struct fl_err *err);
void fl_product_close(void *state);

#endif
