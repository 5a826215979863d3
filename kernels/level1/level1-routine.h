/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Routine: what one BLAS level-1 operation is, whoever computes it: its names, its work, how
 * results of parts of a vector join, and its reference. One constant table each, in a file of its
 * own.
 */
#ifndef FAULTLINE_KERNELS_LEVEL1_ROUTINE_H
#define FAULTLINE_KERNELS_LEVEL1_ROUTINE_H

#include "level1-operands.h"
#include "level1.h"

struct fl_level1_routine;

/* `dzasum`: the operation asum on elements of type z. */
struct fl_level1_name {
    const char *name;
    enum fl_level1_type type;
    bool conjugate_x;
    const struct fl_level1_routine *routine;
};

/* What a call should return, and how much was added up on the way. */
struct fl_level1_expected {
    long double re, im;
    long double weight; /* sum of the magnitudes of all terms */
    size_t index;       /* of iamax, as BLAS counts: from 1; 0: empty */
};

struct fl_level1_routine {
    enum fl_level1_op op;
    unsigned moves; /* vectors read plus vectors written by a call */
    bool has_y, writes_y;
    bool forward_only;                  /* by definition the result of a stride below 1 is 0 */
    bool extension;                     /* no part of the reference BLAS */
    double flops[2];                    /* per element, real and complex */
    const struct fl_level1_name *names; /* ended by a row without a name */
    /* What a slice gave, joined to what the slices before it gave. NULL: nothing is returned. */
    void (*join)(bool single, struct fl_level1_value *into, const struct fl_level1_value *next);
    /* The largest magnitude of a term, for operands up to `value`; and whether terms add up. */
    double (*term)(const struct fl_level1_operands *operands, double value);
    bool adds;
    /* One of these two. What a call returns: a plain loop in long double. */
    void (*expect)(const struct fl_level1_operands *operands, struct fl_level1_expected *expected);
    /* Part 0 (real) or 1 of an element of y after the call, of what it was `before`. */
    long double (*element)(const struct fl_level1_operands *operands, size_t i, unsigned part,
                           const long double before[2]);
};

extern const struct fl_level1_routine fl_level1_asum, fl_level1_sum, fl_level1_copy, fl_level1_dot,
    fl_level1_axpy, fl_level1_iamax;

/* By BLAS's name without suffix, or NULL. */
const struct fl_level1_name *fl_level1_find(const char *name);

#endif
