/* SPDX-License-Identifier: Apache-2.0 */
/* The table of mallocs: its rows, where their libraries are, and which variables belong to them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "faultline/malloc.h"

static void every_row_is_complete_and_unique(void **unused)
{
    (void)unused;
    size_t count = 0;
    for (const struct fl_malloc *row = fl_mallocs(); row->name; row++, count++) {
        assert_true(*row->name && row->summary && *row->summary);
        assert_ptr_equal(fl_malloc_find(row->name), row);
        assert_true(!row->preload == !row->package);
        for (const char *const *e = row->environment; e && *e; e++) {
            assert_non_null(strchr(*e, '='));
            assert_true(fl_malloc_owns(*e)); /* or a cell's setting would leak into the next */
        }
    }
    assert_int_equal(count, 9);
    assert_null(fl_malloc_find("dlmalloc"));
    assert_null(fl_malloc_find(""));
}

static void pinned_has_both_thresholds_of_the_report(void **unused)
{
    (void)unused;
    const char *const *environment = fl_malloc_find("glibc-pinned")->environment;
    assert_string_equal(environment[0], "MALLOC_MMAP_THRESHOLD_=33554432");
    assert_string_equal(environment[1], "MALLOC_TRIM_THRESHOLD_=1073741824");
    assert_null(environment[2]);
    assert_null(fl_malloc_find("glibc")->environment);
}

static void variables_that_change_a_malloc_are_known(void **unused)
{
    (void)unused;
    static const char *const theirs[] = {"LD_PRELOAD=x",
                                         "LD_PRELOAD",
                                         "GLIBC_TUNABLES=glibc.malloc.tcache_max=1",
                                         "MALLOC_ARENA_MAX=1",
                                         "MALLOC_TRIM_THRESHOLD_=1",
                                         "MALLOC_PERTURB_=1",
                                         "MALLOC_CONF=dirty_decay_ms:0",
                                         "MIMALLOC_PURGE_DELAY=0",
                                         "TCMALLOC_RELEASE_RATE=0",
                                         "HEAPPROFILE=/x"};
    static const char *const others[] = {"PATH=/bin",
                                         "LD_LIBRARY_PATH=/x",
                                         "LD_PRELOADED=1",
                                         "MALLOC=glibc",
                                         "XMALLOC_ARENA_MAX=1",
                                         "LD_PRE",
                                         "",
                                         "=LD_PRELOAD",
                                         "A=MALLOC_X"};
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
        if (!fl_malloc_owns(theirs[i]))
            fail_msg("%s would leak in", theirs[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (fl_malloc_owns(others[i]))
            fail_msg("%s would be dropped", others[i]);
}

static int in_this_process(const char *file)
{
    char line[PATH_MAX + 128];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps))
        found |= strstr(line, file) != NULL;
    fclose(maps);
    return found;
}

static void a_library_is_found_without_being_loaded(void **unused)
{
    (void)unused;
    int found = 0;
    for (const struct fl_malloc *row = fl_mallocs(); row->name; row++) {
        char path[PATH_MAX];
        struct fl_err why = {""};
        if (!row->preload || fl_malloc_locate(row, path, sizeof path, &why))
            continue;
        found++;
        assert_int_equal(*path, '/');
        assert_int_equal(access(path, R_OK), 0);
        assert_int_equal(fl_malloc_probe(row, &why), 0);
        assert_false(in_this_process(strrchr(path, '/')));
    }
    if (!found)
        skip();
}

static void rows_of_glibc_need_no_library(void **unused)
{
    (void)unused;
    char path[PATH_MAX] = "x";
    struct fl_err why = {""};
    assert_int_equal(fl_malloc_locate(fl_malloc_find("glibc"), path, sizeof path, &why), 0);
    assert_string_equal(path, "");
}

static void a_missing_library_names_its_package(void **unused)
{
    (void)unused;
    static const char *const names[] = {"libfaultline-no-such.so.1", "libnor-this.so.2", NULL};
    static const struct fl_malloc row = {"nomalloc", "none", NULL, names, "libnomalloc1"};
    char path[PATH_MAX] = "x";
    struct fl_err why = {""};
    assert_int_equal(fl_malloc_locate(&row, path, sizeof path, &why), -ENOTSUP);
    assert_string_equal(path, "");
    assert_non_null(strstr(why.text, "libfaultline-no-such.so.1"));
    assert_non_null(strstr(why.text, "apt-get install libnomalloc1"));
    assert_int_equal(fl_malloc_probe(&row, &why), -ENOTSUP);
}

/* As the dynamic linker searches: LD_LIBRARY_PATH first, and the second name when the first fails.
 */
static void the_linkers_own_search_order_is_followed(void **unused)
{
    (void)unused;
    static const char *const names[] = {"libfaultline-no-such.so.1", "libfaultline-a.so.1", NULL};
    static const struct fl_malloc row = {"linked", "a symbolic link", NULL, names, "none"};
    char folder[] = "/tmp/faultline-XXXXXX", link[64], target[PATH_MAX], path[PATH_MAX];
    struct fl_err why = {""};
    if (fl_malloc_locate(fl_malloc_find("jemalloc"), target, sizeof target, &why) &&
        fl_malloc_locate(fl_malloc_find("tcmalloc"), target, sizeof target, &why))
        skip();
    assert_non_null(mkdtemp(folder));
    snprintf(link, sizeof link, "%s/%s", folder, names[1]);
    assert_int_equal(symlink(target, link), 0);
    setenv("LD_LIBRARY_PATH", folder, 1);
    int rc = fl_malloc_locate(&row, path, sizeof path, &why);
    unsetenv("LD_LIBRARY_PATH");
    unlink(link);
    rmdir(folder);
    assert_int_equal(rc, 0);
    assert_string_equal(path, link);
}

static void a_path_too_long_for_the_caller_is_not_cut(void **unused)
{
    (void)unused;
    char path[4] = "";
    struct fl_err why = {""};
    if (fl_malloc_probe(fl_malloc_find("jemalloc"), &why))
        skip();
    assert_int_equal(fl_malloc_locate(fl_malloc_find("jemalloc"), path, sizeof path, &why),
                     -ENAMETOOLONG);
    assert_string_equal(path, "");
}

static void the_process_knows_its_own_malloc(void **unused)
{
    (void)unused;
#ifdef FL_SANITIZED
    skip(); /* a sanitizer brings its own malloc */
#endif
    struct fl_err why = {""};
    assert_int_equal(fl_malloc_verify(fl_malloc_find("glibc"), &why), 0);
    assert_int_equal(fl_malloc_verify(fl_malloc_find("glibc-pinned"), &why), 0);
    assert_int_equal(fl_malloc_verify(fl_malloc_find("jemalloc"), &why), -ENOTSUP);
    assert_non_null(strstr(why.text, "libc.so.6"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_complete_and_unique),
        cmocka_unit_test(pinned_has_both_thresholds_of_the_report),
        cmocka_unit_test(variables_that_change_a_malloc_are_known),
        cmocka_unit_test(a_library_is_found_without_being_loaded),
        cmocka_unit_test(rows_of_glibc_need_no_library),
        cmocka_unit_test(a_missing_library_names_its_package),
        cmocka_unit_test(the_linkers_own_search_order_is_followed),
        cmocka_unit_test(a_path_too_long_for_the_caller_is_not_cut),
        cmocka_unit_test(the_process_knows_its_own_malloc),
    };
    return cmocka_run_group_tests_name("mallocs", tests, NULL, NULL);
}
