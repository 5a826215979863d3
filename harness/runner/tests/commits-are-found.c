/* SPDX-License-Identifier: Apache-2.0 */
/* A revision is what is asked for, then what the CI says, then HEAD here; changed files show. */
#include "runner/commit.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/faultline-commit-XXXXXX";

static void shell(const char *script)
{
    assert_int_equal(system(script), 0);
}

static struct fl_commit find(const char *given)
{
    struct fl_commit commit;
    struct fl_err err = {.text = ""};

    if (fl_commit_find(given, &commit, &err))
        fail_msg("%s", err.text);
    return commit;
}

static void without_repository_there_is_none(void **state)
{
    (void)state;
    struct fl_commit commit = find(NULL);
    assert_string_equal(commit.id, "");
    assert_int_equal(commit.time_ns, 0);
    commit = find("v1.2");
    assert_string_equal(commit.id, "v1.2");
    assert_int_equal(commit.time_ns, 0);
}

static void head_is_found_with_its_time(void **state)
{
    (void)state;
    shell("git init -q . && git config user.name t && git config user.email t@example.org && "
          "echo one >file && git add file && "
          "GIT_COMMITTER_DATE='2020-01-02T03:04:05Z' git commit -qm one && git tag first");
    struct fl_commit commit = find(NULL);
    assert_int_equal(strlen(commit.id), 40);
    assert_int_equal(commit.time_ns / 1000000000, 1577934245);
    struct fl_commit tagged = find("first");
    assert_string_equal(tagged.id, commit.id);
    assert_int_equal(tagged.time_ns, commit.time_ns);
    shell("touch other");
    assert_string_equal(find(NULL).id, commit.id);
    shell("echo two >file");
    commit = find(NULL);
    assert_int_equal(strlen(commit.id), 46);
    assert_string_equal(commit.id + 40, "-dirty");
    assert_string_equal(find("first").id, tagged.id);
}

static void the_ci_is_believed_before_the_folder(void **state)
{
    (void)state;
    setenv("CI_COMMIT_SHA", "0123456789", 1);
    assert_string_equal(find(NULL).id, "0123456789");
    setenv("GITHUB_SHA", "abcdef", 1);
    assert_string_equal(find(NULL).id, "abcdef");
    assert_string_equal(find("mine").id, "mine");
    setenv("GITHUB_SHA", "--upload-pack=x", 1);
    assert_string_equal(find(NULL).id, "0123456789");
    unsetenv("GITHUB_SHA");
    unsetenv("CI_COMMIT_SHA");
}

static void what_is_no_name_is_refused(void **state)
{
    struct fl_commit commit;
    struct fl_err err;
    char longer[100];

    (void)state;
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    assert_int_equal(fl_commit_find("", &commit, &err), -EINVAL);
    assert_int_equal(fl_commit_find("--exec", &commit, &err), -EINVAL);
    assert_int_equal(fl_commit_find(longer, &commit, &err), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_repository_there_is_none),
        cmocka_unit_test(head_is_found_with_its_time),
        cmocka_unit_test(the_ci_is_believed_before_the_folder),
        cmocka_unit_test(what_is_no_name_is_refused),
    };
    unsetenv("GITHUB_SHA");
    unsetenv("CI_COMMIT_SHA");
    setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    if (!mkdtemp(folder) || chdir(folder))
        return 1;
    setenv("GIT_CEILING_DIRECTORIES", "/tmp", 1);
    setenv("HOME", folder, 1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (chdir("/"))
        return 1;
    char remove[64];
    snprintf(remove, sizeof remove, "rm -rf %s", folder);
    return system(remove) || failed;
}
