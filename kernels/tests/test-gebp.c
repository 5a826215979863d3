/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The products of every instruction set that runs here, against a plain triple loop.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gebp.h"
#include "product-cases.h"

/* Calls `each` for every instruction set that runs here; those that do not say why. */
static void for_each_isa(void (*each)(enum fl_isa isa))
{
    struct fl_err why = {""};

    for (int i = 0; i < FL_ISA_COUNT; i++) {
        if (fl_isa_probe((enum fl_isa)i, &why) == 0)
            each((enum fl_isa)i);
        else
            print_message("skipped: %s\n", why.text);
    }
}

static void compare_edges(enum fl_isa isa)
{
    assert_int_equal(product_edges(isa, false, 36), 0);
    assert_int_equal(product_edges(isa, true, 56), 0);
}

static void every_edge_equals_the_reference(void **state)
{
    (void)state;
    for_each_isa(compare_edges);
}

static void compare_random(enum fl_isa isa)
{
    assert_int_equal(product_cases(isa, false, 40, 1500), 0);
    assert_int_equal(product_cases(isa, true, 40, 1500), 0);
}

static void random_small_products_equal_the_reference(void **state)
{
    (void)state;
    for_each_isa(compare_random);
}

static void compare_large(enum fl_isa isa)
{
    assert_int_equal(product_cases(isa, false, 200, 30), 0);
    assert_int_equal(product_cases(isa, true, 200, 30), 0);
}

static void random_larger_products_equal_the_reference(void **state)
{
    (void)state;
    for_each_isa(compare_large);
}

/* Counts the scalars of the packing buffers that a call leaves as they were. */
static void full_blocks_touch_all_of_both_buffers(void **state)
{
    enum { N = 96 };
    static double a[N * N], c[N * N], packed[2][N * N];

    (void)state;
    for (int syrk = 0; syrk < 2; syrk++) {
        void *buffers[2] = {packed[0], packed[1]};
        const struct fl_product p = {.syrk = syrk,
                                     .lower = true,
                                     .trans_b = syrk,
                                     .m = N,
                                     .n = N,
                                     .k = N,
                                     .lda = N,
                                     .ldb = N,
                                     .ldc = N,
                                     .alpha = 1,
                                     .beta = 1,
                                     .a = a,
                                     .b = a,
                                     .c = c,
                                     .blocking = {N / 2, N / 3, N, 64}};

        for (size_t i = 0; i < 2 * N * N; i++)
            packed[i / (N * N)][i % (N * N)] = (double)NAN;
        fl_gebp_f64(&p, fl_micro_f64(FL_ISA_PORTABLE), buffers);
        for (size_t i = 0; i < N * N; i++) {
            assert_int_equal(isnan(packed[0][i]), i >= fl_product_packed_a(&p));
            assert_int_equal(isnan(packed[1][i]), i >= fl_product_packed_b(&p));
        }
    }
}

/* alpha = 0 must not read A and B: what is not a number there stays there. */
static void zero_alpha_reads_neither_operand(void **state)
{
    double bad[4] = {(double)NAN, (double)NAN, (double)NAN, (double)NAN}, c[4] = {1, 2, 3, 4};
    double room[2][4];
    void *buffers[2] = {room[0], room[1]};
    const struct fl_product p = {.m = 2,
                                 .n = 2,
                                 .k = 2,
                                 .lda = 2,
                                 .ldb = 2,
                                 .ldc = 2,
                                 .beta = 3,
                                 .a = bad,
                                 .b = bad,
                                 .c = c,
                                 .blocking = {2, 2, 2, 16}};

    (void)state;
    fl_gebp_f64(&p, fl_micro_f64(FL_ISA_PORTABLE), buffers);
    for (int i = 0; i < 4; i++)
        assert_true(c[i] == 3 * (i + 1));
}

static void an_absent_instruction_set_says_why(void **state)
{
    struct fl_err why = {""};
    enum fl_isa isa;

    (void)state;
    assert_int_equal(fl_isa_choose("auto", &isa, &why), 0);
    assert_non_null(fl_micro_f64(isa));
    assert_int_equal(fl_isa_choose("portable", &isa, &why), 0);
    assert_int_equal(isa, FL_ISA_PORTABLE);
#if defined(__x86_64__)
    assert_int_equal(fl_isa_choose("neon", &isa, &why), -ENOTSUP);
    assert_non_null(strstr(why.text, "x86-64"));
    assert_null(fl_micro_f64(FL_ISA_NEON));
#endif
    assert_int_equal(fl_isa_choose("sse9", &isa, &why), -EINVAL);
    assert_non_null(strstr(why.text, "portable"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_edge_equals_the_reference),
        cmocka_unit_test(random_small_products_equal_the_reference),
        cmocka_unit_test(random_larger_products_equal_the_reference),
        cmocka_unit_test(full_blocks_touch_all_of_both_buffers),
        cmocka_unit_test(zero_alpha_reads_neither_operand),
        cmocka_unit_test(an_absent_instruction_set_says_why),
    };

    return cmocka_run_group_tests_name("gebp", tests, NULL, NULL);
}
