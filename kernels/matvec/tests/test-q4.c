/* SPDX-License-Identifier: Apache-2.0 */
/* The format of quantised weights, and products on it for every instruction set. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "q4-cases.h"
#include "scalar.h"

enum { ROWS = 11, COLS = 96, GROUPS = 2 };

struct matrix {
    struct fl_q4 w;
    _Alignas(64) uint8_t nibbles[GROUPS * COLS / FL_Q4_BLOCK * FL_Q4_BYTES];
    _Alignas(64) uint16_t scales[GROUPS * COLS / FL_Q4_BLOCK * FL_Q4_ROWS];
};

static void shape(struct matrix *m)
{
    memset(m, 0, sizeof(*m));
    fl_q4_shape(&m->w, ROWS, COLS);
    m->w.nibbles = m->nibbles;
    m->w.scales = m->scales;
}

static void shapes_have_whole_groups(void **state)
{
    struct matrix m;

    (void)state;
    shape(&m);
    assert_int_equal(m.w.groups, 2);
    assert_int_equal(m.w.blocks, 3);
    assert_int_equal(fl_q4_nibble_bytes(&m.w), 768);
    assert_int_equal(fl_q4_scale_bytes(&m.w), 128); /* 96, up to whole lines */
}

/* Half a step from the numbers, or one at the end that is opposite to the largest. */
static void weights_come_back_within_a_step(void **state)
{
    struct matrix m;

    (void)state;
    shape(&m);
    for (size_t row = 0; row < ROWS; row++) {
        for (size_t block = 0; block < COLS / FL_Q4_BLOCK; block++) {
            const float size = ldexpf(1, (int)(fl_draw(7, row, block) % 30) - 14);
            float x[FL_Q4_BLOCK], largest = 0, extreme = 0;

            for (size_t i = 0; i < FL_Q4_BLOCK; i++) {
                x[i] = size * (float)(int32_t)fl_draw(row, block, i) * 0x1p-31f;
                if (fabsf(x[i]) > largest)
                    largest = fabsf(x[i]), extreme = x[i];
            }
            fl_q4_set_block(&m.w, row, block, x);
            for (size_t i = 0; i < FL_Q4_BLOCK; i++) {
                const float back = fl_q4_get(&m.w, row, block * FL_Q4_BLOCK + i);
                /* The scale is rounded to 11 bits, or where it is small to 2^-24. */
                const float step = largest / 8 * 1.0005f + 0x1p-25f;
                const float bound = x[i] / extreme < -7.4f / 8 ? step : step / 2 + 8 * 0x1p-25f;

                assert_true(fabsf(back - x[i]) <= bound);
            }
        }
    }
}

static void a_block_touches_its_own_weights_alone(void **state)
{
    float x[FL_Q4_BLOCK];
    struct matrix m;

    (void)state;
    shape(&m);
    fl_q4_fill(&m.w, 5, 0, GROUPS);
    const struct matrix before = m;

    for (size_t i = 0; i < FL_Q4_BLOCK; i++)
        x[i] = i % 2 ? 8 : -3;
    fl_q4_set_block(&m.w, 9, 1, x);
    for (size_t row = 0; row < ROWS; row++)
        for (size_t col = 0; col < COLS; col++) {
            struct fl_q4 old = m.w;

            old.nibbles = (uint8_t *)(uintptr_t)before.nibbles;
            old.scales = (uint16_t *)(uintptr_t)before.scales;
            if (row == 9 && col / FL_Q4_BLOCK == 1)
                assert_true(fl_q4_get(&m.w, row, col) == x[col % FL_Q4_BLOCK]);
            else
                assert_true(fl_q4_get(&m.w, row, col) == fl_q4_get(&old, row, col));
        }
}

static void zeros_and_the_largest_scale_are_kept(void **state)
{
    float x[FL_Q4_BLOCK] = {0};
    struct matrix m;

    (void)state;
    shape(&m);
    fl_q4_set_block(&m.w, 0, 0, x);
    assert_true(fl_q4_get(&m.w, 0, 31) == 0);
    x[17] = 8 * 65504.0f;
    fl_q4_set_block(&m.w, 0, 0, x);
    assert_true(fl_q4_get(&m.w, 0, 17) == 8 * 65504.0f);
    assert_true(fl_q4_get(&m.w, 0, 16) == 0);
}

/* 3/4 of the way from one fp16 to the next. */
static void scales_are_rounded_to_nearest(void **state)
{
    float x[FL_Q4_BLOCK] = {-8 * (1 + 0.75f * 0x1p-10f)};
    struct matrix m;

    (void)state;
    shape(&m);
    fl_q4_set_block(&m.w, 0, 0, x);
    assert_true(fl_q4_get(&m.w, 0, 0) == -8 * (1 + 0x1p-10f));
}

/* Every finite fp16, against the definition. */
static void halves_are_read_exactly(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 0x10000; bits++) {
        const unsigned exponent = bits >> 10 & 0x1f, mantissa = bits & 0x3ff;
        const double size =
            exponent ? ldexp(1024 + mantissa, (int)exponent - 25) : ldexp(mantissa, -24);

        if (exponent != 0x1f)
            assert_true((double)fl_q4_from_half((uint16_t)bits) == (bits & 0x8000 ? -size : size));
    }
}

/* A draw must neither depend on the split nor let a chain of matvecs grow or fade quickly. */
static void drawn_weights_keep_the_size_of_vectors(void **state)
{
    struct matrix whole, split;
    double square = 0, sum = 0;

    (void)state;
    shape(&whole);
    shape(&split);
    fl_q4_fill(&whole.w, 3, 0, GROUPS);
    fl_q4_fill(&split.w, 3, 1, GROUPS);
    fl_q4_fill(&split.w, 3, 0, 1);
    assert_memory_equal(whole.nibbles, split.nibbles, sizeof(whole.nibbles));
    assert_memory_equal(whole.scales, split.scales, sizeof(whole.scales));
    for (size_t row = 0; row < ROWS; row++)
        for (size_t col = 0; col < COLS; col++) {
            const double weight = (double)fl_q4_get(&whole.w, row, col);

            sum += weight;
            square += weight * weight;
        }
    assert_true(square / ROWS > 0.8 && square / ROWS < 1.25);
    assert_true(fabs(sum) < 4 * sqrt(square));
    for (size_t row = ROWS; row < GROUPS * FL_Q4_ROWS; row++)
        assert_true(fl_q4_get(&whole.w, row, 40) == 0);
}

static void every_instruction_set_gives_the_same_bits(void **state)
{
    unsigned sets = 0;

    (void)state;
    assert_int_equal(q4_run_cases(&sets), 0);
    assert_true(sets >= 1);
}

static void dot_products_are_asked_for_beside_the_set(void **state)
{
    struct fl_err err = {""};
    enum fl_isa isa;

    (void)state;
    assert_int_equal(fl_isa_choose_dot("auto", &isa, &err), 0);
    assert_int_equal(fl_isa_probe_dot(isa, &err), 0);
    assert_non_null(fl_q4_micro(isa));
    assert_int_equal(fl_q4_micro(isa)->isa, isa);
    for (int i = 0; i < FL_ISA_COUNT; i++)
        if (fl_isa_probe((enum fl_isa)i, NULL))
            assert_int_not_equal(fl_isa_probe_dot((enum fl_isa)i, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_have_whole_groups),
        cmocka_unit_test(weights_come_back_within_a_step),
        cmocka_unit_test(a_block_touches_its_own_weights_alone),
        cmocka_unit_test(zeros_and_the_largest_scale_are_kept),
        cmocka_unit_test(scales_are_rounded_to_nearest),
        cmocka_unit_test(halves_are_read_exactly),
        cmocka_unit_test(drawn_weights_keep_the_size_of_vectors),
        cmocka_unit_test(every_instruction_set_gives_the_same_bits),
        cmocka_unit_test(dot_products_are_asked_for_beside_the_set),
    };

    return cmocka_run_group_tests_name("q4", tests, NULL, NULL);
}
