/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Level 1: vector operations on a part of a vector, one table per instruction set.
 *
 * A slice is a run of elements in the order in which BLAS counts them: element i lies at
 * x + i * stride, whatever the sign of the stride. Sums are kept in the type of the operands, in
 * several accumulators; their order depends on the instruction set and on n alone, so that equal
 * slices give equal bits. Tables are constant; every function is thread-safe and allocates nothing.
 */
#ifndef FAULTLINE_KERNELS_LEVEL1_H
#define FAULTLINE_KERNELS_LEVEL1_H

#include <stdbool.h>
#include <stddef.h>

#include "../isa.h"

enum fl_level1_op {
    FL_LEVEL1_ASUM,
    FL_LEVEL1_SUM,
    FL_LEVEL1_COPY,
    FL_LEVEL1_DOT,
    FL_LEVEL1_AXPY,
    FL_LEVEL1_IAMAX,
    FL_LEVEL1_OPS
};

/* Of the elements: BLAS's letters s, d, c and z. */
enum fl_level1_type { FL_LEVEL1_S, FL_LEVEL1_D, FL_LEVEL1_C, FL_LEVEL1_Z, FL_LEVEL1_TYPES };

struct fl_level1_slice {
    size_t n;
    const void *x; /* element 0 */
    void *y;       /* of copy, dot and axpy */
    ptrdiff_t stride_x, stride_y;
    double alpha[2];  /* of axpy: real and imaginary part, exact in the operands' type */
    bool conjugate_x; /* of a complex dot */
};

/* What an operation returns; numbers are exact in the operands' type. */
struct fl_level1_value {
    double re, im; /* sums; of iamax re is the largest |re| + |im|, -1 where all is NaN or empty */
    size_t index;  /* of iamax: first element that has it, from 0 */
};

typedef void (*fl_level1_fn)(const struct fl_level1_slice *slice, struct fl_level1_value *value);

struct fl_level1_set {
    enum fl_isa isa;
    fl_level1_fn ops[FL_LEVEL1_TYPES][FL_LEVEL1_OPS];
};

/* The table of an instruction set, or NULL where it is not built in. */
const struct fl_level1_set *fl_level1_set(enum fl_isa isa);

extern const struct fl_level1_set fl_level1_portable, fl_level1_avx2, fl_level1_avx512,
    fl_level1_neon;

static inline bool fl_level1_is_complex(enum fl_level1_type type)
{
    return type == FL_LEVEL1_C || type == FL_LEVEL1_Z;
}

static inline bool fl_level1_is_single(enum fl_level1_type type)
{
    return type == FL_LEVEL1_S || type == FL_LEVEL1_C;
}

/* Bytes of one element. */
static inline size_t fl_level1_bytes(enum fl_level1_type type)
{
    return (fl_level1_is_single(type) ? sizeof(float) : sizeof(double)) *
           (fl_level1_is_complex(type) ? 2 : 1);
}

#endif
