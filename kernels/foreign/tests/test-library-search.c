/* SPDX-License-Identifier: Apache-2.0 */
/* Aliases lead to files of the right family, and what cannot be had is refused with the cure. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "faultline/library.h"

static bool has(const struct fl_library_environment *environment, const char *variable)
{
    for (const char *const *v = environment->variables; *v; v++)
        if (!strcmp(*v, variable))
            return true;
    return false;
}

/* The place of an alias, or a skip where its package is not installed. */
static void find_or_skip(const char *alias, const char *isa, struct fl_library_place *place)
{
    struct fl_err why = {0};
    int rc = fl_library_find(alias, NULL, isa, place, &why);
    if (rc) {
        assert_int_equal(rc, -ENOTSUP);
        assert_non_null(strstr(why.text, alias));
        print_message("skipped: %s\n", why.text);
        skip();
    }
}

static void check_family(const char *alias, enum fl_library_family family, const char *folder)
{
    struct fl_library_place place;
    find_or_skip(alias, NULL, &place);
    assert_int_equal(place.family, family);
    assert_int_equal(place.path[0], '/');
    assert_non_null(strstr(place.path, folder));
    assert_int_equal(access(place.path, R_OK), 0);
}

#define FAMILY_TEST(name, alias, family, folder)                                                   \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        check_family(alias, family, folder);                                                       \
    }

FAMILY_TEST(openblas_is_found, "openblas", FL_LIBRARY_OPENBLAS, "libopenblas.so.0")
FAMILY_TEST(openblas_pthread_is_found, "openblas-pthread", FL_LIBRARY_OPENBLAS, "openblas-pthread/")
FAMILY_TEST(openblas_openmp_is_found, "openblas-openmp", FL_LIBRARY_OPENBLAS, "openblas-openmp/")
FAMILY_TEST(openblas_serial_is_found, "openblas-serial", FL_LIBRARY_OPENBLAS, "openblas-serial/")
FAMILY_TEST(blis_is_found, "blis", FL_LIBRARY_BLIS, "libblis.so.4")
FAMILY_TEST(blis_pthread_is_found, "blis-pthread", FL_LIBRARY_BLIS, "blis-pthread/")
FAMILY_TEST(blis_openmp_is_found, "blis-openmp", FL_LIBRARY_BLIS, "blis-openmp/")
FAMILY_TEST(blis_serial_is_found, "blis-serial", FL_LIBRARY_BLIS, "blis-serial/")
FAMILY_TEST(eigen_is_found, "eigen", FL_LIBRARY_EIGEN, "libfaultline-eigen-")

static void the_eigen_shim_is_chosen_by_isa(void **state)
{
    (void)state;
    struct fl_library_place place;
    struct fl_library_environment environment;
    find_or_skip("eigen", "portable", &place);
    assert_non_null(strstr(place.path, "libfaultline-eigen-portable.so"));
    assert_int_equal(fl_library_environment(&place, "portable", &environment, NULL), 0);
}

static void every_thread_count_is_one(void **state)
{
    (void)state;
    struct fl_library_place place;
    struct fl_library_environment environment;
    find_or_skip("openblas", NULL, &place);
    assert_int_equal(fl_library_environment(&place, "auto", &environment, NULL), 0);
    assert_true(has(&environment, "OPENBLAS_NUM_THREADS=1"));
    assert_true(has(&environment, "OMP_NUM_THREADS=1"));
    assert_true(has(&environment, "BLIS_NUM_THREADS=1"));
    assert_true(has(&environment, "MKL_NUM_THREADS=1"));
    for (const char *const *v = environment.variables; *v; v++)
        assert_null(strstr(*v, "CORETYPE"));
}

static void isa_becomes_the_familys_own_variable(void **state)
{
    (void)state;
    struct fl_library_place place = {.family = FL_LIBRARY_OPENBLAS};
    struct fl_library_environment environment;
    assert_int_equal(fl_library_environment(&place, "avx2", &environment, NULL), 0);
    assert_true(has(&environment, "OPENBLAS_CORETYPE=Haswell"));
    assert_int_equal(fl_library_environment(&place, "avx512", &environment, NULL), 0);
    assert_true(has(&environment, "OPENBLAS_CORETYPE=SkylakeX"));
    place.family = FL_LIBRARY_BLIS;
    assert_int_equal(fl_library_environment(&place, "avx512", &environment, NULL), 0);
    assert_true(has(&environment, "BLIS_ARCH_TYPE=0"));
    assert_string_equal(fl_library_core(FL_LIBRARY_BLIS, "avx512"), "skx");
    assert_null(fl_library_core(FL_LIBRARY_OTHER, "avx512"));
    assert_null(fl_library_core(FL_LIBRARY_BLIS, NULL));
}

static void a_family_that_takes_no_isa_says_so(void **state)
{
    (void)state;
    struct fl_library_place place = {.path = "/x/libown.so"};
    struct fl_library_environment environment;
    struct fl_err why = {0};
    assert_int_equal(fl_library_environment(&place, "avx2", &environment, &why), -ENOTSUP);
    assert_non_null(strstr(why.text, "/x/libown.so"));
    assert_non_null(strstr(why.text, "isa=auto"));
    assert_int_equal(fl_library_environment(&place, NULL, &environment, &why), 0);
}

static void a_users_own_path_is_read_for_its_family(void **state)
{
    (void)state;
    struct fl_library_place known, own;
    find_or_skip("openblas-serial", NULL, &known);
    assert_int_equal(fl_library_find("mine", known.path, NULL, &own, NULL), 0);
    assert_string_equal(own.path, known.path);
    assert_int_equal(own.family, FL_LIBRARY_OPENBLAS);
    assert_int_equal(fl_library_find("tiny", FL_TINY_LIBRARY, NULL, &own, NULL), 0);
    assert_int_equal(own.family, FL_LIBRARY_OTHER);
}

static void a_file_name_is_looked_for_in_the_library_folders(void **state)
{
    (void)state;
    struct fl_library_place place;
    struct fl_err why = {0};
    assert_int_equal(fl_library_find("libc", "libc.so.6", NULL, &place, NULL), 0);
    assert_non_null(strstr(place.path, "/libc.so.6"));
    assert_int_equal(fl_library_find("x", "libnowhere.so.9", NULL, &place, &why), -ENOTSUP);
    assert_non_null(strstr(why.text, "not in the library folders"));
    assert_string_equal(place.path, "");
}

static void an_unknown_alias_names_the_nearest_and_the_cure(void **state)
{
    (void)state;
    struct fl_library_place place;
    struct fl_err why = {0};
    assert_int_equal(fl_library_find("openblas-seriel", NULL, NULL, &place, &why), -ENOENT);
    assert_non_null(strstr(why.text, "'openblas-serial'"));
    assert_non_null(strstr(why.text, "--library openblas-seriel=PATH"));
}

static void files_of_no_use_are_refused(void **state)
{
    (void)state;
    struct fl_library_place place;
    struct fl_err why = {0};
    assert_int_equal(fl_library_find("mine", "/nowhere/x.so", NULL, &place, &why), -ENOTSUP);
    assert_non_null(strstr(why.text, "'mine'"));
    assert_non_null(strstr(why.text, "No such file"));
    assert_int_equal(fl_library_find("mine", "/etc/passwd", NULL, &place, &why), -ENOTSUP);
    assert_non_null(strstr(why.text, "not an ELF file"));
    assert_int_equal(fl_library_find("mine", "", NULL, &place, &why), -ENOTSUP);
    assert_non_null(strstr(why.text, "empty"));
    char path[2 * PATH_MAX];
    memset(path, '/', sizeof path - 1);
    path[sizeof path - 1] = 0;
    assert_int_equal(fl_library_find("mine", path, NULL, &place, &why), -ENOTSUP);
    assert_non_null(strstr(why.text, "too long"));
}

static void an_isa_this_processor_lacks_is_refused(void **state)
{
    (void)state;
    struct fl_library_place place;
    struct fl_err why = {0};
#if defined(__x86_64__)
    const char *absent = "neon";
#else
    const char *absent = "avx2";
#endif
    assert_int_equal(fl_library_find("openblas", NULL, absent, &place, &why), -ENOTSUP);
    assert_non_null(strstr(why.text, absent));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(openblas_is_found),
        cmocka_unit_test(openblas_pthread_is_found),
        cmocka_unit_test(openblas_openmp_is_found),
        cmocka_unit_test(openblas_serial_is_found),
        cmocka_unit_test(blis_is_found),
        cmocka_unit_test(blis_pthread_is_found),
        cmocka_unit_test(blis_openmp_is_found),
        cmocka_unit_test(blis_serial_is_found),
        cmocka_unit_test(eigen_is_found),
        cmocka_unit_test(the_eigen_shim_is_chosen_by_isa),
        cmocka_unit_test(every_thread_count_is_one),
        cmocka_unit_test(isa_becomes_the_familys_own_variable),
        cmocka_unit_test(a_family_that_takes_no_isa_says_so),
        cmocka_unit_test(a_users_own_path_is_read_for_its_family),
        cmocka_unit_test(a_file_name_is_looked_for_in_the_library_folders),
        cmocka_unit_test(an_unknown_alias_names_the_nearest_and_the_cure),
        cmocka_unit_test(files_of_no_use_are_refused),
        cmocka_unit_test(an_isa_this_processor_lacks_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
