/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels ssum, dsum, scsum, dzsum: the sum of re + im, which OpenBLAS has beside the reference. */
#include <math.h>

#include "level1-kernel.h"

static double term(const struct fl_level1_operands *o, double value)
{
    return o->parts * value;
}

static void expect(const struct fl_level1_operands *o, struct fl_level1_expected *expected)
{
    for (size_t i = 0; i < o->n; i++) {
        for (unsigned part = 0; part < o->parts; part++) {
            const long double value = (long double)fl_level1_at(o, &o->x, i, part);

            expected->re += value;
            expected->weight += fabsl(value);
        }
    }
}

static const struct fl_level1_name names[] = {
    {"ssum", FL_LEVEL1_S, false, &fl_level1_sum},
    {"dsum", FL_LEVEL1_D, false, &fl_level1_sum},
    {"scsum", FL_LEVEL1_C, false, &fl_level1_sum},
    {"dzsum", FL_LEVEL1_Z, false, &fl_level1_sum},
    {0},
};

const struct fl_level1_routine fl_level1_sum = {
    .op = FL_LEVEL1_SUM,
    .moves = 1,
    .forward_only = true,
    .extension = true,
    .flops = {1, 2},
    .names = names,
    .join = fl_level1_join_sums,
    .term = term,
    .adds = true,
    .expect = expect,
};

FL_LEVEL1_KERNEL(ssum, "sum of x, floats", fl_level1_factors_x);
FL_LEVEL1_KERNEL(dsum, "sum of x, doubles", fl_level1_factors_x);
FL_LEVEL1_KERNEL(scsum, "sum of re x + im x, complex floats", fl_level1_factors_x);
FL_LEVEL1_KERNEL(dzsum, "sum of re x + im x, complex doubles", fl_level1_factors_x);
