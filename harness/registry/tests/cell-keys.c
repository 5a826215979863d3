/* SPDX-License-Identifier: Apache-2.0 */
/* Keys: canonical, portable, and read back to the same cell. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "faultline/cell.h"

static struct fl_cell cell;
static char key[FL_CELL_KEY_MAX];

static const char *key_of(const char *text)
{
    struct fl_err err = {.text = ""};
    if (fl_cell_parse(&cell, text, &err))
        fail_msg("%s: %s", text, err.text);
    assert_int_equal(fl_cell_key(&cell, key, sizeof key), 0);
    return key;
}

static const char *mistake_of(const char *text)
{
    static struct fl_err err;
    err.text[0] = 0;
    assert_int_not_equal(fl_cell_parse(&cell, text, &err), 0);
    return err.text;
}

static void the_order_of_the_text_does_not_matter(void **state)
{
    (void)state;
    const char *canonical = "kernel=dgemm n=192 workspace=stack+malloc malloc=glibc";
    assert_string_equal(key_of("malloc=glibc n=192 workspace=stack+malloc kernel=dgemm"),
                        canonical);
    assert_string_equal(key_of(canonical), canonical);
}

static void fallbacks_are_implied(void **state)
{
    (void)state;
    assert_string_equal(key_of("kernel=dgemm n=8 trans=NN thp=off heap-offset=0 caller=main"),
                        "kernel=dgemm n=8 workspace=malloc malloc=glibc");
    assert_string_equal(fl_cell_get(&cell, "caller"), "main");
    assert_string_equal(
        key_of("kernel=dgemm n=8 heap-offset=2K caller=worker"),
        "kernel=dgemm n=8 workspace=malloc malloc=glibc heap-offset=2K caller=worker");
    assert_true(fl_cell_number(&cell, "heap-offset", -1) == 2048);
    assert_string_equal(key_of("kernel=dgemm n=8 history=blas:dsyrk_:4+6/malloc:1M"),
                        "kernel=dgemm n=8 workspace=malloc malloc=glibc "
                        "history=blas:dsyrk_:4+6/malloc:1M");
}

static void factors_that_the_kernel_does_not_use_drop_out(void **state)
{
    (void)state;
    assert_string_equal(key_of("kernel=dgemm n=8 uplo=L workspace=null"),
                        "kernel=dgemm n=8 workspace=null malloc=glibc");
    assert_null(fl_cell_get(&cell, "uplo"));
}

static void levels_may_hold_equals_signs_and_quotes(void **state)
{
    (void)state;
    const char *blocking = "eigen-3.4:l1=32K:l2=1M:mr=12:nr=4";
    key_of("kernel=dgemm n=8 blocking=eigen-3.4:l1=32K:l2=1M:mr=12:nr=4");
    assert_string_equal(fl_cell_get(&cell, "blocking"), blocking);
    assert_non_null(strstr(key, "blocking=eigen-3.4:l1=32K:l2=1M:mr=12:nr=4"));
    key_of("kernel=dgemm n=\"8\"");
    assert_non_null(strstr(key, " n=8 "));
}

static void split_undoes_what_key_quotes(void **state)
{
    static const struct fl_factor text = {.name = "label", .summary = "l", .type = FL_FACTOR_TEXT};
    static const char *const levels[] = {"",     "a b",  "a,b", "say \"hi\"", "back\\slash",
                                         "#x;y", "plain"};
    (void)state;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        char name[64], level[FL_LEVEL_MAX];
        struct fl_err err;
        fl_cell_clear(&cell);
        assert_int_equal(fl_cell_set(&cell, &text, levels[i], &err), 0);
        assert_int_equal(fl_cell_key(&cell, key, sizeof key), 0);
        const char *rest = key;
        assert_int_equal(fl_cell_split(&rest, name, sizeof name, level, sizeof level, &err), 1);
        assert_string_equal(name, "label");
        assert_string_equal(level, levels[i]);
        assert_int_equal(fl_cell_split(&rest, name, sizeof name, level, sizeof level, &err), 0);
    }
}

static void mistakes_name_the_thing_and_the_cure(void **state)
{
    (void)state;
    assert_non_null(strstr(mistake_of("n=8"), "'kernel' is missing"));
    assert_non_null(strstr(mistake_of("kernel=dgemn n=8"), "did you mean 'dgemm'"));
    assert_non_null(strstr(mistake_of("kernel=dgemm"), "'n' is missing"));
    assert_non_null(strstr(mistake_of("kernel=dgemm n=0"), "1 to 65536"));
    assert_non_null(
        strstr(mistake_of("kernel=dgemm n=8 workspce=null"), "did you mean 'workspace'"));
    assert_non_null(
        strstr(mistake_of("kernel=dgemm n=8 workspace=mallc"), "did you mean 'malloc'"));
    assert_non_null(strstr(mistake_of("kernel=dgemm n=8 n=9"), "given twice"));
    assert_non_null(strstr(mistake_of("kernel=dgemm n=8 malloc=hoard"), "unknown malloc"));
    assert_non_null(strstr(mistake_of("kernel=dgemm n=8 history=dsyrkk:8"), "'dsyrk'"));
    assert_non_null(strstr(mistake_of("kernel=dgemm n=8 history=malloc:1M/nul:8"), "'null'"));
    assert_non_null(strstr(mistake_of("kernel=dgemm n=8 heap-offset=100"), "multiple of 16"));
    assert_non_null(strstr(mistake_of("kernel=dgemm n=\"8"), "quote is not closed"));
    assert_non_null(strstr(mistake_of("kernel=dgemm n"), "expected factor=level"));
    assert_non_null(strstr(mistake_of("kernel=blas:dgemm_ n=8"), "needs the factor 'library'"));
    /* Our own library is no library to call a symbol of, and would drop out of the key. */
    assert_non_null(
        strstr(mistake_of("kernel=blas:dgemm_ n=8 library=faultline"), "the factor 'library'"));
}

static void openmp_factors_stand_where_a_runtime_may_be_at_work(void **state)
{
    (void)state;
    assert_string_equal(key_of("kernel=null-region threads=2 omp-wait=passive omp-runtime=libomp "
                               "library-threads=2 hogs=1"),
                        "kernel=null-region threads=2 malloc=glibc hogs=1");
    key_of("kernel=null-region threads=2 team=openmp omp-wait=spincount:100");
    assert_string_equal(fl_cell_get(&cell, "omp-wait"), "spincount:100");
    assert_string_equal(fl_cell_get(&cell, "omp-runtime"), "libgomp");
    assert_null(fl_cell_get(&cell, "library-threads"));
    key_of("kernel=blas:dgemm_ library=openblas n=8 library-threads=nproc omp-wait=active");
    assert_string_equal(fl_cell_get(&cell, "library-threads"), "nproc");
    assert_string_equal(fl_cell_get(&cell, "omp-wait"), "active");
}

static void a_knob_goes_with_the_runtime_that_reads_it(void **state)
{
    struct fl_err err;
    (void)state;
    const char *team = "kernel=null-region team=openmp ";
    const struct {
        const char *levels;
        int rc;
    } pairs[] = {
        {"omp-runtime=libgomp omp-wait=spincount:0", 0},
        {"omp-runtime=libomp omp-wait=spincount:0", -EDOM},
        {"omp-runtime=libomp omp-wait=blocktime:200ms", 0},
        {"omp-runtime=libgomp omp-wait=blocktime:200ms", -EDOM},
        {"omp-runtime=libomp omp-wait=passive", 0},
        {"omp-runtime=libomp omp-wait=blocktime:1us", -EINVAL},
        {"omp-wait=spincount:30000000001", -EINVAL},
        {"omp-wait=spincount:many", -EINVAL},
        {"omp-wait=spincount", -EINVAL},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s%s", team, pairs[i].levels);
        assert_int_equal(fl_cell_parse(&cell, text, &err), pairs[i].rc);
    }
}

static void a_key_that_does_not_fit_is_refused(void **state)
{
    char small[16];
    (void)state;
    key_of("kernel=dgemm n=8");
    assert_int_not_equal(fl_cell_key(&cell, small, sizeof small), 0);
    assert_int_not_equal(fl_cell_key(&cell, NULL, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_the_text_does_not_matter),
        cmocka_unit_test(fallbacks_are_implied),
        cmocka_unit_test(factors_that_the_kernel_does_not_use_drop_out),
        cmocka_unit_test(levels_may_hold_equals_signs_and_quotes),
        cmocka_unit_test(split_undoes_what_key_quotes),
        cmocka_unit_test(mistakes_name_the_thing_and_the_cure),
        cmocka_unit_test(openmp_factors_stand_where_a_runtime_may_be_at_work),
        cmocka_unit_test(a_knob_goes_with_the_runtime_that_reads_it),
        cmocka_unit_test(a_key_that_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
