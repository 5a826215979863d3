/* SPDX-License-Identifier: Apache-2.0 */
/* Counter workspace: the workspace's own report, and resident memory to the page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "counter-rig.h"

#define METRICS "held-bytes rss-bytes rss-growth-bytes"

enum { PAGES = 400 };

static size_t held(const void *state)
{
    return *(const size_t *)state;
}

static const struct fl_workspace_ops fake = {.part = {.name = "fake"}, .held = held};

static void touch(void *memory)
{
    memset(memory, 1, PAGES * (size_t)sysconf(_SC_PAGESIZE));
}

static void drop(void *memory)
{
    munmap(memory, PAGES * (size_t)sysconf(_SC_PAGESIZE));
}

static void reports_what_the_workspace_holds_after_the_window(void **unused)
{
    (void)unused;
    size_t bytes = 123456;
    struct fl_workspace workspace = {&fake, &bytes};
    struct rig rig;
    rig_open_with(&rig, &fl_counter_workspace, METRICS, &workspace, NULL);
    rig_window(&rig, NULL, NULL);
    assert_int_equal(rig_total(&rig, "held-bytes"), 123456);
    bytes = 0;
    rig_window(&rig, NULL, NULL);
    assert_int_equal(rig_total(&rig, "held-bytes"), 0);
    rig_close(&rig);
}

static void without_a_workspace_nothing_is_observable(void **unused)
{
    (void)unused;
    struct rig rig;
    rig_open(&rig, &fl_counter_workspace, METRICS);
    rig_window(&rig, NULL, NULL);
    struct fl_reading reading = rig_read(&rig, "held-bytes");
    assert_int_equal(reading.state, FL_READING_NOT_OBSERVABLE);
    assert_non_null(reading.reason);
    rig_close(&rig);
}

static void resident_memory_follows_the_pages(void **unused)
{
    (void)unused;
    struct rig rig;
    const int64_t bytes = PAGES * sysconf(_SC_PAGESIZE);
    char *memory = rig_pages(PAGES);
    rig_open(&rig, &fl_counter_workspace, METRICS);
    rig_window(&rig, NULL, NULL);
    if (rig_read(&rig, "rss-bytes").state != FL_READING_OK)
        skip();
    int64_t before = rig_total(&rig, "rss-bytes");
    rig_window(&rig, touch, memory);
    assert_true(rig_is_exact(rig_total(&rig, "rss-growth-bytes"), bytes));
    assert_true(rig_is_exact(rig_total(&rig, "rss-bytes"), before + bytes));
#ifndef FL_SANITIZED
    rig_window(&rig, drop, memory);
    assert_int_equal(rig_total(&rig, "rss-growth-bytes"), -bytes);
#else
    drop(memory);
#endif
    rig_close(&rig);
}

static void metrics_are_levels_with_a_unit(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < fl_counter_workspace.metric_count; i++) {
        assert_int_equal(fl_counter_workspace.metrics[i].kind, FL_METRIC_LEVEL);
        assert_string_equal(fl_counter_workspace.metrics[i].unit, "bytes");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_what_the_workspace_holds_after_the_window),
        cmocka_unit_test(without_a_workspace_nothing_is_observable),
        cmocka_unit_test(resident_memory_follows_the_pages),
        cmocka_unit_test(metrics_are_levels_with_a_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
