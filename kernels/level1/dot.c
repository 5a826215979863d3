/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels sdot, ddot, cdotu, cdotc, zdotu, zdotc: the sum of x * y; of those in c x is conjugated.
 */
#include <math.h>

#include "level1-kernel.h"

static double term(const struct fl_level1_operands *o, double value)
{
    return o->parts * value * value;
}

static void expect(const struct fl_level1_operands *o, struct fl_level1_expected *expected)
{
    for (size_t i = 0; i < o->n; i++) {
        long double x[2] = {0}, y[2] = {0};

        for (unsigned part = 0; part < o->parts; part++) {
            x[part] = (long double)fl_level1_at(o, &o->x, i, part);
            y[part] = (long double)fl_level1_at(o, &o->y, i, part);
        }
        expected->weight += (fabsl(x[0]) + fabsl(x[1])) * (fabsl(y[0]) + fabsl(y[1]));
        if (o->name->conjugate_x)
            x[1] = -x[1];
        expected->re += x[0] * y[0] - x[1] * y[1];
        expected->im += x[0] * y[1] + x[1] * y[0];
    }
}

static const struct fl_level1_name names[] = {
    {"sdot", FL_LEVEL1_S, false, &fl_level1_dot},
    {"ddot", FL_LEVEL1_D, false, &fl_level1_dot},
    {"cdotu", FL_LEVEL1_C, false, &fl_level1_dot},
    {"cdotc", FL_LEVEL1_C, true, &fl_level1_dot},
    {"zdotu", FL_LEVEL1_Z, false, &fl_level1_dot},
    {"zdotc", FL_LEVEL1_Z, true, &fl_level1_dot},
    {0},
};

const struct fl_level1_routine fl_level1_dot = {
    .op = FL_LEVEL1_DOT,
    .moves = 2,
    .has_y = true,
    .flops = {2, 8},
    .names = names,
    .join = fl_level1_join_sums,
    .term = term,
    .adds = true,
    .expect = expect,
};

FL_LEVEL1_KERNEL(sdot, "sum of x * y, floats", fl_level1_factors_xy);
FL_LEVEL1_KERNEL(ddot, "sum of x * y, doubles", fl_level1_factors_xy);
FL_LEVEL1_KERNEL(cdotu, "sum of x * y, complex floats", fl_level1_factors_xy);
FL_LEVEL1_KERNEL(cdotc, "sum of conj(x) * y, complex floats", fl_level1_factors_xy);
FL_LEVEL1_KERNEL(zdotu, "sum of x * y, complex doubles", fl_level1_factors_xy);
FL_LEVEL1_KERNEL(zdotc, "sum of conj(x) * y, complex doubles", fl_level1_factors_xy);
