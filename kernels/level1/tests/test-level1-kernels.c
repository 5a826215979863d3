/* SPDX-License-Identifier: Apache-2.0 */
/* Level-1 kernels through their tables: results, instruction sets, threads, and what check() sees.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel-harness.h"
#include "level1-kernel.h"
#include "team-rig.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const char *const kernels[] = {
    "sasum", "dasum", "scasum", "dzasum", "ssum",   "dsum",   "scsum",  "dzsum", "scopy",
    "dcopy", "ccopy", "zcopy",  "sdot",   "ddot",   "cdotu",  "cdotc",  "zdotu", "zdotc",
    "saxpy", "daxpy", "caxpy",  "zaxpy",  "isamax", "idamax", "icamax", "izamax"};
static const int strides[] = {1, 2, 4, -1, -3, 0};
static const int sizes[] = {0, 1, 2, 3, 7, 16, 33, 100, 257, 1000, 4099};

static bool has_y(const char *kernel)
{
    return fl_level1_find(kernel)->routine->has_y;
}

/* Every kernel on an instruction set: all strides of x and y, all sizes. */
static void check_set(const char *isa)
{
    struct fl_err err = {""};
    enum fl_isa set;
    char cell[128];
    struct harness h;

    if (fl_isa_choose(isa, &set, &err)) {
        print_message("skipped: %s\n", err.text);
        skip();
    }
    for (size_t k = 0; k < COUNT(kernels); k++)
        for (size_t s = 0; s < COUNT(strides) * COUNT(strides); s++)
            for (size_t n = 0; n < COUNT(sizes); n++) {
                const int x = strides[s % COUNT(strides)], y = strides[s / COUNT(strides)];

                if (!has_y(kernels[k]) && s >= COUNT(strides))
                    continue;
                snprintf(cell, sizeof(cell), "kernel=%s n=%d isa=%s stride=%d", kernels[k],
                         sizes[n], isa, x);
                if (has_y(kernels[k]))
                    snprintf(cell + strlen(cell), sizeof(cell) - strlen(cell), " stride-y=%d", y);
                harness_must_open(&h, cell, NULL);
                harness_must_check(&h, cell);
                harness_close(&h);
            }
}

#define RIGHT_ON(name, isa)                                                                        \
    static void results_are_right_on_##name(void **state)                                          \
    {                                                                                              \
        (void)state;                                                                               \
        check_set(isa);                                                                            \
    }

RIGHT_ON(portable, "portable")
RIGHT_ON(avx2, "avx2")
RIGHT_ON(avx512, "avx512")
RIGHT_ON(neon, "neon")

/* Where even small integers round in their sum, the check allows for it. */
static void long_vectors_of_floats_are_checked_within_a_bound(void **state)
{
    static const char *const cells[] = {"kernel=sdot n=9000000", "kernel=sasum n=9000000",
                                        "kernel=ddot n=3000000", "kernel=isamax n=3000000"};
    struct harness h;

    (void)state;
    for (size_t i = 0; i < COUNT(cells); i++) {
        harness_must_open(&h, cells[i], NULL);
        assert_int_equal(((struct fl_level1_state *)h.state)->operands.exact, i >= 2);
        harness_must_check(&h, cells[i]);
        harness_close(&h);
    }
}

static void splits_of_one_to_seven_threads_are_right(void **state)
{
    static const int lengths[] = {0, 1, 5, 16, 17, 64, 65, 1000, 1031};
    struct team_rig rig;
    struct harness h;
    char cell[128];

    (void)state;
    for (unsigned threads = 1; threads <= 7; threads += threads == 4 ? 3 : 1) {
        team_rig_open(&rig, threads);
        for (size_t k = 0; k < COUNT(kernels); k++)
            for (size_t n = 0; n < COUNT(lengths); n++)
                for (size_t s = 0; s < 4; s++) {
                    snprintf(cell, sizeof(cell), "kernel=%s n=%d stride=%d rule=all", kernels[k],
                             lengths[n], strides[s]);
                    harness_must_open(&h, cell, &rig.team);
                    harness_must_check(&h, cell);
                    harness_close(&h);
                }
        assert_true(threads == 1 || rig.regions > 0);
        team_rig_close(&rig);
    }
}

/* Each element builds on the one before: such a call cannot be shared. */
static void a_stride_of_0_in_y_stays_on_one_thread(void **state)
{
    static const char *const cells[] = {"kernel=daxpy n=1000 stride-y=0 rule=all",
                                        "kernel=ccopy n=1000 stride=0 rule=all",
                                        "kernel=saxpy n=1000 stride=0 rule=calibrated"};
    struct team_rig rig;
    struct harness h;

    (void)state;
    team_rig_open(&rig, 3);
    for (size_t i = 0; i < COUNT(cells); i++) {
        harness_must_open(&h, cells[i], &rig.team);
        harness_must_check(&h, cells[i]);
        assert_string_equal(fl_facts_get(&h.facts, "threads-used"), "1");
        harness_close(&h);
    }
    assert_int_equal(rig.regions, 0);
    team_rig_close(&rig);
}

static struct fl_level1_value value_on(const char *cell, const struct fl_team *team)
{
    struct fl_level1_value value;
    struct harness h;

    harness_must_open(&h, cell, team);
    assert_int_equal(h.ops->run(h.state, &h.workspace), 0);
    value = ((struct fl_level1_state *)h.state)->call.value;
    harness_close(&h);
    return value;
}

static void a_rule_that_falls_back_gives_the_bits_of_one_thread(void **state)
{
    static const char *const rules[] = {"one", "n>1000", "bytes-per-thread:1G"};
    struct team_rig rig;
    char cell[128];

    (void)state;
    team_rig_open(&rig, 4);
    for (size_t k = 0; k < COUNT(kernels); k++) {
        if (fl_level1_find(kernels[k])->routine->writes_y)
            continue;
        snprintf(cell, sizeof(cell), "kernel=%s n=999", kernels[k]);
        const struct fl_level1_value one = value_on(cell, NULL);

        for (size_t r = 0; r < COUNT(rules); r++) {
            snprintf(cell, sizeof(cell), "kernel=%s n=999 rule=%s", kernels[k], rules[r]);
            const struct fl_level1_value fallen = value_on(cell, &rig.team);

            assert_memory_equal(&one, &fallen, sizeof(one));
        }
    }
    assert_int_equal(rig.regions, 0);
    team_rig_close(&rig);
}

static void results_of_a_team_repeat_bit_by_bit(void **state)
{
    struct team_rig rig;
    char cell[128];

    (void)state;
    team_rig_open(&rig, 3);
    for (size_t k = 0; k < COUNT(kernels); k++) {
        snprintf(cell, sizeof(cell), "kernel=%s n=1234", kernels[k]);
        const struct fl_level1_value first = value_on(cell, &rig.team);
        const struct fl_level1_value second = value_on(cell, &rig.team);

        assert_memory_equal(&first, &second, sizeof(first));
    }
    team_rig_close(&rig);
}

/* As the reference BLAS defines it. */
static void sums_and_maxima_of_strides_below_1_are_0(void **state)
{
    static const char *const names[] = {"dasum", "scasum", "ssum", "idamax", "icamax"};
    char cell[128];

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++)
        for (int stride = -2; stride <= 0; stride++) {
            snprintf(cell, sizeof(cell), "kernel=%s n=100 stride=%d", names[i], stride);
            const struct fl_level1_value value = value_on(cell, NULL);

            assert_true(value.re == 0 || value.index == 0);
        }
}

static void the_first_of_equal_maxima_counts_and_nan_never_wins(void **state)
{
    float x[300] = {0};
    struct fl_err err = {""};

    (void)state;
    x[0] = NAN;
    x[130] = -5;
    x[131] = 5;
    x[140] = NAN;
    x[299] = 5;
    for (int isa = 0; isa < FL_ISA_COUNT; isa++) {
        if (fl_isa_probe((enum fl_isa)isa, &err))
            continue;
        const struct fl_level1_set *set = fl_level1_set((enum fl_isa)isa);
        struct fl_level1_slice slice = {.n = 300, .x = x, .stride_x = 1, .stride_y = 1};
        struct fl_level1_value value = {0};

        set->ops[FL_LEVEL1_S][FL_LEVEL1_IAMAX](&slice, &value);
        assert_int_equal(value.index, 130);
        slice.n = 150;
        set->ops[FL_LEVEL1_C][FL_LEVEL1_IAMAX](&slice, &value);
        assert_int_equal(value.index, 65);
        slice.n = 1;
        set->ops[FL_LEVEL1_S][FL_LEVEL1_IAMAX](&slice, &value);
        assert_true(value.re < 0);
    }
}

static void wrong(const struct fl_level1_slice *slice, struct fl_level1_value *value)
{
    const struct fl_level1_slice less = {.n = slice->n - 1,
                                         .x = slice->x,
                                         .y = slice->y,
                                         .stride_x = slice->stride_x,
                                         .stride_y = slice->stride_y,
                                         .alpha = {slice->alpha[0], slice->alpha[1]}};

    if (slice->y)
        fl_level1_set(FL_ISA_PORTABLE)->ops[FL_LEVEL1_D][FL_LEVEL1_COPY](&less, value);
    value->re = 1e-3;
    value->index = slice->n + 7;
}

static void check_stops_wrong_results(void **state)
{
    static const char *const cells[] = {"kernel=dasum n=100", "kernel=dsum n=100",
                                        "kernel=ddot n=100",  "kernel=dcopy n=100",
                                        "kernel=daxpy n=100", "kernel=idamax n=100"};
    struct harness h;

    (void)state;
    for (size_t i = 0; i < COUNT(cells); i++) {
        struct fl_err err = {""};

        harness_must_open(&h, cells[i], NULL);
        ((struct fl_level1_state *)h.state)->call.fn = wrong;
        if (h.ops->check(h.state, &h.workspace, &err) != -EBADMSG)
            fail_msg("%s passed", cells[i]);
        assert_true(err.text[0] != '\0');
        harness_close(&h);
    }
}

static void beside(const struct fl_level1_slice *slice, struct fl_level1_value *value)
{
    fl_level1_set(FL_ISA_PORTABLE)->ops[FL_LEVEL1_D][FL_LEVEL1_COPY](slice, value);
    ((double *)slice->y)[1] = 0;
}

static void check_stops_writes_between_elements(void **state)
{
    struct fl_err err = {""};
    struct harness h;

    (void)state;
    harness_must_open(&h, "kernel=dcopy n=10 stride=2", NULL);
    ((struct fl_level1_state *)h.state)->call.fn = beside;
    assert_int_equal(h.ops->check(h.state, &h.workspace, &err), -EBADMSG);
    assert_non_null(strstr(err.text, "between"));
    harness_close(&h);
}

static void cost_counts_vectors_read_and_written(void **state)
{
    static const struct {
        const char *cell;
        double flops, bytes;
    } rows[] = {
        {"kernel=sasum n=10", 10, 40},  {"kernel=dzasum n=10", 20, 160},
        {"kernel=ddot n=10", 20, 160},  {"kernel=cdotu n=10", 80, 160},
        {"kernel=scopy n=10", 0, 80},   {"kernel=saxpy n=10 stride=3", 20, 120},
        {"kernel=zaxpy n=10", 80, 480}, {"kernel=isamax n=10", 0, 40},
    };
    struct fl_cost cost;
    struct harness h;

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(harness_cell(&h, rows[i].cell, NULL), 0);
        assert_int_equal(h.ops->cost(&h.cell, &cost, NULL), 0);
        assert_true(cost.flops == rows[i].flops && cost.bytes == rows[i].bytes);
    }
}

static void bad_levels_are_refused(void **state)
{
    static const char *const cells[] = {
        "kernel=saxpy",           "kernel=saxpy n=-1",         "kernel=saxpy n=8 stride=x",
        "kernel=saxpy n=8 rule=", "kernel=saxpy n=8 rule=n>x", "kernel=saxpy n=8 stride-y=1.5",
        "kernel=taxpy n=8",       "kernel=dasum n=8 isa=sse9"};
    struct fl_cost cost;
    struct harness h;

    (void)state;
    for (size_t i = 0; i < COUNT(cells); i++) {
        struct fl_err err = {""};

        if (harness_cell(&h, cells[i], &err) != -EINVAL)
            fail_msg("'%s' was taken", cells[i]);
        assert_true(err.text[0] != '\0');
    }
    assert_int_equal(harness_cell(&h, "kernel=zcopy n=1000000000 stride=65536", NULL), 0);
    assert_int_equal(h.ops->cost(&h.cell, &cost, NULL), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_right_on_portable),
        cmocka_unit_test(results_are_right_on_avx2),
        cmocka_unit_test(results_are_right_on_avx512),
        cmocka_unit_test(results_are_right_on_neon),
        cmocka_unit_test(long_vectors_of_floats_are_checked_within_a_bound),
        cmocka_unit_test(splits_of_one_to_seven_threads_are_right),
        cmocka_unit_test(a_stride_of_0_in_y_stays_on_one_thread),
        cmocka_unit_test(a_rule_that_falls_back_gives_the_bits_of_one_thread),
        cmocka_unit_test(results_of_a_team_repeat_bit_by_bit),
        cmocka_unit_test(sums_and_maxima_of_strides_below_1_are_0),
        cmocka_unit_test(the_first_of_equal_maxima_counts_and_nan_never_wins),
        cmocka_unit_test(check_stops_wrong_results),
        cmocka_unit_test(check_stops_writes_between_elements),
        cmocka_unit_test(cost_counts_vectors_read_and_written),
        cmocka_unit_test(bad_levels_are_refused),
    };

    return cmocka_run_group_tests_name("level1-kernels", tests, NULL, NULL);
}
