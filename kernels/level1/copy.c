/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels scopy, dcopy, ccopy, zcopy: y = x. */
#include "level1-kernel.h"

static double term(const struct fl_level1_operands *o, double value)
{
    (void)o;
    return value;
}

static long double element(const struct fl_level1_operands *o, size_t i, unsigned part,
                           const long double before[2])
{
    (void)before;
    return (long double)fl_level1_at(o, &o->x, i, part);
}

static const struct fl_level1_name names[] = {
    {"scopy", FL_LEVEL1_S, false, &fl_level1_copy},
    {"dcopy", FL_LEVEL1_D, false, &fl_level1_copy},
    {"ccopy", FL_LEVEL1_C, false, &fl_level1_copy},
    {"zcopy", FL_LEVEL1_Z, false, &fl_level1_copy},
    {0},
};

const struct fl_level1_routine fl_level1_copy = {
    .op = FL_LEVEL1_COPY,
    .moves = 2,
    .has_y = true,
    .writes_y = true,
    .names = names,
    .term = term,
    .element = element,
};

FL_LEVEL1_KERNEL(scopy, "y = x, floats", fl_level1_factors_xy);
FL_LEVEL1_KERNEL(dcopy, "y = x, doubles", fl_level1_factors_xy);
FL_LEVEL1_KERNEL(ccopy, "y = x, complex floats", fl_level1_factors_xy);
FL_LEVEL1_KERNEL(zcopy, "y = x, complex doubles", fl_level1_factors_xy);
