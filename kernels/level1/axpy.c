/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels saxpy, daxpy, caxpy, zaxpy: y = alpha * x + y. */
#include <math.h>

#include "level1-kernel.h"

static double term(const struct fl_level1_operands *o, double value)
{
    const double alpha = FL_LEVEL1_ALPHA_RE - (o->parts == 2 ? FL_LEVEL1_ALPHA_IM : 0);

    return (alpha + 1) * value;
}

static long double element(const struct fl_level1_operands *o, size_t i, unsigned part,
                           const long double before[2])
{
    const long double same = (long double)fl_level1_at(o, &o->x, i, part);

    if (o->parts == 1)
        return before[0] + FL_LEVEL1_ALPHA_RE * same;
    const long double other = (long double)fl_level1_at(o, &o->x, i, 1 - part);

    return before[part] + FL_LEVEL1_ALPHA_RE * same +
           (part == 0 ? -FL_LEVEL1_ALPHA_IM : FL_LEVEL1_ALPHA_IM) * other;
}

static const struct fl_level1_name names[] = {
    {"saxpy", FL_LEVEL1_S, false, &fl_level1_axpy},
    {"daxpy", FL_LEVEL1_D, false, &fl_level1_axpy},
    {"caxpy", FL_LEVEL1_C, false, &fl_level1_axpy},
    {"zaxpy", FL_LEVEL1_Z, false, &fl_level1_axpy},
    {0},
};

const struct fl_level1_routine fl_level1_axpy = {
    .op = FL_LEVEL1_AXPY,
    .moves = 3,
    .has_y = true,
    .writes_y = true,
    .flops = {2, 8},
    .names = names,
    .term = term,
    .element = element,
};

FL_LEVEL1_KERNEL(saxpy, "y = alpha * x + y, floats", fl_level1_factors_xy);
FL_LEVEL1_KERNEL(daxpy, "y = alpha * x + y, doubles", fl_level1_factors_xy);
FL_LEVEL1_KERNEL(caxpy, "y = alpha * x + y, complex floats", fl_level1_factors_xy);
FL_LEVEL1_KERNEL(zaxpy, "y = alpha * x + y, complex doubles", fl_level1_factors_xy);
