/* SPDX-License-Identifier: Apache-2.0 */
/* What every wait policy promises: it ends when the word changes, sleeps and wakes only where it
 * must, spins for a time, and counts what it did. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "barrier-rig.h"
#include "faultline/registry.h"

extern const struct fl_wait_ops fl_wait_template;

enum { WAITS_MAX = 32, LONG_MS = 5 };

/* All that can run here, the template last. */
static size_t all_waits(const struct fl_wait_ops *out[WAITS_MAX])
{
    size_t count = 0;
    for (const struct fl_wait_ops *const *w = fl_registry_waits(); *w; w++)
        if (rig_waits(*w))
            out[count++] = *w;
    out[count++] = &fl_wait_template;
    return count;
}

struct talk {
    struct fl_arena arena;
    struct fl_wait wait;
    _Alignas(128) struct fl_wait_word word;
    _Alignas(128) struct fl_wait_stat waiter;
    _Alignas(128) struct fl_wait_stat waker;
    int plain; /* written before the word, read after the wait */
};

static void talk_open(struct talk *talk, const struct fl_wait_ops *ops, const char *options)
{
    struct fl_err err = {.text = ""};
    memset(talk, 0, sizeof *talk);
    if (fl_wait_open(&talk->wait, ops, options, &talk->arena, &err))
        fail_msg("%s", err.text);
}

static void talk_close(struct talk *talk)
{
    fl_wait_close(&talk->wait);
    fl_arena_release(&talk->arena);
}

static void nap(void)
{
    struct timespec t = {0, LONG_MS * 1000000};
    nanosleep(&t, NULL);
}

static void *set_late(void *arg)
{
    struct talk *talk = arg;
    nap();
    talk->plain = 1;
    fl_wait_set(&talk->wait, &talk->word, 1, &talk->waker);
    return NULL;
}

static void wait_once(struct talk *talk)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, set_late, talk), 0);
    fl_wait_until(&talk->wait, &talk->word, 0, &talk->waiter);
    assert_int_equal(talk->plain, 1);
    pthread_join(thread, NULL);
}

/* One wait of some milliseconds. On a busy machine this thread may come so late that there is
 * little left to wait for: then once more. */
static void wait_long(struct talk *talk)
{
    for (int tries = 0; tries < 200; tries++) {
        memset(&talk->word, 0, sizeof talk->word);
        memset(&talk->waiter, 0, sizeof talk->waiter);
        memset(&talk->waker, 0, sizeof talk->waker);
        talk->plain = 0;
        wait_once(talk);
        if (talk->waiter.wait_ns >= LONG_MS * 1000000 / 2)
            return;
    }
    fail_msg("%s did not wait in 200 tries", talk->wait.ops->part.name);
}

static void a_word_that_has_changed_costs_nothing(void **state)
{
    const struct fl_wait_ops *ops[WAITS_MAX];
    static struct talk talk;
    (void)state;
    for (size_t i = 0, count = all_waits(ops); i < count; i++) {
        talk_open(&talk, ops[i], "");
        fl_wait_set(&talk.wait, &talk.word, 1, &talk.waker);
        fl_wait_until(&talk.wait, &talk.word, 0, &talk.waiter);
        static const struct fl_wait_stat nothing = {0};
        if (memcmp(&talk.waiter, &nothing, sizeof nothing) ||
            memcmp(&talk.waker, &nothing, sizeof nothing))
            fail_msg("%s counted something", ops[i]->part.name);
        talk_close(&talk);
    }
}

static void a_long_wait_ends_and_is_counted(void **state)
{
    const struct fl_wait_ops *ops[WAITS_MAX];
    static struct talk talk;
    (void)state;
    for (size_t i = 0, count = all_waits(ops); i < count; i++) {
        talk_open(&talk, ops[i], "");
        wait_long(&talk);
        const struct fl_wait_stat *stat = &talk.waiter;
        if (stat->waits != 1 || !stat->wait_ns || !(stat->spins + stat->sleeps))
            fail_msg("%s: %lu waits, %lu ns, %lu looks, %lu sleeps", ops[i]->part.name,
                     (unsigned long)stat->waits, (unsigned long)stat->wait_ns,
                     (unsigned long)stat->spins, (unsigned long)stat->sleeps);
        if (atomic_load(&talk.word.sleepers))
            fail_msg("%s left a sleeper behind", ops[i]->part.name);
        talk_close(&talk);
    }
}

/* Five milliseconds are beyond any calibrated budget: whoever sleeps must be woken, once. */
static void sleepers_are_woken_by_one_call(void **state)
{
    static const char *const sleeping[] = {"futex", "spin-futex", "spin-futex:100us", "mutex-cond"};
    static struct talk talk;
    (void)state;
    for (size_t i = 0; i < sizeof sleeping / sizeof *sleeping; i++) {
        talk_open(&talk, fl_registry_wait(sleeping[i]), fl_registry_options(sleeping[i]));
        wait_long(&talk);
        assert_true(talk.waiter.sleeps >= 1);
        assert_int_equal(talk.waker.wakes, 1);
        talk_close(&talk);
    }
}

static void spinners_are_never_woken(void **state)
{
    static const char *const spinning[] = {"spin", "spin-backoff", "spin-yield", "null"};
    static struct talk talk;
    (void)state;
    for (size_t i = 0; i < sizeof spinning / sizeof *spinning; i++) {
        talk_open(&talk, fl_registry_wait(spinning[i]), "");
        assert_null(talk.wait.ops->wake);
        wait_long(&talk);
        assert_true(talk.waiter.spins >= 1);
        assert_int_equal(talk.waker.wakes, 0);
        talk_close(&talk);
    }
}

/* A budget far beyond the wait is spun away without a system call. */
static void a_budget_is_spun_before_sleeping(void **state)
{
    static struct talk talk;
    (void)state;
    talk_open(&talk, fl_registry_wait("spin-futex"), "10s");
    assert_int_equal(talk.wait.ops->budget_ns(talk.wait.state), 10000000000u);
    wait_long(&talk);
    assert_int_equal(talk.waiter.sleeps, 0);
    assert_int_equal(talk.waker.wakes, 0);
    talk_close(&talk);
    talk_open(&talk, fl_registry_wait("spin-futex"), "0");
    wait_long(&talk);
    assert_int_equal(talk.waiter.spins, 0);
    assert_true(talk.waiter.sleeps >= 1);
    talk_close(&talk);
}

static void without_an_option_the_budget_is_calibrated(void **state)
{
    static struct talk talk;
    (void)state;
    talk_open(&talk, fl_registry_wait("spin-futex"), "");
    uint64_t budget = talk.wait.ops->budget_ns(talk.wait.state);
    assert_true(budget >= 1000 && budget <= 1000000);
    talk_close(&talk);
}

static void bad_budgets_are_refused(void **state)
{
    static const char *const bad[] = {"-1us", "11s", "fast", "50", "50us:1", "1e9s", "nan"};
    struct fl_err err;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(fl_registry_wait("spin-futex")->check(bad[i], &err), -EINVAL);
        assert_int_equal(fl_registry_wait("spin-yield")->check(bad[i], &err), -EINVAL);
        assert_non_null(strstr(err.text, "50us, 1ms"));
    }
    assert_int_equal(fl_registry_wait("spin-futex")->check("50us", &err), 0);
}

static void options_of_a_policy_without_any_are_refused(void **state)
{
    struct fl_arena arena = {.blocks = NULL};
    struct fl_wait wait;
    struct fl_err err;
    (void)state;
    assert_int_equal(fl_wait_open(&wait, fl_registry_wait("futex"), "1us", &arena, &err), -EINVAL);
    assert_non_null(strstr(err.text, "takes none"));
}

/* Policies of other processors say so, and are not opened. */
static void what_cannot_run_here_says_why(void **state)
{
    struct fl_arena arena = {.blocks = NULL};
    struct fl_wait wait;
    (void)state;
    for (const struct fl_wait_ops *const *w = fl_registry_waits(); *w; w++) {
        struct fl_err err = {.text = ""};
        if (!fl_part_probe(&(*w)->part, &err))
            continue;
        assert_true(strlen(err.text) > 10);
        assert_int_equal(fl_wait_open(&wait, *w, "", &arena, &err), -ENOTSUP);
    }
    fl_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_that_has_changed_costs_nothing),
        cmocka_unit_test(a_long_wait_ends_and_is_counted),
        cmocka_unit_test(sleepers_are_woken_by_one_call),
        cmocka_unit_test(spinners_are_never_woken),
        cmocka_unit_test(a_budget_is_spun_before_sleeping),
        cmocka_unit_test(without_an_option_the_budget_is_calibrated),
        cmocka_unit_test(bad_budgets_are_refused),
        cmocka_unit_test(options_of_a_policy_without_any_are_refused),
        cmocka_unit_test(what_cannot_run_here_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
