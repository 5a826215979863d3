/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verify: whether one call of a product was right, for the price of a few matrix-vector products.
 *
 * fl_verify_prepare() fills the operands with small integers, so few bits that every sum of
 * products is exact whatever its order. After the call, fl_verify() compares C * x with alpha * A *
 * (B * x) + beta * C0 * x for a vector x of random odd integers. With alpha and beta of 0, 1, 2
 * and their negatives both sides are exact and must be equal: a single wrong element always shows.
 * Other values round when C is updated; the bound then counts those roundings. The corners and a
 * few random elements are compared one by one, and whatever a call must not touch must be as it
 * was: the other triangle and the rows beyond the matrix.
 */
#ifndef FAULTLINE_KERNELS_VERIFY_H
#define FAULTLINE_KERNELS_VERIFY_H

#include "faultline/arena.h"
#include "faultline/workspace.h"
#include "product.h"
#include "scalar.h"

struct fl_verify {
    const struct fl_product *product;
    const struct fl_scalar *scalar;
    uint64_t seed;
    size_t roundings; /* most updates of one element of C in a call */
    double *vectors;  /* fl_verify_vectors() of them */
};

/* Doubles of scratch that fl_verify() needs. */
size_t fl_verify_vectors(const struct fl_product *product);

/* Operands as the kernel's run() sees them: values in [-1, 1). */
void fl_verify_fill(const struct fl_verify *verify);

/* Operands for one call that will be verified. */
void fl_verify_prepare(const struct fl_verify *verify);

/* 0, or -EBADMSG saying what differs by how much and what was allowed. */
int fl_verify(const struct fl_verify *verify, struct fl_err *err) FL_MUST_CHECK;

/* Products of one shape that one run computes, as many as there are callers. */
struct fl_verify_run {
    struct fl_verify *products; /* without vectors */
    size_t count;
    struct fl_arena *arena; /* for the vectors */
    int (*run)(void *state, const struct fl_workspace *workspace);
    void *state;
};

/* Prepares all products, runs once and verifies each. 0, -EBADMSG, -ENOMEM or what run() returned.
 */
int fl_verify_run(const struct fl_verify_run *all, const struct fl_workspace *workspace,
                  struct fl_err *err) FL_MUST_CHECK;

#endif
