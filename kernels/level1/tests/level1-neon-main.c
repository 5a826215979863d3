/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Level 1 on NEON against portable C, without a test framework: it need not exist for that
 * architecture. Operands are integers, so that no order of a sum rounds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "level1.h"

enum { LENGTH = 70, STRIDE = 3, ROOM = 2 * LENGTH * STRIDE };

union scalars {
    double f64[ROOM];
    float f32[ROOM];
};

struct operands {
    union scalars x, y;
};

static void fill(struct operands *o, bool single)
{
    for (int i = 0; i < ROOM; i++) {
        const int x = (i * 37 + 11) % 201 - 100, y = (i * 53 + 7) % 101 - 50;

        if (single) {
            o->x.f32[i] = (float)x;
            o->y.f32[i] = (float)y;
        } else {
            o->x.f64[i] = x;
            o->y.f64[i] = y;
        }
    }
}

static bool agree(enum fl_level1_type type, enum fl_level1_op op, size_t n, int stride_x,
                  int stride_y)
{
    static struct operands operands[2];
    const enum fl_isa isas[2] = {FL_ISA_PORTABLE, FL_ISA_NEON};
    struct fl_level1_value values[2] = {{0}};

    for (int i = 0; i < 2; i++) {
        memset(&operands[i], 0, sizeof(operands[i]));
        fill(&operands[i], fl_level1_is_single(type));
        const struct fl_level1_slice slice = {
            .n = n,
            .x = &operands[i].x,
            .y = &operands[i].y,
            .stride_x = stride_x,
            .stride_y = stride_y,
            .alpha = {3, fl_level1_is_complex(type) ? -2 : 0},
            .conjugate_x = n & 1,
        };

        fl_level1_set(isas[i])->ops[type][op](&slice, &values[i]);
    }
    if (!memcmp(&values[0], &values[1], sizeof(values[0])) &&
        !memcmp(&operands[0].y, &operands[1].y, sizeof(operands[0].y)))
        return true;
    fprintf(stderr, "type %d, operation %d, n=%zu, strides %d and %d differ\n", (int)type, (int)op,
            n, stride_x, stride_y);
    return false;
}

int main(void)
{
    struct fl_err err = {""};
    size_t cases = 0;

    if (fl_isa_probe(FL_ISA_NEON, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return EXIT_FAILURE;
    }
    for (int type = 0; type < FL_LEVEL1_TYPES; type++)
        for (int op = 0; op < FL_LEVEL1_OPS; op++)
            for (size_t n = 0; n <= LENGTH; n++)
                for (int strides = 0; strides < STRIDE * STRIDE; strides++, cases++)
                    if (!agree((enum fl_level1_type)type, (enum fl_level1_op)op, n,
                               1 + strides % STRIDE, 1 + strides / STRIDE))
                        return EXIT_FAILURE;
    printf("%zu cases agree\n", cases);
    return EXIT_SUCCESS;
}
