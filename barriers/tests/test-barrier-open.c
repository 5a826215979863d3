/* SPDX-License-Identifier: Apache-2.0 */
/* What cannot be opened is refused, and says what can. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "barrier-rig.h"
#include "faultline/registry.h"

static int try_open(const char *level, const char *policy, unsigned threads, struct fl_err *err)
{
    struct fl_arena arena = {.blocks = NULL};
    struct fl_barrier_team team = {threads, NULL, &arena};
    struct fl_wait wait;
    struct fl_barrier barrier;
    assert_int_equal(fl_wait_open(&wait, fl_registry_wait(policy), "", &arena, err), 0);
    int rc = fl_barrier_open(&barrier, fl_registry_barrier(level), fl_registry_options(level),
                             &team, &wait, err);
    if (!rc)
        fl_barrier_close(&barrier);
    fl_wait_close(&wait);
    fl_arena_release(&arena);
    return rc;
}

static void refused(const char *level, const char *policy, unsigned threads, const char *reason)
{
    struct fl_err err = {.text = ""};
    assert_int_equal(try_open(level, policy, threads, &err), -EINVAL);
    if (!strstr(err.text, reason))
        fail_msg("'%s' does not say '%s'", err.text, reason);
}

static void thread_counts_out_of_range_are_refused(void **state)
{
    struct fl_err err;
    (void)state;
    for (const struct fl_barrier_ops *const *b = fl_registry_barriers(); *b; b++) {
        const char *policy = (*b)->own_wait ? "runtime" : "spin";
        refused((*b)->part.name, policy, 0, "1 to 256");
        refused((*b)->part.name, policy, 257, "1 to 256");
        assert_int_equal(try_open((*b)->part.name, policy, 256, &err), 0);
    }
}

static void a_barrier_that_waits_by_itself_goes_with_runtime_alone(void **state)
{
    (void)state;
    refused("pthread", "spin", 2, "wait=runtime");
    refused("central", "runtime", 2, "any other policy");
}

static void unknown_options_are_refused(void **state)
{
    (void)state;
    refused("central:arity=4", "spin", 2, "it takes none");
    static const char *const bad[] = {"arity=1", "arity=65", "arity=", "arity=4:", "arity=-2", "4"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char level[64];
        snprintf(level, sizeof level, "combining-tree:%s", bad[i]);
        refused(level, "spin", 2, "arity=N, 2 to 64");
    }
}

static void options_stand_behind_the_first_colon(void **state)
{
    (void)state;
    assert_string_equal(fl_registry_options("spin-futex:50us"), "50us");
    assert_string_equal(fl_registry_options("spin"), "");
    assert_ptr_equal(fl_registry_wait("spin-futex:50us"), fl_registry_wait("spin-futex"));
    assert_null(fl_registry_wait("spin-fut"));
    assert_null(fl_registry_barrier("central2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thread_counts_out_of_range_are_refused),
        cmocka_unit_test(a_barrier_that_waits_by_itself_goes_with_runtime_alone),
        cmocka_unit_test(unknown_options_are_refused),
        cmocka_unit_test(options_stand_behind_the_first_colon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
