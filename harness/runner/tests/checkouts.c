/* SPDX-License-Identifier: Apache-2.0 */
/* A revision is taken out of a repository and built, and what is wrong is told. */
#include "runner/checkout.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "runner/tool.h"

struct place {
    char folder[64], copy[96];
};

static void shell(const char *command)
{
    const char *const argv[] = {"sh", "-c", command, NULL};
    const struct fl_tool tool = {.argv = argv, .timeout = 60};
    struct fl_err err;
    if (fl_tool_run(&tool, NULL, 0, &err))
        fail_msg("%s", err.text);
}

/* The current folder becomes a repository of two revisions, whose file says 1, then 2; the file in
 * the folder says 3. */
static int set_up(void **state)
{
    static struct place place;
    strcpy(place.folder, "/tmp/faultline-checkouts-XXXXXX");
    assert_non_null(mkdtemp(place.folder));
    assert_int_equal(chdir(place.folder), 0);
    snprintf(place.copy, sizeof place.copy, "%s/copy", place.folder);
    shell("git init -q . && git config user.name t && git config user.email t@t && "
          "git config commit.gpgsign false && "
          "echo 1 >f && git add f && GIT_COMMITTER_DATE='2024-01-02T03:04:05Z' git commit -qm a && "
          "git tag first && echo 2 >f && git commit -qam b && echo 3 >f");
    *state = &place;
    return 0;
}

static int tear_down(void **state)
{
    const struct place *place = *state;
    const char *const argv[] = {"rm", "-rf", place->folder, NULL};
    const struct fl_tool tool = {.folder = "/", .argv = argv, .timeout = 60};
    struct fl_err err;
    return chdir("/") || fl_tool_run(&tool, NULL, 0, &err);
}

static int make(const struct place *place, const char *revision, const char *build,
                struct fl_checkout *out, struct fl_err *err)
{
    const struct fl_checkout_request request = {
        .revision = revision, .build = build, .folder = place->copy};
    return fl_checkout_make(&request, out, err);
}

static void a_revision_is_built_where_it_disturbs_nothing(void **state)
{
    const struct place *place = *state;
    struct fl_checkout checkout;
    struct fl_err err;
    assert_int_equal(make(place, "first", "cp f built", &checkout, &err), 0);
    assert_int_equal(checkout.time_ns, 1704164645000000000);
    assert_int_equal(strlen(checkout.id), 40);
    shell("test \"$(cat copy/built)\" = 1 && test \"$(cat f)\" = 3 && "
          "test -z \"$(git worktree list | tail -n +2)\"");
}

/* As in a hook of a linked worktree: git's own variables name the repository. */
static void the_repository_of_a_hook_stays_where_it_is(void **state)
{
    static const char *const names[] = {"GIT_DIR", "GIT_INDEX_FILE"};
    const struct place *place = *state;
    struct fl_checkout checkout;
    struct fl_err err;
    char path[128];
    shell("git rev-parse HEAD >before && git ls-files -s >listed");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/.git%s", place->folder, i ? "/index" : "");
        assert_int_equal(setenv(names[i], path, 1), 0);
    }
    int rc = make(place, "first", "git rev-parse --git-dir >where", &checkout, &err);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    assert_int_equal(rc, 0);
    shell("git symbolic-ref -q HEAD && git rev-parse HEAD | cmp - before && "
          "git ls-files -s | cmp - listed && test \"$(cat copy/f)\" = 1 && "
          "test \"$(cat copy/where)\" = .git");
}

/* What CI has: the last commits alone, and a head that no branch has. */
static void a_revision_of_a_shallow_clone_is_taken_out(void **state)
{
    const struct place *place = *state;
    struct fl_checkout checkout;
    struct fl_err err;
    shell("git commit -qam c && git clone -q --depth 2 file://\"$PWD\" shallow && cd shallow && "
          "git checkout -q --detach HEAD~1 && git branch -q -D $(git branch "
          "--format='%(refname:short)' "
          "--list 'm*')");
    assert_int_equal(chdir("shallow"), 0);
    assert_int_equal(make(place, "origin/HEAD", "git log --oneline >log", &checkout, &err), 0);
    shell("test \"$(cat ../copy/f)\" = 3 && test $(wc -l <../copy/log) = 2");
}

static void what_does_not_build_says_its_last_words(void **state)
{
    const struct place *place = *state;
    struct fl_checkout checkout;
    struct fl_err err;
    assert_int_equal(make(place, "HEAD", "echo no compiler >&2; exit 3", &checkout, &err), -EIO);
    assert_non_null(strstr(err.text, "no compiler"));
    assert_non_null(strstr(err.text, "status 3"));
}

static void no_such_revision_is_no_option_either(void **state)
{
    static const char *const revisions[] = {"nothing", "--help", "", "HEAD; touch evil"};
    struct fl_checkout checkout;
    struct fl_err err;
    for (size_t i = 0; i < sizeof revisions / sizeof *revisions; i++)
        assert_int_equal(make(*state, revisions[i], NULL, &checkout, &err), -ENOENT);
    assert_int_not_equal(access("evil", F_OK), 0);
}

static void a_folder_without_repository_is_told(void **state)
{
    const struct place *place = *state;
    struct fl_checkout checkout;
    struct fl_err err;
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(make(place, "HEAD", NULL, &checkout, &err), -ENOENT);
    assert_non_null(strstr(err.text, "no git repository"));
}

static void tools_are_heard_and_ended(void **state)
{
    (void)state;
    const char *const echo[] = {"printf", "%s|%s\\n", "a b", "$(c)", NULL};
    const char *const sleeper[] = {"sleep", "60", NULL};
    struct fl_tool tool = {.argv = echo, .timeout = 60};
    struct fl_err err;
    char line[64];
    assert_int_equal(fl_tool_run(&tool, line, sizeof line, &err), 0);
    assert_string_equal(line, "a b|$(c)");
    tool.argv = sleeper;
    tool.timeout = 0.1;
    assert_int_equal(fl_tool_run(&tool, line, sizeof line, &err), -ETIMEDOUT);
}

#define WITH_REPOSITORY(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_REPOSITORY(a_revision_is_built_where_it_disturbs_nothing),
        WITH_REPOSITORY(the_repository_of_a_hook_stays_where_it_is),
        WITH_REPOSITORY(a_revision_of_a_shallow_clone_is_taken_out),
        WITH_REPOSITORY(what_does_not_build_says_its_last_words),
        WITH_REPOSITORY(no_such_revision_is_no_option_either),
        WITH_REPOSITORY(a_folder_without_repository_is_told),
        cmocka_unit_test(tools_are_heard_and_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
