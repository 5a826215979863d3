/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic read-modify-writes per phase are exact, and the counting build is the same barrier. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "barrier-rig.h"
#include "faultline/registry.h"

enum { PHASES = 50 };

static void meet(struct rig *rig, unsigned thread, struct fl_wait_stat *stat)
{
    for (unsigned i = 0; i < PHASES; i++)
        fl_barrier_arrive(&rig->barrier, thread, stat);
}

static uint64_t count_rmws(const struct fl_barrier_ops *ops, const char *options,
                           const char *policy, unsigned threads)
{
    static struct rig rig;
    uint64_t total = 0;
    struct rig_pair pair = {ops, options, fl_registry_wait(policy), fl_registry_options(policy)};
    rig_open(&rig, &pair, threads, NULL);
    rig.body = meet;
    rig_run(&rig);
    for (unsigned i = 0; i < threads; i++)
        total += rig.team[i].stat.rmws;
    rig_close(&rig);
    return total;
}

static uint64_t two_each(unsigned threads)
{
    return 2 * threads;
}

static uint64_t one_each_and_one(unsigned threads)
{
    return threads + 1;
}

static uint64_t one_each(unsigned threads)
{
    return threads;
}

static uint64_t none(unsigned threads)
{
    (void)threads;
    return 0;
}

/* One for each thread, and for each node but the root of a tree of that arity. */
static uint64_t tree(unsigned threads, unsigned arity)
{
    uint64_t total = 0;
    for (unsigned width = threads; width > 1; width = (width + arity - 1) / arity)
        total += width;
    return total;
}

static uint64_t tree_of_4(unsigned threads)
{
    return tree(threads, 4);
}

static uint64_t tree_of_2(unsigned threads)
{
    return tree(threads, 2);
}

static const struct {
    const char *level;
    uint64_t (*expected)(unsigned threads);
} counts[] = {
    {"ggml-packed", two_each},
    {"ggml-split", two_each},
    {"ggml-single-release", one_each_and_one},
    {"ggml-fixed", one_each_and_one},
    {"central", one_each},
    {"combining-tree", tree_of_4},
    {"combining-tree:arity=2", tree_of_2},
    {"mcs-tree", none},
    {"tournament", none},
    {"dissemination", none},
    {"hyper", none},
    {"all-to-all", none},
    {"grouped", none},
    {"null", none},
};

/* Whatever the policy: what it does to its own sleeper count is not the barrier's. */
static void a_phase_takes_the_stated_read_modify_writes(void **state)
{
    static const unsigned teams[] = {1, 2, 3, 4, 5, 8, 13};
    static const char *const policies[] = {"spin-yield:0", "futex"};
    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t i = 0; i < sizeof teams / sizeof *teams; i++)
            for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
                uint64_t got =
                    count_rmws(fl_registry_counting_barrier(counts[c].level),
                               fl_registry_options(counts[c].level), policies[p], teams[i]);
                uint64_t expected = PHASES * counts[c].expected(teams[i]);
                if (got != expected)
                    fail_msg("%s, %u threads, %s: %lu in %d phases, not %lu", counts[c].level,
                             teams[i], policies[p], (unsigned long)got, PHASES,
                             (unsigned long)expected);
            }
}

static void every_barrier_has_a_stated_count(void **state)
{
    (void)state;
    for (const struct fl_barrier_ops *const *b = fl_registry_barriers(); *b; b++) {
        bool stated = (*b)->own_wait;
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            stated |= fl_registry_barrier(counts[c].level) == *b;
        if (!stated)
            fail_msg("barrier '%s' has no count in this test", (*b)->part.name);
    }
}

static void the_plain_build_counts_nothing(void **state)
{
    (void)state;
    assert_int_equal(count_rmws(fl_registry_barrier("ggml-packed"), "", "futex", 3), 0);
}

static void both_builds_have_the_same_barriers(void **state)
{
    const struct fl_barrier_ops *const *plain = fl_registry_barriers();
    const struct fl_barrier_ops *const *counting = fl_registry_counting_barriers();
    (void)state;
    for (; *plain; plain++, counting++) {
        assert_non_null(*counting);
        assert_string_equal((*plain)->part.name, (*counting)->part.name);
        assert_ptr_not_equal(*plain, *counting);
    }
    assert_null(*counting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_phase_takes_the_stated_read_modify_writes),
        cmocka_unit_test(every_barrier_has_a_stated_count),
        cmocka_unit_test(the_plain_build_counts_nothing),
        cmocka_unit_test(both_builds_have_the_same_barriers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
