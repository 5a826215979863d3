/* SPDX-License-Identifier: Apache-2.0 */
/* Every counter's table, the template's included: what the registry and the docs rely on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counter-rig.h"

extern const struct fl_counter_ops fl_counter_template;

static const struct fl_counter_ops *const all[] = {
    &fl_counter_rusage,   &fl_counter_workspace, &fl_counter_perf,
    &fl_counter_syscalls, &fl_counter_probe,     &fl_counter_template,
};

enum { ALL = sizeof(all) / sizeof(all[0]) };

static void tables_are_complete(void **unused)
{
    (void)unused;
    for (int i = 0; i < ALL; i++) {
        assert_int_equal(fl_part_check(&all[i]->part, NULL), 0);
        assert_true(all[i]->open && all[i]->start && all[i]->stop && all[i]->read && all[i]->close);
        assert_true(all[i]->metric_count || all[i]->dynamic);
        for (size_t m = 0; m < all[i]->metric_count; m++) {
            const struct fl_metric *metric = &all[i]->metrics[m];
            assert_true(metric->name && metric->unit && metric->summary && metric->source);
            assert_null(strpbrk(metric->name, " ,=\"\\:"));
        }
    }
}

static void metric_names_are_unique(void **unused)
{
    (void)unused;
    for (int i = 0; i < ALL; i++)
        for (size_t m = 0; m < all[i]->metric_count; m++)
            for (int j = 0; j <= i; j++)
                for (size_t n = 0; n < (j == i ? m : all[j]->metric_count); n++)
                    assert_string_not_equal(all[i]->metrics[m].name, all[j]->metrics[n].name);
}

/* Whatever is wanted, a counter opens, and every metric is a number or has a reason. */
static void every_metric_is_a_number_or_has_a_reason(void **unused)
{
    (void)unused;
    for (int i = 0; i < ALL; i++)
        for (size_t m = 0; m < all[i]->metric_count; m++) {
            struct rig rig;
            setenv("FAULTLINE_SYSCALLS", "tracepoint", 1); /* ptrace would last to the end */
            rig_open(&rig, all[i], all[i]->metrics[m].name);
            assert_int_equal(rig.rc, 0);
            rig_window(&rig, NULL, NULL);
            struct fl_reading reading = rig_read(&rig, all[i]->metrics[m].name);
            if (reading.state == FL_READING_OK)
                assert_true(reading.scale == 1 && !reading.multiplexed);
            else
                assert_true(reading.reason && strlen(reading.reason) > 10);
            rig_close(&rig);
        }
}

static void work(void *arg)
{
    volatile double *sum = arg;
    for (int i = 0; i < 1000000; i++)
        *sum += i;
}

static void the_template_counts(void **unused)
{
    (void)unused;
    struct rig rig;
    double sum = 0;
    rig_open(&rig, &fl_counter_template, "thread-cpu-time");
    rig_window(&rig, work, &sum);
    int64_t much = rig_total(&rig, "thread-cpu-time");
    rig_window(&rig, NULL, NULL);
    assert_true(much > rig_total(&rig, "thread-cpu-time"));
    rig_close(&rig);
}

/* The page that documents the metrics names every one. */
static void every_metric_is_documented(void **unused)
{
    (void)unused;
    FILE *page = fopen(COUNTERS_PAGE, "r");
    assert_non_null(page);
    static char text[200000];
    text[fread(text, 1, sizeof(text) - 1, page)] = 0;
    fclose(page);
    for (int i = 0; i < ALL; i++)
        for (size_t m = 0; all[i] != &fl_counter_template && m < all[i]->metric_count; m++) {
            char row[128];
            snprintf(row, sizeof(row), "| `%s` | %s ", all[i]->metrics[m].name,
                     all[i]->metrics[m].unit);
            if (!strstr(text, row))
                fail_msg("no row '%s' in %s", row, COUNTERS_PAGE);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_complete),
        cmocka_unit_test(metric_names_are_unique),
        cmocka_unit_test(every_metric_is_a_number_or_has_a_reason),
        cmocka_unit_test(the_template_counts),
        cmocka_unit_test(every_metric_is_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
