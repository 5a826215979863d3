/* SPDX-License-Identifier: Apache-2.0 */
/* Which modes of transparent huge pages give pages that nobody asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "process.h"

static char folder[64];

static void write_mode(const char *name, const char *mode)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    mkdir(path, 0755);
    if (*name)
        snprintf(path, sizeof path, "%s/%s/enabled", folder, name);
    else
        snprintf(path, sizeof path, "%s/enabled", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%s\n", mode);
    fclose(file);
}

static void each_size_has_a_say(void **state)
{
    char command[96];
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/fl-thp-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_true(fl_process_gets_huge_pages(folder)); /* not known: better be safe */
    write_mode("", "[always] madvise never");
    assert_true(fl_process_gets_huge_pages(folder));
    write_mode("", "always [madvise] never");
    assert_false(fl_process_gets_huge_pages(folder));
    write_mode("", "always madvise [never]");
    assert_false(fl_process_gets_huge_pages(folder));
    write_mode("hugepages-2048kB", "always [inherit] madvise never");
    assert_false(fl_process_gets_huge_pages(folder));
    write_mode("hugepages-64kB", "[always] inherit madvise never");
    assert_true(fl_process_gets_huge_pages(folder));
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    /* NOLINTNEXTLINE(cert-env33-c): fixed words and the test's own folder */
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_size_has_a_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
