/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels sasum, dasum, scasum, dzasum: the sum of |re| + |im|. */
#include <math.h>

#include "level1-kernel.h"

static double term(const struct fl_level1_operands *o, double value)
{
    return o->parts * value;
}

static void expect(const struct fl_level1_operands *o, struct fl_level1_expected *expected)
{
    for (size_t i = 0; i < o->n; i++)
        for (unsigned part = 0; part < o->parts; part++)
            expected->re += fabsl((long double)fl_level1_at(o, &o->x, i, part));
    expected->weight = expected->re;
}

static const struct fl_level1_name names[] = {
    {"sasum", FL_LEVEL1_S, false, &fl_level1_asum},
    {"dasum", FL_LEVEL1_D, false, &fl_level1_asum},
    {"scasum", FL_LEVEL1_C, false, &fl_level1_asum},
    {"dzasum", FL_LEVEL1_Z, false, &fl_level1_asum},
    {0},
};

const struct fl_level1_routine fl_level1_asum = {
    .op = FL_LEVEL1_ASUM,
    .moves = 1,
    .forward_only = true,
    .flops = {1, 2},
    .names = names,
    .join = fl_level1_join_sums,
    .term = term,
    .adds = true,
    .expect = expect,
};

FL_LEVEL1_KERNEL(sasum, "sum of |x|, floats", fl_level1_factors_x);
FL_LEVEL1_KERNEL(dasum, "sum of |x|, doubles", fl_level1_factors_x);
FL_LEVEL1_KERNEL(scasum, "sum of |re x| + |im x|, complex floats", fl_level1_factors_x);
FL_LEVEL1_KERNEL(dzasum, "sum of |re x| + |im x|, complex doubles", fl_level1_factors_x);
