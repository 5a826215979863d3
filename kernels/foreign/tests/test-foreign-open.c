/* SPDX-License-Identifier: Apache-2.0 */
/* Opening: 64-bit symbols, what is recorded, and what is refused with which cure. */
#include <errno.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../elf-file.h"
#include "faultline/library.h"
#include "foreign-rig.h"

static struct fl_foreign_rig rig; /* one test at a time; too large for the stack */

static void find_or_skip(const char *alias, const char *isa, struct fl_library_place *place)
{
    struct fl_err why = {0};
    if (fl_library_find(alias, NULL, isa, place, &why)) {
        print_message("skipped: %s\n", why.text);
        skip();
    }
}

static bool tiny_agrees(const void *text)
{
    if (rig_open(&rig, text, FL_TINY_LIBRARY))
        return rig_complain("%s", rig.err.text);
    const char *symbol = fl_facts_get(&rig.facts, "library-symbol");
    return rig_agrees(&rig) && symbol && !strcmp(symbol, "dgemm_64_");
}

static void symbols_with_64_bit_integers_are_called(void **state)
{
    (void)state;
    const char *const spellings[] = {"dgemm_64_", "dgemm64_", "dgemm_64", "dgemm64"};
    for (size_t i = 0; i < 4; i++) {
        char text[128];
        snprintf(text, sizeof text,
                 "kernel=blas:%s library=tiny n=13 m=7 k=9 trans=TN lda=11 beta=0.5", spellings[i]);
        rig_in_child(FL_TINY_LIBRARY, NULL, tiny_agrees, text);
    }
}

/* One line that names the library, the symbol or file, and what to do. */
static void refused(const char *text, const char *path, int code, const char *const *words)
{
    assert_int_equal(rig_open(&rig, text, path), code);
    for (; *words; words++)
        if (!strstr(rig.err.text, *words))
            fail_msg("no '%s' in: %s", *words, rig.err.text);
    rig_close(&rig);
}

static void a_missing_library_is_named_with_the_cure(void **state)
{
    (void)state;
    const char *const words[] = {"'mine'", "/nowhere/libx.so", "--library mine=PATH", NULL};
    refused("kernel=dgemm library=mine n=4", "/nowhere/libx.so", -ENOENT, words);
    const char *const unknown[] = {"'mine'", "--library=PATH", NULL};
    refused("kernel=dgemm library=mine n=4", NULL, -ENOENT, unknown);
}

static void a_file_that_is_no_library_is_refused(void **state)
{
    (void)state;
    const char *const words[] = {"'mine'", "/etc/passwd", "--library mine=PATH", NULL};
    refused("kernel=dgemm library=mine n=4", "/etc/passwd", -ENOTSUP, words);
}

static void a_missing_symbol_is_named_with_the_cure(void **state)
{
    (void)state;
    const char *const width[] = {"'dgemm'", "'tiny'", "dgemm_", "kernel=blas:dgemm_64_", NULL};
    refused("kernel=dgemm library=tiny n=4", FL_TINY_LIBRARY, -ENOENT, width);
    const char *const none[] = {"'dsyrk'", "'tiny'", "dsyrk_", "nm -D", NULL};
    refused("kernel=blas:dsyrk_ library=tiny n=4", FL_TINY_LIBRARY, -ENOENT, none);
}

static void symbols_that_no_part_can_call_are_refused(void **state)
{
    (void)state;
    const char *const types[] = {"'blas:zgemm_'", "did you mean 'blas:dgemm_'", NULL};
    refused("kernel=blas:zgemm_ library=tiny n=4", FL_TINY_LIBRARY, -EINVAL, types);
    const char *const suffix[] = {"'dgemm_32_'", "dgemm_64_", NULL};
    refused("kernel=blas:dgemm_32_ library=tiny n=4", FL_TINY_LIBRARY, -EINVAL, suffix);
    const char *const operation[] = {"'blas:drotg_'", "blas:dgemm_", "blas:dsyrk_", NULL};
    refused("kernel=blas:drotg_ library=tiny n=4", FL_TINY_LIBRARY, -EINVAL, operation);
}

static void isa_of_a_library_that_says_nothing_is_refused(void **state)
{
    (void)state;
    const char *const words[] = {"'tiny'", "isa=auto", NULL};
    refused("kernel=blas:dgemm_64_ library=tiny n=4 isa=portable", FL_TINY_LIBRARY, -ENOTSUP,
            words);
}

static bool runs_elsewhere(const void *path)
{
    int rc = rig_open(&rig, "kernel=dgemm library=openblas-serial n=4 isa=portable", path);
    return rc == -ENOTSUP && strstr(rig.err.text, "Prescott") &&
           strstr(rig.err.text, "'openblas-serial'");
}

/* The environment that was set is that of isa=auto: the key would lie. */
static void a_library_that_chose_another_core_is_refused(void **state)
{
    (void)state;
    struct fl_library_place place;
    find_or_skip("openblas-serial", NULL, &place);
    rig_in_child(place.path, NULL, runs_elsewhere, place.path);
}

struct recorded {
    struct fl_library_place place;
    const char *text, *soname, *version, *core, *threads; /* NULL: not looked at */
};

static bool fact_has(const char *name, const char *part)
{
    const char *value = fl_facts_get(&rig.facts, name);
    if (value && strstr(value, part))
        return true;
    return rig_complain("fact %s is '%s', want '%s' in it", name, value ? value : "(none)", part);
}

static bool fact_is(const char *name, const char *text)
{
    const char *value = fl_facts_get(&rig.facts, name);
    if (value && !strcmp(value, text))
        return true;
    return rig_complain("fact %s is '%s', want '%s'", name, value ? value : "(none)", text);
}

static bool facts_are_recorded(const void *arg)
{
    const struct recorded *want = arg;
    const char *const wanted[] = {NULL};
    struct fl_elf_file file;
    bool found[1];
    char *path = realpath(want->place.path, NULL);
    if (rig_open(&rig, want->text, want->place.path) ||
        fl_elf_read(want->place.path, wanted, found, &file, &rig.err))
        return rig_complain("%s", rig.err.text);
    bool good = path && fact_has("library-path", path) &&
                fact_has("library-soname", want->soname) &&
                fact_has("library-version", want->version) && fact_has("library-symbol", "dgemm_");
    free(path);
    if (good && want->threads)
        good = fact_is("library-threads", want->threads);
    if (good && want->core)
        good = fact_has("library-core", want->core);
    /* Two readers, of the file and of the image in memory, must see the same build. */
    return good && file.build_id[0] && fact_has("library-build-id", file.build_id);
}

static void records(const char *alias, const char *isa, struct recorded *want)
{
    char text[128];
    find_or_skip(alias, isa, &want->place);
    snprintf(text, sizeof text, "kernel=dgemm library=%s n=16 isa=%s", alias, isa);
    want->text = text;
    rig_in_child(want->place.path, isa, facts_are_recorded, want);
}

static void openblas_is_recorded(void **state)
{
    (void)state;
    records("openblas-serial", "portable",
            &(struct recorded){.soname = "libopenblas.so.0",
                               .version = "OpenBLAS 0.",
                               .core = "Prescott",
                               .threads = "1"});
}

/* This build obeys OMP_NUM_THREADS alone. */
static void openblas_on_openmp_uses_one_thread(void **state)
{
    (void)state;
    records(
        "openblas-openmp", "auto",
        &(struct recorded){.soname = "libopenblas.so.0", .version = "USE_OPENMP", .threads = "1"});
}

static void openblas_with_threads_uses_one_thread(void **state)
{
    (void)state;
    records(
        "openblas-pthread", "auto",
        &(struct recorded){.soname = "libopenblas.so.0", .version = "OpenBLAS 0.", .threads = "1"});
}

static void blis_is_recorded(void **state)
{
    (void)state;
    records("blis-serial", "portable",
            &(struct recorded){.soname = "libblis.so", .version = ".", .core = "penryn"});
}

static void blis_on_openmp_uses_one_thread(void **state)
{
    (void)state;
    records("blis-openmp", "auto",
            &(struct recorded){.soname = "libblis.so", .version = ".", .threads = "1"});
}

static void eigen_is_recorded(void **state)
{
    (void)state;
    records("eigen", "portable",
            &(struct recorded){.soname = "libfaultline-eigen-portable.so",
                               .version = "Eigen 3.",
                               .core = "portable",
                               .threads = "1"});
}

/* A chunk just above the default threshold is mmapped only while nothing has moved the threshold.
 */
static bool thresholds_are_untouched(const void *path)
{
    size_t before = mallinfo2().hblks;
    if (rig_open(&rig, "kernel=dgemm library=any n=64", path))
        return rig_complain("%s", rig.err.text);
    size_t opened = mallinfo2().hblks;
    void *volatile chunk = malloc(128 * 1024 + 1);
    bool mapped = mallinfo2().hblks == opened + 1;
    free(chunk);
    rig_close(&rig);
    return opened == before && mapped
               ? true
               : rig_complain("%s moved malloc's thresholds", (const char *)path);
}

static void opening_moves_no_threshold_of_malloc(void **state)
{
    (void)state;
#ifdef FL_SANITIZED
    skip(); /* another malloc */
#endif
    const char *const aliases[] = {"openblas-pthread", "openblas-openmp", "openblas-serial",
                                   "blis-serial",      "eigen",           NULL};
    for (const char *const *alias = aliases; *alias; alias++) {
        struct fl_library_place place;
        if (!fl_library_find(*alias, NULL, NULL, &place, NULL))
            rig_in_child(place.path, NULL, thresholds_are_untouched, place.path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_with_64_bit_integers_are_called),
        cmocka_unit_test(a_missing_library_is_named_with_the_cure),
        cmocka_unit_test(a_file_that_is_no_library_is_refused),
        cmocka_unit_test(a_missing_symbol_is_named_with_the_cure),
        cmocka_unit_test(symbols_that_no_part_can_call_are_refused),
        cmocka_unit_test(isa_of_a_library_that_says_nothing_is_refused),
        cmocka_unit_test(a_library_that_chose_another_core_is_refused),
        cmocka_unit_test(openblas_is_recorded),
        cmocka_unit_test(openblas_on_openmp_uses_one_thread),
        cmocka_unit_test(openblas_with_threads_uses_one_thread),
        cmocka_unit_test(blis_is_recorded),
        cmocka_unit_test(blis_on_openmp_uses_one_thread),
        cmocka_unit_test(eigen_is_recorded),
        cmocka_unit_test(opening_moves_no_threshold_of_malloc),
    };
    return cmocka_run_group_tests_name("foreign open", tests, NULL, NULL);
}
