/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocking: Eigen's rules against published sizes and against what Eigen 3.4.0 itself computes; the
 * grammar of the levels; the bounds of `auto`.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "blocking.h"

#define NEON  "eigen-master:l1=64K:l2=2M:mr=6:nr=8"
#define ZEN   "eigen-3.4:l1=32K:l2=1M:mr=12:nr=4"
#define ZEN_M "eigen-master:l1=32K:l2=1M:mr=12:nr=4"
#define WIDE  "eigen-master:l1=48K:l2=2M:mr=24:nr=8"

struct row {
    const char *level;
    size_t m, n, k, scalar;
    size_t kc, mc, nc;
};

static struct fl_blocking resolve(const struct row *row, bool syrk)
{
    const struct fl_blocking_input input = {.m = row->m,
                                            .n = row->n,
                                            .k = row->k,
                                            .syrk = syrk,
                                            .scalar = row->scalar,
                                            .l1 = 48 << 10,
                                            .l2 = 2 << 20,
                                            .lanes = 4,
                                            .mr = 12,
                                            .nr = 4};
    struct fl_blocking blocking = {0, 0, 0, 0};
    struct fl_err err = {""};

    if (fl_blocking_resolve(row->level, &input, &blocking, &err))
        fail_msg("%s", err.text);
    return blocking;
}

static void compare(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct row *r = &rows[i];
        const struct fl_blocking b = resolve(r, false);

        if (b.kc != r->kc || b.mc != r->mc || b.nc != r->nc)
            fail_msg("%s of %zux%zux%zu: got %zux%zux%zu, want %zux%zux%zu", r->level, r->m, r->n,
                     r->k, b.kc, b.mc, b.nc, r->kc, r->mc, r->nc);
    }
}

#define SQUARE(level, size, kc, mc, nc)                                                            \
    {                                                                                              \
        level, size, size, size, 8, kc, mc, nc                                                     \
    }

/* Block sizes published with the page faults that they cause. */
static void published_sizes_are_met(void **state)
{
    static const struct row rows[] = {
        SQUARE(NEON, 144, 144, 144, 144),  SQUARE(NEON, 160, 160, 84, 160),
        SQUARE(NEON, 192, 192, 192, 192),  SQUARE(NEON, 200, 200, 102, 200),
        SQUARE(NEON, 240, 240, 240, 240),  SQUARE(NEON, 448, 448, 448, 224),
        SQUARE(NEON, 512, 512, 512, 256),  SQUARE(NEON, 640, 328, 640, 320),
        SQUARE(ZEN, 144, 144, 144, 144),   SQUARE(ZEN, 160, 160, 84, 160),
        SQUARE(ZEN, 176, 176, 96, 176),    SQUARE(ZEN, 192, 192, 192, 192),
        SQUARE(ZEN, 200, 200, 108, 200),   SQUARE(ZEN, 240, 240, 240, 240),
        SQUARE(ZEN_M, 144, 144, 144, 144), SQUARE(ZEN_M, 176, 176, 96, 176),
        SQUARE(ZEN_M, 200, 200, 108, 200), SQUARE(ZEN_M, 240, 240, 240, 240),
    };

    (void)state;
    compare(rows, sizeof(rows) / sizeof(rows[0]));
}

/* What Eigen 3.4.0's own function returned for these caches, built for AVX2 and for AVX-512. */
static void sizes_that_eigen_computes_are_met(void **state)
{
    static const struct row rows[] = {
        {"eigen-3.4:l1=48K:l2=2M:mr=12:nr=4", 264, 264, 264, 8, 264, 132, 264},
        {"eigen-3.4:l1=48K:l2=2M:mr=12:nr=4", 432, 432, 432, 8, 224, 432, 216},
        {"eigen-3.4:l1=48K:l2=2M:mr=12:nr=4", 640, 640, 640, 8, 328, 640, 216},
        {"eigen-3.4:l1=48K:l2=2M:mr=12:nr=4", 1000, 1000, 1000, 8, 336, 1000, 252},
        {"eigen-3.4:l1=48K:l2=2M:mr=12:nr=4", 678, 3300, 900, 8, 304, 678, 300},
        {"eigen-3.4:l1=48K:l2=2M:mr=12:nr=4", 1872, 1326, 444, 8, 224, 1872, 332},
        {"eigen-3.4:l1=48K:l2=2M:mr=12:nr=4", 587, 2098, 601, 8, 304, 587, 300},
        {"eigen-3.4:l1=48K:l2=2M:mr=12:nr=4", 154, 3316, 322, 8, 322, 154, 304},
        {"eigen-3.4:l1=32K:l2=1M:l3=32M:mr=12:nr=4", 264, 264, 264, 8, 136, 264, 264},
        {"eigen-3.4:l1=32K:l2=1M:l3=32M:mr=12:nr=4", 432, 432, 432, 8, 224, 432, 432},
        {"eigen-3.4:l1=32K:l2=1M:l3=32M:mr=12:nr=4", 640, 640, 640, 8, 216, 640, 320},
        {"eigen-3.4:l1=32K:l2=1M:l3=32M:mr=12:nr=4", 1000, 1000, 1000, 8, 208, 1000, 336},
        {"eigen-3.4:l1=32K:l2=1M:l3=32M:mr=12:nr=4", 1332, 3527, 866, 8, 224, 1332, 392},
        {"eigen-3.4:l1=32K:l2=1M:l3=32M:mr=12:nr=4", 1721, 179, 747, 8, 192, 1721, 179},
        {"eigen-3.4:l1=32K:l2=1M:l3=32M:mr=12:nr=4", 1571, 737, 505, 8, 176, 1571, 372},
        {"eigen-3.4:l1=32K:l2=1M:l3=32M:mr=12:nr=4", 964, 1789, 505, 8, 176, 964, 448},
        {"eigen-3.4:l1=48K:l2=2M:l3=32M:mr=24:nr=4", 264, 264, 264, 4, 264, 264, 264},
        {"eigen-3.4:l1=48K:l2=2M:l3=32M:mr=24:nr=4", 432, 432, 432, 4, 432, 216, 432},
        {"eigen-3.4:l1=48K:l2=2M:l3=32M:mr=24:nr=4", 640, 640, 640, 4, 328, 640, 320},
        {"eigen-3.4:l1=48K:l2=2M:l3=32M:mr=24:nr=4", 1000, 1000, 1000, 4, 336, 1000, 500},
        {"eigen-3.4:l1=48K:l2=2M:l3=32M:mr=24:nr=4", 750, 3885, 962, 4, 328, 750, 556},
        {"eigen-3.4:l1=48K:l2=2M:l3=32M:mr=24:nr=4", 1393, 258, 231, 4, 231, 480, 258},
        {"eigen-3.4:l1=48K:l2=2M:l3=32M:mr=24:nr=4", 1214, 2935, 531, 4, 272, 1214, 588},
        {"eigen-3.4:l1=48K:l2=2M:l3=32M:mr=24:nr=4", 1113, 807, 856, 4, 432, 1113, 404},
        {"eigen-3.4:l1=48K:l2=2M:l3=32M:mr=24:nr=4", 264, 264, 264, 8, 264, 264, 132},
        {"eigen-3.4:l1=48K:l2=2M:l3=32M:mr=24:nr=4", 432, 432, 432, 8, 432, 432, 144},
        {"eigen-3.4:l1=48K:l2=2M:l3=32M:mr=24:nr=4", 640, 640, 640, 8, 640, 640, 128},
        {"eigen-3.4:l1=48K:l2=2M:l3=32M:mr=24:nr=4", 1000, 1000, 1000, 8, 504, 1000, 168},
        {"eigen-3.4:l1=48K:l2=2M:l3=32M:mr=24:nr=4", 1908, 3745, 954, 8, 480, 1908, 164},
        {"eigen-3.4:l1=48K:l2=2M:l3=32M:mr=24:nr=4", 1509, 3898, 621, 8, 621, 1509, 156},
        {"eigen-3.4:l1=48K:l2=2M:l3=32M:mr=24:nr=4", 830, 3581, 499, 8, 499, 830, 164},
        {"eigen-3.4:l1=48K:l2=2M:l3=32M:mr=24:nr=4", 1048, 1301, 678, 8, 678, 1048, 132},
        {"eigen-3.4:l1=32K:l2=1M:l3=32M:mr=48:nr=4", 264, 264, 264, 4, 264, 144, 264},
        {"eigen-3.4:l1=32K:l2=1M:l3=32M:mr=48:nr=4", 432, 432, 432, 4, 432, 240, 432},
        {"eigen-3.4:l1=32K:l2=1M:l3=32M:mr=48:nr=4", 640, 640, 640, 4, 328, 640, 320},
        {"eigen-3.4:l1=32K:l2=1M:l3=32M:mr=48:nr=4", 1000, 1000, 1000, 4, 504, 1000, 336},
        {"eigen-3.4:l1=32K:l2=1M:l3=32M:mr=48:nr=4", 1146, 1223, 414, 4, 414, 1146, 408},
        {"eigen-3.4:l1=32K:l2=1M:l3=32M:mr=48:nr=4", 2, 2187, 202, 4, 202, 2, 148},
        {"eigen-3.4:l1=32K:l2=1M:l3=32M:mr=48:nr=4", 506, 2936, 438, 4, 438, 506, 420},
        {"eigen-3.4:l1=32K:l2=1M:l3=32M:mr=48:nr=4", 1467, 681, 696, 4, 352, 1467, 344},
    };

    (void)state;
    compare(rows, sizeof(rows) / sizeof(rows[0]));
}

/* AVX-512 in the development branch: the first level counts four times for nc, and kc is bounded by
 * 85 % of the real one. Worked out by hand from the rule. */
static void wide_kernels_are_bounded_by_the_real_cache(void **state)
{
    static const struct row rows[] = {
        SQUARE(WIDE, 1000, 144, 1000, 1000),
        SQUARE(WIDE, 192, 104, 192, 40),
    };

    (void)state;
    compare(rows, sizeof(rows) / sizeof(rows[0]));
}

/* Small products stay whole; degenerate caches still give blocks of at least one. */
static void extremes_keep_their_bounds(void **state)
{
    static const struct row rows[] = {
        SQUARE(ZEN, 47, 47, 47, 47),
        SQUARE("eigen-3.4:l1=1:l2=1:mr=12:nr=4", 100, 1, 100, 100),
        {ZEN, 1, 65536, 1, 8, 1, 1, 3856},
    };

    (void)state;
    compare(rows, sizeof(rows) / sizeof(rows[0]));
}

/* syrk: all columns of B are packed and mc is a multiple of nr. */
static void syrk_cuts_rows_to_the_other_unit(void **state)
{
    const struct row rows[] = {
        SQUARE(NEON, 160, 160, 80, 160),  SQUARE(NEON, 200, 200, 96, 200),
        SQUARE(NEON, 512, 512, 512, 512), SQUARE(NEON, 640, 328, 640, 640),
        SQUARE(ZEN, 176, 176, 96, 176),   SQUARE(ZEN, 200, 200, 108, 200),
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct fl_blocking b = resolve(&rows[i], true);

        assert_int_equal(b.kc, rows[i].kc);
        assert_int_equal(b.mc, rows[i].mc);
        assert_int_equal(b.nc, rows[i].nc);
    }
}

static void alignment_is_a_vector_of_the_rule(void **state)
{
    const struct row rows[] = {
        SQUARE(NEON, 192, 16, 0, 0),
        SQUARE(ZEN, 192, 32, 0, 0),
        SQUARE(WIDE, 192, 64, 0, 0),
        {"eigen-3.4:l1=32K:l2=1M:mr=24:nr=4", 192, 192, 192, 4, 32, 0, 0},
        {"eigen-master:l1=64K:l2=2M:mr=12:nr=8", 192, 192, 192, 4, 16, 0, 0},
        SQUARE("64x64x64", 192, 32, 0, 0),
        SQUARE("auto", 192, 32, 0, 0),
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(resolve(&rows[i], false).align, rows[i].kc);
}

static void given_sizes_are_cut_to_the_product(void **state)
{
    static const struct row rows[] = {
        {"192x96x48", 300, 300, 300, 8, 192, 96, 48},
        {"192x96x48", 30, 20, 10, 8, 10, 30, 20},
    };

    (void)state;
    compare(rows, 2);
}

static void auto_stays_within_the_product(void **state)
{
    (void)state;
    for (size_t n = 1; n < 3000; n += 1 + n / 9) {
        for (size_t k = 1; k < 3000; k += 1 + k / 3) {
            const struct row row = {"auto", n, n, k, 8, 0, 0, 0};
            const struct fl_blocking b = resolve(&row, false);

            assert_in_range(b.kc, 1, k);
            assert_in_range(b.mc, 1, n);
            assert_in_range(b.nc, 1, n);
        }
    }
}

static void mistakes_say_what_is_wanted(void **state)
{
    static const char *const wrong[] = {
        "",
        "Auto",
        "192",
        "192x192",
        "192x192x",
        "192x192x192x192",
        "0x1x1",
        "-1x1x1",
        "1x1x99999999999999999999",
        "192x192x192 ",
        "eigen-3.4",
        "eigen-3.4:",
        "eigen-3.5:l1=32K:l2=1M:mr=12:nr=4",
        "eigen-3.4:l1=32K:mr=12:nr=4",
        "eigen-3.4:l1=32K:l2=1M:mr=12:nr=4:",
        "eigen-3.4:l1=32K:l1=32K:l2=1M:mr=12:nr=4",
        "eigen-3.4:l1=32K:l2=1M:mr=0:nr=4",
        "eigen-3.4:l1=32K:l2=1M:mr=12:nr=4.5",
        "eigen-3.4:l1=32K:l2=1M:mr=12:nr=4:l4=1M",
        "eigen-3.4:l1=-1:l2=1M:mr=12:nr=4",
        "eigen-3.4:l1=32K:l2=1M:mr=9999:nr=4",
        "eigen-3.4:l1:l2=1M:mr=12:nr=4",
        "eigen-3.4:l1=1000000000000000000000000000000000000:l2=1M:mr=12:nr=4",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct fl_err err = {""};

        if (fl_blocking_check(wrong[i], &err) != -EINVAL)
            fail_msg("'%s' was taken", wrong[i]);
        assert_non_null(strstr(err.text, "KCxMCxNC"));
    }
}

static void auto_caches_are_those_of_the_machine(void **state)
{
    struct fl_blocking_input in = {.m = 264,
                                   .n = 264,
                                   .k = 264,
                                   .scalar = 8,
                                   .lanes = 8,
                                   .mr = 8,
                                   .nr = 8,
                                   .l1 = 48 << 10,
                                   .l2 = 2 << 20};
    struct fl_blocking symbolic, spelt;
    struct fl_err err;

    (void)state;
    assert_int_equal(
        fl_blocking_resolve("eigen-3.4:l1=auto:l2=auto:mr=12:nr=4", &in, &symbolic, &err), 0);
    assert_int_equal(fl_blocking_resolve("eigen-3.4:l1=48K:l2=2M:mr=12:nr=4", &in, &spelt, &err),
                     0);
    assert_memory_equal(&symbolic, &spelt, sizeof(spelt));
    assert_int_equal(symbolic.mc, 132);
    in.l1 = 0;
    assert_int_equal(
        fl_blocking_resolve("eigen-3.4:l1=auto:l2=1M:mr=12:nr=4", &in, &symbolic, &err), -ENOTSUP);
    assert_non_null(strstr(err.text, "caches are unknown"));
    assert_int_equal(fl_blocking_check("eigen-3.4:l1=auto:l2=auto:mr=auto:nr=4", NULL), -EINVAL);
}

static void every_form_is_taken(void **state)
{
    static const char *const right[] = {
        "auto",
        "1x1x1",
        "192x192x192",
        ZEN,
        NEON,
        WIDE,
        "eigen-3.4:nr=4:mr=12:l2=1M:l1=32768",
        "eigen-master:l1=32K:l2=1M:l3=1.5M:mr=12:nr=4",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++)
        assert_int_equal(fl_blocking_check(right[i], NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_sizes_are_met),
        cmocka_unit_test(sizes_that_eigen_computes_are_met),
        cmocka_unit_test(wide_kernels_are_bounded_by_the_real_cache),
        cmocka_unit_test(extremes_keep_their_bounds),
        cmocka_unit_test(syrk_cuts_rows_to_the_other_unit),
        cmocka_unit_test(alignment_is_a_vector_of_the_rule),
        cmocka_unit_test(given_sizes_are_cut_to_the_product),
        cmocka_unit_test(auto_stays_within_the_product),
        cmocka_unit_test(mistakes_say_what_is_wanted),
        cmocka_unit_test(auto_caches_are_those_of_the_machine),
        cmocka_unit_test(every_form_is_taken),
    };

    return cmocka_run_group_tests_name("blocking", tests, NULL, NULL);
}
