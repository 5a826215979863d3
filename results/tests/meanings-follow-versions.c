/* SPDX-License-Identifier: Apache-2.0 */
/* What Google Benchmark means by a time of several threads follows from its version. */
#include "results/meaning.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void versions_are_numbers_not_texts(void **state)
{
    static const struct {
        const char *version, *time, *rate;
    } cases[] = {
        {"", "divided", "before 1.9.0"},
        {"v1.8.4", "divided", "before 1.9.0"},
        {"1.8.5", "divided", "before 1.9.0"},
        {"v1.9.0", "since 1.9.0", "1.9.0 to 1.9.4"},
        {"v1.9.1-12-g0123abc", "since 1.9.0", "1.9.0 to 1.9.4"},
        {"1.9.5", "since 1.9.0", "since 1.9.5"},
        {"v1.10.0", "since 1.9.0", "since 1.9.5"},
        {"2.0", "since 1.9.0", "since 1.9.5"},
        {"main", FL_MEANING_UNKNOWN, FL_MEANING_UNKNOWN},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_non_null(strstr(fl_meaning_of_time(cases[i].version), cases[i].time));
        assert_non_null(strstr(fl_meaning_of_rate(cases[i].version), cases[i].rate));
    }
}

static void processor_time_means_the_same(void **state)
{
    const struct fl_meanings meanings = {.times_differ = true, .rates_differ = true};
    struct fl_metric metric = {.name = "time", .kind = FL_METRIC_TIMED};

    (void)state;
    assert_non_null(fl_meanings_reason(&meanings, &metric));
    metric.name = "cpu_time";
    assert_null(fl_meanings_reason(&meanings, &metric));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_are_numbers_not_texts),
        cmocka_unit_test(processor_time_means_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
