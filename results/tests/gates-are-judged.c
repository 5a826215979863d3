/* SPDX-License-Identifier: Apache-2.0 */
/* Exit codes and findings of comparisons: each verdict alone, and which comes first. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gate-rig.h"

static struct rig rig;

/* The exit code of a gate over one row of each of the verdicts, ended by -1. */
static int exit_of(bool inconclusive_fails, const int *verdicts)
{
    static const char *const cells[] = {"n=1", "n=2", "n=3", "n=4", "n=5"};

    rig_begin(&rig);
    rig.policy.inconclusive_fails = inconclusive_fails;
    for (size_t i = 0; verdicts[i] >= 0; i++)
        rig_row(&rig, cells[i], "time", (enum fl_verdict)verdicts[i]);
    int code = rig_judge(&rig);
    rig_end(&rig);
    return code;
}

static void every_verdict_has_its_exit_code(void **state)
{
    static const struct {
        enum fl_verdict verdict;
        int passes, fails; /* by what an inconclusive cell means */
    } cases[] = {
        {FL_VERDICT_PASS, 0, 0},           {FL_VERDICT_IMPROVEMENT, 0, 0},
        {FL_VERDICT_REGRESSION, 1, 1},     {FL_VERDICT_ERROR, 5, 5},
        {FL_VERDICT_MISSING, 5, 5},        {FL_VERDICT_INCONCLUSIVE, 0, 3},
        {FL_VERDICT_NOT_COMPARABLE, 4, 4}, {FL_VERDICT_NEW, 4, 4},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const int only[] = {(int)cases[i].verdict, -1};
        assert_int_equal(exit_of(false, only), cases[i].passes);
        assert_int_equal(exit_of(true, only), cases[i].fails);
    }
    assert_int_equal(exit_of(false, (const int[]){-1}), 4);
}

static void the_gravest_verdict_decides(void **state)
{
    enum {
        REGRESSION = FL_VERDICT_REGRESSION,
        ERROR = FL_VERDICT_ERROR,
        MISSING = FL_VERDICT_MISSING,
        OPEN = FL_VERDICT_INCONCLUSIVE,
        OTHER = FL_VERDICT_NOT_COMPARABLE,
        NEW = FL_VERDICT_NEW,
        PASS = FL_VERDICT_PASS
    };

    (void)state;
    assert_int_equal(exit_of(true, (const int[]){PASS, OPEN, ERROR, REGRESSION, -1}), 1);
    assert_int_equal(exit_of(true, (const int[]){PASS, OPEN, OTHER, MISSING, -1}), 5);
    assert_int_equal(exit_of(true, (const int[]){OTHER, ERROR, -1}), 5);
    assert_int_equal(exit_of(true, (const int[]){PASS, OPEN, -1}), 3);
    assert_int_equal(exit_of(true, (const int[]){PASS, OTHER, -1}), 3);
    assert_int_equal(exit_of(true, (const int[]){PASS, NEW, -1}), 0);
    assert_int_equal(exit_of(true, (const int[]){OTHER, NEW, -1}), 4);
    assert_int_equal(exit_of(false, (const int[]){PASS, OPEN, OTHER, NEW, -1}), 0);
    assert_int_equal(exit_of(false, (const int[]){OPEN, OTHER, -1}), 0);
}

static void a_regression_says_how_much_how_sure_and_why(void **state)
{
    (void)state;
    rig_begin(&rig);
    rig_row(&rig, "n=192", "time", FL_VERDICT_REGRESSION);
    struct fl_compare_row *faults = rig_row(&rig, "n=192", "minor-faults", FL_VERDICT_REGRESSION);
    faults->result.base = 0;
    faults->result.head = 112;
    faults->result.effect = (double)NAN;
    rig_row(&rig, "n=200", "minor-faults", FL_VERDICT_PASS)->result.head = 1000;
    rig_judge(&rig);
    assert_int_equal(rig.gate.count, 2);
    const struct fl_gate_finding *slow = &rig.gate.findings[0];
    assert_int_equal(slow->severity, FL_GATE_ERROR);
    assert_string_equal(slow->title, "regression: time +10.00 %");
    assert_string_equal(slow->cause, "minor-faults went from 0 to 112 faults");
    assert_string_equal(
        slow->message, "n=192: time went from 100 to 110 ns (+10.00 %); worse by 8.50 % or more by "
                       "the sequential bound, tolerated 0.5 %; 95 % interval +9.00 to +11.00 %, "
                       "36 pairs; minor-faults went from 0 to 112 faults");
    assert_string_equal(slow->command, "faultline ab --base x --head y packing.ini");
    assert_string_equal(slow->place.file, "scenarios/packing.ini");
    assert_string_equal(rig.gate.findings[1].title, "regression: minor-faults 0 -> 112");
    assert_null(rig.gate.findings[1].cause);
    assert_string_equal(rig.gate.findings[1].message,
                        "n=192: minor-faults went from 0 to 112 faults; 10 samples from 109 to "
                        "110, of the base 10 from 100 to 101");
    assert_string_equal(rig.gate.summary, "regression: 3 judged: 2 regression, 1 pass");
    rig_end(&rig);
}

static void counts_that_did_not_move_are_no_cause(void **state)
{
    (void)state;
    rig_begin(&rig);
    rig_row(&rig, "n=1", "time", FL_VERDICT_REGRESSION);
    rig_row(&rig, "n=1", "minor-faults", FL_VERDICT_PASS);
    rig_row(&rig, "n=2", "time", FL_VERDICT_REGRESSION);
    rig_judge(&rig);
    assert_string_equal(rig.gate.findings[0].cause, "no count of the cell moved");
    assert_null(rig.gate.findings[1].cause);
    rig_end(&rig);
}

/* A count that gates nothing may still explain. */
static void the_count_that_got_worse_by_most_is_the_cause(void **state)
{
    (void)state;
    rig_begin(&rig);
    rig_row(&rig, "n=1", "time", FL_VERDICT_REGRESSION);
    rig_row(&rig, "n=1", "brk-calls", FL_VERDICT_PASS)->result.head = 101;
    rig_row(&rig, "n=1", "mmap-calls", FL_VERDICT_PASS)->result.head = 150;
    rig_row(&rig, "n=1", "hits", FL_VERDICT_PASS)->result.head = 900;
    rig.rows[3].better = FL_MORE_IS_BETTER;
    rig_judge(&rig);
    assert_non_null(strstr(rig.gate.findings[0].cause, "mmap-calls"));
    rig_end(&rig);
}

static void what_is_open_for_one_reason_is_one_finding(void **state)
{
    (void)state;
    rig_begin(&rig);
    rig_row(&rig, "n=1", "time", FL_VERDICT_INCONCLUSIVE)->result.reason = "few pairs";
    rig_row(&rig, "n=2", "time", FL_VERDICT_INCONCLUSIVE)->result.reason = "other";
    rig_row(&rig, "n=3", "time", FL_VERDICT_INCONCLUSIVE)->result.reason = "few pairs";
    rig_row(&rig, "n=4", "time", FL_VERDICT_ERROR)->result.reason = "crashed";
    rig_row(&rig, "n=4", "minor-faults", FL_VERDICT_ERROR)->result.reason = "crashed";
    rig_judge(&rig);
    assert_int_equal(rig.gate.count, 3);
    assert_string_equal(rig.gate.findings[0].message, "n=4: crashed");
    assert_int_equal(rig.gate.findings[0].rows, 2);
    assert_int_equal(rig.gate.findings[1].rows, 2);
    assert_int_equal(rig.gate.findings[1].severity, FL_GATE_WARNING);
    assert_string_equal(rig.gate.findings[1].title, "inconclusive: 2 values");
    assert_non_null(strstr(rig.gate.findings[1].message, "few pairs: n=1: time"));
    assert_non_null(strstr(rig.gate.findings[1].message, ", and 1 more"));
    rig_end(&rig);
}

static void the_suite_and_whole_cells_have_findings_without_numbers(void **state)
{
    const double none = (double)NAN;

    (void)state;
    rig_begin(&rig);
    struct fl_compare_row *suite = rig_row(&rig, "all cells", "time", FL_VERDICT_REGRESSION);
    suite->suite = true;
    suite->result.base = suite->result.head = none;
    struct fl_compare_row *base = rig_row(&rig, "n=1", "", FL_VERDICT_NOT_COMPARABLE);
    base->result.base = base->result.head = base->result.effect = none;
    base->result.reason = "the base failed: crashed";
    rig_judge(&rig);
    assert_true(!strncmp(rig.gate.findings[0].message, "all cells: time +10.00 %; worse by", 34));
    assert_string_equal(rig.gate.findings[1].message,
                        "not comparable, the base failed: crashed: n=1");
    rig_end(&rig);
}

static void what_the_policy_does_not_judge_decides_nothing(void **state)
{
    (void)state;
    rig_begin(&rig);
    rig_row(&rig, "n=1", "gflops", FL_VERDICT_REGRESSION)->kind = FL_METRIC_TIMED;
    rig_row(&rig, "n=1", "time", FL_VERDICT_PASS);
    assert_int_equal(rig_judge(&rig), 0);
    assert_int_equal(rig.gate.judged_count, 1);
    assert_int_equal(rig.gate.count, 0);
    rig_end(&rig);
}

static void count_finding(void *arg, const struct fl_gate_finding *finding)
{
    assert_int_equal(finding->severity, FL_GATE_ERROR);
    (*(size_t *)arg)++;
}

static void more_than_ten_findings_are_summed_up(void **state)
{
    static char cells[RIG_ROWS][16];
    size_t shown = 0;

    (void)state;
    rig_begin(&rig);
    for (int i = 0; i < 12; i++) {
        snprintf(cells[i], sizeof(cells[i]), "n=%d", i);
        rig_row(&rig, cells[i], "time", FL_VERDICT_REGRESSION);
    }
    rig_judge(&rig);
    assert_int_equal(fl_gate_each_shown(&rig.gate, FL_GATE_ERROR, count_finding, &shown), 3);
    assert_int_equal(shown, 9);
    assert_int_equal(fl_gate_each_shown(&rig.gate, FL_GATE_WARNING, count_finding, &shown), 0);
    assert_int_equal(shown, 9);
    rig_end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_verdict_has_its_exit_code),
        cmocka_unit_test(the_gravest_verdict_decides),
        cmocka_unit_test(a_regression_says_how_much_how_sure_and_why),
        cmocka_unit_test(counts_that_did_not_move_are_no_cause),
        cmocka_unit_test(the_count_that_got_worse_by_most_is_the_cause),
        cmocka_unit_test(what_is_open_for_one_reason_is_one_finding),
        cmocka_unit_test(the_suite_and_whole_cells_have_findings_without_numbers),
        cmocka_unit_test(what_the_policy_does_not_judge_decides_nothing),
        cmocka_unit_test(more_than_ten_findings_are_summed_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
