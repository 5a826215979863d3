/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels isamax, idamax, icamax, izamax: the first element with the largest |re| + |im|. */
#include <math.h>

#include "level1-kernel.h"

static double term(const struct fl_level1_operands *o, double value)
{
    return o->parts * value;
}

static void join(bool single, struct fl_level1_value *into, const struct fl_level1_value *next)
{
    (void)single;
    if (next->re > into->re)
        *into = *next;
}

static void expect(const struct fl_level1_operands *o, struct fl_level1_expected *expected)
{
    long double most = -1;

    for (size_t i = 0; i < o->n; i++) {
        long double size = 0;

        for (unsigned part = 0; part < o->parts; part++)
            size += fabsl((long double)fl_level1_at(o, &o->x, i, part));
        if (size > most) {
            most = size;
            expected->index = i + 1;
        }
    }
}

static const struct fl_level1_name names[] = {
    {"isamax", FL_LEVEL1_S, false, &fl_level1_iamax},
    {"idamax", FL_LEVEL1_D, false, &fl_level1_iamax},
    {"icamax", FL_LEVEL1_C, false, &fl_level1_iamax},
    {"izamax", FL_LEVEL1_Z, false, &fl_level1_iamax},
    {0},
};

const struct fl_level1_routine fl_level1_iamax = {
    .op = FL_LEVEL1_IAMAX,
    .moves = 1,
    .forward_only = true,
    .flops = {0, 1},
    .names = names,
    .join = join,
    .term = term,
    .expect = expect,
};

FL_LEVEL1_KERNEL(isamax, "index of the largest |x|, floats", fl_level1_factors_x);
FL_LEVEL1_KERNEL(idamax, "index of the largest |x|, doubles", fl_level1_factors_x);
FL_LEVEL1_KERNEL(icamax, "index of the largest |re x| + |im x|, complex floats",
                 fl_level1_factors_x);
FL_LEVEL1_KERNEL(izamax, "index of the largest |re x| + |im x|, complex doubles",
                 fl_level1_factors_x);
