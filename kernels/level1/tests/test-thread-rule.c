/* SPDX-License-Identifier: Apache-2.0 */
/* What thread rules read and decide. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "thread-rule.h"

static struct fl_thread_rule rule_of(const char *level)
{
    struct fl_thread_rule rule = {0};
    struct fl_err err = {""};

    if (fl_thread_rule_parse(level, &rule, &err))
        fail_msg("%s", err.text);
    return rule;
}

static bool shares(const char *level, double n, double bytes_each, unsigned threads, bool unit)
{
    const struct fl_thread_rule rule = rule_of(level);

    return fl_thread_rule_shares(
        &rule, &(struct fl_thread_rule_call){
                   .n = n, .bytes = n * bytes_each, .unit = unit, .threads = threads});
}

static void levels_are_read(void **state)
{
    (void)state;
    assert_int_equal(rule_of("one").kind, FL_RULE_ONE);
    assert_int_equal(rule_of("all").kind, FL_RULE_ALL);
    assert_int_equal(rule_of("n>10000").kind, FL_RULE_LENGTH);
    assert_true(rule_of("n>10000").limit == 10000);
    assert_int_equal(rule_of("bytes-per-thread:384K").kind, FL_RULE_BYTES);
    assert_true(rule_of("bytes-per-thread:384K").limit == 393216);
    assert_int_equal(rule_of("calibrated").kind, FL_RULE_CALIBRATED);
    assert_true(isinf(rule_of("calibrated").limit));
}

static void mistakes_are_refused(void **state)
{
    static const char *const bad[] = {"",
                                      "two",
                                      "n>",
                                      "n>-1",
                                      "n>1.5",
                                      "n>1e400",
                                      "n>nan",
                                      "n<100",
                                      "n>10 0",
                                      "All",
                                      "bytes-per-thread",
                                      "bytes-per-thread:",
                                      "bytes-per-thread:-1",
                                      "bytes-per-thread:384Q",
                                      "calibrated:1"};
    struct fl_thread_rule rule;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct fl_err err = {""};

        if (fl_thread_rule_parse(bad[i], &rule, &err) != -EINVAL)
            fail_msg("'%s' was taken", bad[i]);
        assert_non_null(strstr(err.text, "bytes-per-thread:384K"));
    }
}

/* The elements from which on the source's rule takes the team: its budget over bytes moved. */
static void bytes_per_thread_turns_where_the_published_rule_does(void **state)
{
    static const struct {
        unsigned threads;
        double bytes, n; /* of an element, and the first n of the team */
    } rows[] = {
        {4, 4, 294912},   {4, 8, 147456},  {4, 12, 98304},   {4, 24, 49152},   {4, 48, 24576},
        {8, 4, 688128},   {8, 8, 344064},  {8, 12, 229376},  {8, 24, 114688},  {8, 48, 57344},
        {14, 4, 1277952}, {14, 8, 638976}, {14, 12, 425984}, {14, 24, 212992}, {14, 48, 106496},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *rule = "bytes-per-thread:384K";

        assert_false(shares(rule, rows[i].n - 1, rows[i].bytes, rows[i].threads, true));
        assert_true(shares(rule, rows[i].n, rows[i].bytes, rows[i].threads, true));
        assert_true(shares(rule, 2, rows[i].bytes, rows[i].threads, false));
        assert_false(shares(rule, 1e9, rows[i].bytes, 1, true));
    }
}

static void other_rules_turn_where_they_say(void **state)
{
    const struct fl_thread_rule_call call = {.n = 100, .bytes = 800, .unit = true, .threads = 4};
    struct fl_thread_rule calibrated = rule_of("calibrated");

    (void)state;
    assert_false(shares("n>10000", 10000, 4, 2, true));
    assert_true(shares("n>10000", 10001, 4, 2, true));
    assert_true(shares("n>10000", 10001, 4, 2, false));
    assert_true(shares("all", 0, 4, 2, true));
    assert_false(shares("all", 1e9, 4, 1, true));
    assert_false(shares("one", 1e9, 4, 64, true));
    assert_false(fl_thread_rule_shares(&calibrated, &call));
    calibrated.limit = 800;
    assert_true(fl_thread_rule_shares(&calibrated, &call));
    calibrated.limit = 801;
    assert_false(fl_thread_rule_shares(&calibrated, &call));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_are_read),
        cmocka_unit_test(mistakes_are_refused),
        cmocka_unit_test(bytes_per_thread_turns_where_the_published_rule_does),
        cmocka_unit_test(other_rules_turn_where_they_say),
    };

    return cmocka_run_group_tests_name("thread-rule", tests, NULL, NULL);
}
