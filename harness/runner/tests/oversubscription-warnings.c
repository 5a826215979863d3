/* SPDX-License-Identifier: Apache-2.0 */
/* What is said beforehand of cells with more threads than processors, on described machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runner/oversubscription.h"

#define BOX "package:2 core:4 pu:2"

struct told {
    char texts[2][512];
    size_t count;
};

static void on_warning(void *arg, const char *text)
{
    struct told *told = arg;
    assert_true(told->count < 2);
    snprintf(told->texts[told->count++], sizeof told->texts[0], "%s", text);
}

/* What is told of these keys, a NULL-terminated list, on a machine with that mask and quota. */
static struct told tell(const char *allowed, double quota, const char *const *keys)
{
    struct told told = {.count = 0};
    const struct fl_topology_source source = {"/nonexistent", BOX, allowed};
    const struct fl_progress progress = {.warning = on_warning, .arg = &told};
    const struct fl_run_request request = {.progress = &progress};
    struct fl_topology topology;
    char list[3][256], *views[3];
    struct fl_campaign *campaign = calloc(1, sizeof *campaign);
    assert_non_null(campaign);
    assert_int_equal(fl_topology_load(&source, &topology, NULL), 0);
    topology.quota = quota;
    if (quota > 0 && quota < (double)topology.count)
        topology.usable = (unsigned)quota + 1;
    for (size_t i = 0; keys[i]; campaign->plan.count = ++i) {
        assert_true(i < 3);
        snprintf(list[i], sizeof list[i], "%s", keys[i]);
        views[i] = list[i];
    }
    campaign->plan.keys = views;
    campaign->request = &request;
    campaign->sampler.topology = &topology;
    assert_int_equal(fl_oversubscription_tell(campaign, NULL), 0);
    free(campaign);
    fl_topology_release(&topology);
    return told;
}

static void assert_says(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' does not say: %s", text, part);
}

static void the_mask_is_named_where_it_binds(void **state)
{
    (void)state;
    const char *const keys[] = {"kernel=null-region threads=6", "kernel=null-region threads=5",
                                "kernel=null requests=none hogs=9", NULL};
    struct told told = tell("2-5,15", 0, keys);
    assert_int_equal(told.count, 1);
    assert_says(told.texts[0], "1 of 3 cells have more threads, up to 6, than the 5 that the "
                               "affinity mask 2-5,15 lets run at once");
}

static void the_quota_is_named_where_it_binds(void **state)
{
    (void)state;
    const char *const keys[] = {"kernel=null-region threads=3", "kernel=null-region threads=4",
                                "kernel=null-region threads=2", NULL};
    struct told told = tell(NULL, 1.5, keys);
    assert_int_equal(told.count, 1);
    assert_says(told.texts[0], "2 of 3 cells have more threads, up to 4, than the 2 that the "
                               "control group's quota of 1.5 processors lets run at once");
    told = tell("0-1", 3.5, keys); /* a quota above the mask binds nothing */
    assert_says(told.texts[0], "the affinity mask 0-1");
}

static void who_keeps_a_processor_while_waiting_is_told_apart(void **state)
{
    (void)state;
    const char *const openmp[] = {"kernel=null-region team=openmp barrier=openmp omp-wait=active "
                                  "threads=17",
                                  "kernel=null-region team=openmp barrier=openmp threads=17", NULL};
    struct told told = tell(NULL, 0, openmp);
    assert_int_equal(told.count, 2);
    assert_says(told.texts[1], "in 1 of these");
    assert_says(told.texts[1], "(omp-wait=active)");
    const char *const ours[] = {"kernel=null-region threads=17 wait=spin-backoff",
                                "kernel=null-region threads=17 wait=spin-yield:1us",
                                "kernel=null-region threads=16 wait=spin", NULL};
    told = tell(NULL, 0, ours);
    assert_int_equal(told.count, 2);
    assert_says(told.texts[1], "in 1 of these");
    assert_says(told.texts[1], "(wait=spin-backoff)");
}

static void a_librarys_threads_count_for_each_caller(void **state)
{
    (void)state;
    const char *const keys[] = {"kernel=blas:dgemm_ library=openblas n=8 threads=4 "
                                "library-threads=5",
                                "kernel=blas:dgemm_ library=openblas n=8 library-threads=nproc",
                                NULL};
    struct told told = tell(NULL, 0, keys);
    assert_int_equal(told.count, 1);
    assert_says(told.texts[0], "1 of 2 cells have more threads, up to 20, than the 16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mask_is_named_where_it_binds),
        cmocka_unit_test(the_quota_is_named_where_it_binds),
        cmocka_unit_test(who_keeps_a_processor_while_waiting_is_told_apart),
        cmocka_unit_test(a_librarys_threads_count_for_each_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
