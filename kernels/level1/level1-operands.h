/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operands of a level-1 call: vectors with strides, their values from a seed, and the check of a
 * result against a plain loop in long double.
 *
 * For the check, values are integers of so few bits that no sum of theirs rounds, whatever its
 * order: the result must be equal. Only where even integers from -2 to 1 add up to more than the
 * type's significand holds (float beyond some millions of elements) sums may differ, by
 * n * epsilon / 2 * the sum of the magnitudes. What lies between the elements of y must be as it
 * was, and what lies between those of x is not a number.
 */
#ifndef FAULTLINE_KERNELS_LEVEL1_OPERANDS_H
#define FAULTLINE_KERNELS_LEVEL1_OPERANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../scalar.h"
#include "faultline/arena.h"
#include "faultline/cell.h"
#include "level1.h"

struct fl_level1_name;
struct fl_level1_value;

/* alpha of axpy: small integers, so that the check stays exact. */
#define FL_LEVEL1_ALPHA_RE 3
#define FL_LEVEL1_ALPHA_IM (-2)

/* Columns of the matrix are elements in the order of memory, its rows their one or two parts. */
struct fl_level1_vector {
    struct fl_matrix matrix;
    ptrdiff_t stride;
};

struct fl_level1_operands {
    const struct fl_level1_name *name;
    const struct fl_scalar *scalar;
    size_t n;       /* as the cell says */
    unsigned parts; /* of an element: 2 where it is complex */
    int bits;       /* of the values of the check */
    bool exact;     /* no sum of those rounds */
    bool lenient;   /* a sum or maximum over a stride below 1 may be that of its elements, not 0 */
    struct fl_level1_vector x, y;
};

/* Sizes and strides of a cell; -EINVAL where a vector would not fit an address space. */
int fl_level1_operands_read(const struct fl_level1_name *name, const struct fl_cell *cell,
                            struct fl_level1_operands *operands, struct fl_err *err) FL_MUST_CHECK;

/* Maps the vectors, each in pages of its own. 0 or -ENOMEM. */
int fl_level1_operands_map(struct fl_level1_operands *operands, struct fl_arena *arena,
                           uint64_t seed, struct fl_err *err) FL_MUST_CHECK;

/* Bytes that one call reads and writes. */
double fl_level1_traffic(const struct fl_level1_operands *operands);

/* The whole vectors as a slice: empty where the operation is defined to do nothing. */
void fl_level1_operands_slice(const struct fl_level1_operands *operands,
                              struct fl_level1_slice *slice);

/* Values in [-1, 1), as the window sees them. */
void fl_level1_operands_fill(const struct fl_level1_operands *operands);

/* Values for one call that will be checked. */
void fl_level1_operands_prepare(const struct fl_level1_operands *operands);

/*
 * 0, or -EBADMSG saying what differs by how much and what was allowed. `value` is what the call
 * returned, its index as BLAS counts it.
 */
int fl_level1_operands_check(const struct fl_level1_operands *operands,
                             const struct fl_level1_value *value, struct fl_err *err) FL_MUST_CHECK;

/* Element i in the order of BLAS, part 0 (real) or 1; for the routines' references. */
double fl_level1_at(const struct fl_level1_operands *operands,
                    const struct fl_level1_vector *vector, size_t i, unsigned part);

#endif
