/* SPDX-License-Identifier: Apache-2.0 */
/* E-divisive against sums written out and published series; changes against series with known
 * truth. */
#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "faultline/random.h"
#include "results/change-points.h"
#include "results/edivisive.h"

#define MOST 512

static double normal(uint64_t *random)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += (double)(fl_random_next(random) >> 11) * 0x1p-53;
    return sum;
}

static double between(const double *x, size_t n, const double *y, size_t m)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < m; k++)
            sum += fabs(x[i] - y[k]);
    return sum;
}

static double within(const double *x, size_t n)
{
    return n > 1 ? between(x, n, x, n) / 2 / (double)(n - 1) : 0;
}

/* The definition, pair by pair, for every place and end. */
static struct fl_edivisive_split by_hand(const double *series, size_t count, size_t least)
{
    struct fl_edivisive_split best = {0, 0, -(double)INFINITY};

    for (size_t end = 2 * least; end <= count; end++)
        for (size_t at = least; at + least <= end; at++) {
            const double n = (double)at, m = (double)(end - at);
            const double q = 2 / (n + m) *
                             (between(series, at, series + at, end - at) - m * within(series, at) -
                              n * within(series + at, end - at));
            if (q > best.q)
                best = (struct fl_edivisive_split){at, end, q};
        }
    return best;
}

static void the_statistic_is_its_definition(void **state)
{
    double series[40], work[2 * 41];
    uint64_t random = 3;

    (void)state;
    for (size_t count = 2; count <= 40; count += 2)
        for (size_t least = 1; 2 * least <= count && least < 4; least++) {
            for (size_t i = 0; i < count; i++)
                series[i] = normal(&random) + (i > count / 2 ? 1 : 0);
            struct fl_edivisive_split split = fl_edivisive_best(series, count, least, work);
            struct fl_edivisive_split hand = by_hand(series, count, least);
            assert_int_equal(split.at, hand.at);
            assert_int_equal(split.end, hand.end);
            assert_true(fabs(split.q - hand.q) < 1e-9);
        }
    assert_int_equal(fl_edivisive_best(series, 1, 1, work).at, 0);
}

static size_t divide(const double *series, size_t count, uint64_t seed, size_t *places)
{
    const struct fl_edivisive_rule rule = {.level = 0.05, .permutations = 100, .seed = seed};
    size_t found;

    assert_int_equal(fl_edivisive(series, count, &rule, places, &found), 0);
    return found;
}

static void steps_are_divided_where_they_are(void **state)
{
    double series[60];
    size_t places[60], again[60], found;
    uint64_t random = 5;

    (void)state;
    for (size_t i = 0; i < 60; i++)
        series[i] = (i < 20 ? 100 : i < 45 ? 130 : 90) + normal(&random);
    assert_int_equal(divide(series, 60, 1, places), 2);
    assert_int_equal(places[0], 20);
    assert_int_equal(places[1], 45);
    assert_int_equal(divide(series, 60, 1, again), 2);
    assert_int_equal(divide(series, 1, 1, places), 0);
    assert_int_equal(divide(series, 0, 1, places), 0);
    series[7] = (double)NAN;
    const struct fl_edivisive_rule rule = {.level = 0.05, .permutations = 100, .seed = 1};
    assert_int_equal(fl_edivisive(series, 60, &rule, places, &found), -EINVAL);
}

/* ---- series of others ---- */

static const char *folder(void)
{
    const char *chosen = getenv("FAULTLINE_TEST_DATA");

    return chosen ? chosen : FL_TEST_DATA;
}

static struct json_object *read_json(const char *name)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/series/%s.json", folder(), name);
    return json_object_from_file(path);
}

static size_t read_series(const char *name, double *out)
{
    struct json_object *file = read_json(name), *list = file;

    assert_non_null(file);
    if (json_object_is_type(file, json_type_object))
        list = json_object_object_get(file, "series");
    size_t count = json_object_array_length(list);
    assert_in_range(count, 1, MOST);
    for (size_t i = 0; i < count; i++)
        out[i] = json_object_get_double(json_object_array_get_idx(list, i));
    json_object_put(file);
    return count;
}

/* Over 12 seeds: what all of theirs find, nearly all of ours do; nothing else is ever found. */
static void agree(const char *name, struct json_object *expected)
{
    double series[MOST];
    size_t places[MOST], times[MOST] = {0}, count = read_series(name, series);

    for (uint64_t seed = 1; seed <= 12; seed++)
        for (size_t i = divide(series, count, seed, places); i-- > 0;)
            times[places[i]]++;
    for (size_t i = 0; i < count; i++) {
        char key[24];
        struct json_object *share;
        snprintf(key, sizeof(key), "%zu", i);
        bool theirs = json_object_object_get_ex(expected, key, &share);
        if (theirs ? times[i] < 8 : times[i] > 0)
            fail_msg("%s: place %zu is found by %zu of 12 seeds", name, i, times[i]);
    }
}

static void published_series_are_divided_alike(void **state)
{
    struct json_object *file = read_json("expected");

    (void)state;
    if (!file) {
        print_message("skipped: no folder with published series; FAULTLINE_TEST_DATA names one\n");
        skip();
    }
    json_object_object_foreach(file, name, value)
    {
        if (json_object_is_type(value, json_type_object))
            agree(name, json_object_object_get(value, "edivisive"));
    }
    json_object_put(file);
}

/* ---- with safeguards ---- */

static size_t find(const double *series, size_t count, double least, struct fl_change *changes)
{
    const struct fl_change_rule rule = {.level = FL_CHANGE_LEVEL, .least = least, .tests = 24};
    size_t found;

    assert_int_equal(fl_change_points(series, count, &rule, changes, &found), 0);
    return found;
}

static void make(double *series, size_t count, size_t at, double size)
{
    uint64_t random = 11;

    for (size_t i = 0; i < count; i++)
        series[i] = 0.003 * normal(&random) + (i >= at ? size : 0);
}

static void a_step_is_a_change_with_its_size(void **state)
{
    double series[60];
    struct fl_change changes[20];

    (void)state;
    make(series, 60, 40, 0.05);
    assert_int_equal(find(series, 60, 0.005, changes), 1);
    assert_int_equal(changes[0].at, 40);
    assert_true(changes[0].low < 0.05 && changes[0].high > 0.05);
    assert_true(changes[0].low < changes[0].size && changes[0].high > changes[0].size);
    assert_true(changes[0].low > 0.03 && changes[0].high < 0.07);
    assert_true(changes[0].p < FL_CHANGE_LEVEL);
    assert_int_equal(find(series, 60, 0.06, changes), 0); /* smaller than what is looked for */
}

static void a_step_back_is_another_change(void **state)
{
    double series[90];
    struct fl_change changes[30];

    (void)state;
    make(series, 90, 30, 0.05);
    for (size_t i = 60; i < 90; i++)
        series[i] -= 0.05;
    assert_int_equal(find(series, 90, 0.005, changes), 2);
    assert_int_equal(changes[0].at, 30);
    assert_int_equal(changes[1].at, 60);
    assert_true(changes[0].size > 0.04 && changes[1].size < -0.04);
}

/* What one change does to the noise about another must not hide either. */
static void stairs_are_found_step_by_step(void **state)
{
    static const size_t ends[] = {25, 68, 114, 173};
    double series[200];
    struct fl_change changes[66];

    (void)state;
    make(series, 200, 200, 0);
    for (size_t i = 0; i < 200; i++)
        for (size_t k = 0; k < 4; k++)
            if (i >= ends[k])
                series[i] += k % 2 ? -0.02 : 0.02;
    assert_int_equal(find(series, 200, 0.005, changes), 4);
    for (size_t k = 0; k < 4; k++)
        assert_in_range(changes[k].at, ends[k] - 1, ends[k] + 1);
}

static void spikes_are_no_change(void **state)
{
    double series[40];
    struct fl_change changes[14];

    (void)state;
    for (size_t place = 0; place < 40; place++) {
        make(series, 40, 40, 0);
        series[place] += 1;
        assert_int_equal(find(series, 40, 0, changes), 0);
        if (place + 1 < 40)
            series[place + 1] += 1;
        assert_int_equal(find(series, 40, 0, changes), 0);
    }
}

static void a_change_needs_three_points_after_it(void **state)
{
    double series[43];
    struct fl_change changes[15];

    (void)state;
    make(series, 43, 40, 0.2);
    assert_int_equal(find(series, 41, 0.005, changes), 0);
    assert_int_equal(find(series, 42, 0.005, changes), 0);
    assert_int_equal(find(series, 43, 0.005, changes), 1);
    assert_int_equal(changes[0].at, 40);
}

static void what_is_the_same_has_no_change(void **state)
{
    double series[30] = {0};
    struct fl_change changes[10];

    (void)state;
    assert_int_equal(find(series, 30, 0, changes), 0);
    for (size_t i = 20; i < 30; i++)
        series[i] = 1; /* and nothing but the step */
    assert_int_equal(find(series, 30, 0.005, changes), 1);
    assert_int_equal(changes[0].at, 20);
    assert_int_equal(find(series, 2, 0, changes), 0);
    assert_int_equal(find(series, 0, 0, changes), 0);
    const struct fl_change_rule rule = {.level = FL_CHANGE_LEVEL, .least = 0, .tests = 1};
    size_t found;
    series[3] = (double)NAN;
    assert_int_equal(fl_change_points(series, 30, &rule, changes, &found), -EINVAL);
}

/* Lag-1 correlation 0.6: at most one false change per 1,000 points. */
static void noise_that_remembers_has_few_changes(void **state)
{
    double series[100], point = 0;
    struct fl_change changes[34];
    uint64_t random = 17;
    size_t found = 0;
    const struct fl_change_rule rule = {.level = FL_CHANGE_LEVEL, .least = 0, .tests = 1};

    (void)state;
    for (int i = 0; i < 100; i++) {
        size_t more;
        for (size_t k = 0; k < 100; k++)
            series[k] = point = 0.6 * point + 0.8 * normal(&random);
        assert_int_equal(fl_change_points(series, 100, &rule, changes, &more), 0);
        found += more;
    }
    assert_in_range(found, 0, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_statistic_is_its_definition),
        cmocka_unit_test(steps_are_divided_where_they_are),
        cmocka_unit_test(published_series_are_divided_alike),
        cmocka_unit_test(a_step_is_a_change_with_its_size),
        cmocka_unit_test(a_step_back_is_another_change),
        cmocka_unit_test(stairs_are_found_step_by_step),
        cmocka_unit_test(spikes_are_no_change),
        cmocka_unit_test(a_change_needs_three_points_after_it),
        cmocka_unit_test(what_is_the_same_has_no_change),
        cmocka_unit_test(noise_that_remembers_has_few_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
