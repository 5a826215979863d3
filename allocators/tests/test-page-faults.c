/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page faults per call of the workspaces under the mallocs, each cell in a fresh process: the
 * numbers of the published reports, exactly.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faultline/malloc.h"

enum { CALLS = 20, TEXT = 256, ENVIRONMENT_MAX = 4096 };

/* One process. Sizes are those of a packed A and B; 32 bytes of alignment are AVX's. */
struct cell {
    const char *malloc, *workspace, *offset, *caller, *a, *b;
};

struct counted {
    long faults; /* over CALLS calls */
    long held;   /* bytes */
};

/* The environment of a process on a malloc: nothing inherited that could change it. */
static void make_environment(const struct fl_malloc *row, const char *preload, char **out)
{
    size_t count = 0;
    for (char **e = environ; *e && count < ENVIRONMENT_MAX; e++)
        if (!fl_malloc_owns(*e))
            out[count++] = *e;
    for (const char *const *e = row->environment; e && *e; e++)
        out[count++] = (char *)*e;
    if (*preload)
        out[count++] = (char *)preload;
    out[count] = NULL;
}

static int start(const struct cell *cell, const char *preload, int out, pid_t *pid)
{
    static char *environment[ENVIRONMENT_MAX + 16];
    char calls[16], align[] = "32", program[] = FAULT_CHILD;
    snprintf(calls, sizeof calls, "%d", CALLS);
    char *arguments[] = {program, (char *)cell->malloc, (char *)cell->workspace,
                         calls,   (char *)cell->offset, (char *)cell->caller,
                         align,   (char *)cell->a,      (char *)cell->b,
                         NULL};
    make_environment(fl_malloc_find(cell->malloc), preload, environment);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    int rc = posix_spawn(pid, program, &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    return rc;
}

static struct counted count(const struct cell *cell)
{
    const struct fl_malloc *row = fl_malloc_find(cell->malloc);
    char path[PATH_MAX], preload[PATH_MAX + 16] = "", text[TEXT] = "";
    struct fl_err why = {""};
    struct counted counted = {-1, -1};
    int ends[2], status = -1;
    pid_t pid;
    if (fl_malloc_locate(row, path, sizeof path, &why)) {
        print_message("skipped: %s\n", why.text);
        skip();
    }
    if (*path)
        snprintf(preload, sizeof preload, "LD_PRELOAD=%s", path);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(start(cell, preload, ends[1], &pid), 0);
    close(ends[1]);
    ssize_t got = read(ends[0], text, sizeof text - 1);
    close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (status || got <= 0 || sscanf(text, "%ld %ld", &counted.faults, &counted.held) != 2)
        fail_msg("%s under %s ended with status %#x", cell->workspace, cell->malloc, status);
    return counted;
}

static void expect_faults(const struct cell *cell, long per_call)
{
    long faults = count(cell).faults;
    if (faults != per_call * CALLS)
        fail_msg("%s, malloc %s, caller %s, offset %s, %s + %s bytes: %ld faults in %d calls, not "
                 "%ld",
                 cell->workspace, cell->malloc, cell->caller, cell->offset, cell->a, cell->b,
                 faults, CALLS, per_call * CALLS);
}

#define N192 "294912", "294912"

static void glibc_faults_as_published(void **unused)
{
    (void)unused;
    static const struct {
        struct cell cell;
        long faults;
    } rows[] = {
        {{"glibc", "stack+malloc", "0", "main", "165888", "165888"}, 49}, /* n = 144 */
        {{"glibc", "stack+malloc", "0", "main", "107520", "204800"}, 0},  /* n = 160, NEON */
        {{"glibc", "stack+malloc", "0", "main", "135168", "247808"}, 61}, /* n = 176 */
        {{"glibc", "stack+malloc", "2048", "main", "135168", "247808"}, 62},
        {{"glibc", "stack+malloc", "0", "main", N192}, 112},
        {{"glibc", "stack+malloc", "2048", "main", N192}, 112},
        {{"glibc", "stack+malloc", "0", "main", "172800", "320000"}, 0},   /* n = 200 */
        {{"glibc", "stack+malloc", "0", "main", "460800", "460800"}, 193}, /* n = 240 */
        {{"glibc", "malloc", "0", "main", N192}, 112},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_faults(&rows[i].cell, rows[i].faults);
}

static void settings_of_glibc_move_the_faults_as_predicted(void **unused)
{
    (void)unused;
    static const struct {
        struct cell cell;
        long faults;
    } rows[] = {
        {{"glibc-pinned", "stack+malloc", "0", "main", N192}, 0},
        {{"glibc-mmap-only", "stack+malloc", "0", "main", N192}, 112},
        {{"glibc-trim-only", "stack+malloc", "0", "main", N192}, 146},
        {{"glibc-top-pad", "stack+malloc", "0", "main", N192}, 0},
        {{"glibc", "stack+malloc", "-", "worker", N192}, 0},
        {{"glibc-arena1", "stack+malloc", "0", "main", N192}, 112},
        {{"glibc-arena1", "stack+malloc", "0", "worker", N192}, 112},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_faults(&rows[i].cell, rows[i].faults);
}

/* They give back what has lain idle for some time, so that a machine that is busy sees a few. */
static void expect_cured(const char *malloc)
{
    const struct cell cell = {malloc, "stack+malloc", "-", "main", N192};
    long faults = count(&cell).faults;
    if (faults > CALLS)
        fail_msg("malloc %s: %ld faults in %d calls, where glibc has %d", malloc, faults, CALLS,
                 112 * CALLS);
}

static void jemalloc_does_not_fault(void **unused)
{
    (void)unused;
    expect_cured("jemalloc");
}

static void mimalloc_does_not_fault(void **unused)
{
    (void)unused;
    expect_cured("mimalloc");
}

static void tcmalloc_does_not_fault(void **unused)
{
    (void)unused;
    expect_cured("tcmalloc");
}

static void mmap_faults_on_every_page_of_every_call(void **unused)
{
    (void)unused;
    static const struct cell big = {"glibc", "mmap", "0", "main", N192};
    static const struct cell odd = {"glibc-pinned", "mmap", "0", "main", "1", "4097"};
    expect_faults(&big, 144);
    expect_faults(&odd, 3);
}

static void workspaces_that_keep_do_not_fault(void **unused)
{
    (void)unused;
    static const char *const keepers[] = {"thread-local", "size-class", "hugepage", "null"};
    for (size_t i = 0; i < sizeof keepers / sizeof *keepers; i++) {
        struct cell cell = {"glibc", keepers[i], "0", "main", N192};
        expect_faults(&cell, 0);
        assert_true(count(&cell).held >= 2 * 294912);
    }
}

static void workspaces_that_give_back_hold_nothing(void **unused)
{
    (void)unused;
    static const char *const givers[] = {"malloc", "stack+malloc", "mmap"};
    for (size_t i = 0; i < sizeof givers / sizeof *givers; i++) {
        const struct cell cell = {"glibc", givers[i], "0", "main", N192};
        assert_int_equal(count(&cell).held, 0);
    }
}

static void inherited_settings_do_not_leak_in(void **unused)
{
    (void)unused;
    setenv("MALLOC_TRIM_THRESHOLD_", "1073741824", 1);
    setenv("GLIBC_TUNABLES", "glibc.malloc.mmap_threshold=33554432", 1);
    static const struct cell cell = {"glibc", "stack+malloc", "0", "main", N192};
    expect_faults(&cell, 112);
    unsetenv("MALLOC_TRIM_THRESHOLD_");
    unsetenv("GLIBC_TUNABLES");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(glibc_faults_as_published),
        cmocka_unit_test(settings_of_glibc_move_the_faults_as_predicted),
        cmocka_unit_test(jemalloc_does_not_fault),
        cmocka_unit_test(mimalloc_does_not_fault),
        cmocka_unit_test(tcmalloc_does_not_fault),
        cmocka_unit_test(mmap_faults_on_every_page_of_every_call),
        cmocka_unit_test(workspaces_that_keep_do_not_fault),
        cmocka_unit_test(workspaces_that_give_back_hold_nothing),
        cmocka_unit_test(inherited_settings_do_not_leak_in),
    };
#ifdef FL_SANITIZED
    puts("skipped: a sanitizer brings its own malloc");
    return 77;
#endif
    if (sysconf(_SC_PAGESIZE) != 4096) {
        puts("skipped: the published counts are for pages of 4 KiB");
        return 77;
    }
    return cmocka_run_group_tests_name("page-faults", tests, NULL, NULL);
}
