/* SPDX-License-Identifier: Apache-2.0 */
/* What [gate] may say, in a scenario and in a policy file, and what it says of one cell. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "runner/scenario.h"

#define DGEMM  "kernel=dgemm n=192 workspace=malloc malloc=glibc"
#define DSYRK  "kernel=dsyrk n=64 workspace=malloc malloc=glibc"
#define IMPORT "benchmark=\"BM_Mul<int, 4>\" threads=2"

static struct fl_scenario_gate gate;

static int read_gate(const char *section, bool stored, struct fl_err *err)
{
    char text[2048];
    snprintf(text, sizeof text, "[gate]\n%s\n", section);
    err->text[0] = 0;
    return fl_scenario_gate_read("p.ini", text, strlen(text), stored, &gate, err);
}

static void must_read(const char *section)
{
    struct fl_err err;
    if (read_gate(section, false, &err))
        fail_msg("%s", err.text);
}

static void must_refuse(const char *section, const char *place, const char *reason)
{
    struct fl_err err;
    if (!read_gate(section, false, &err))
        fail_msg("taken: %s", section);
    if (strncmp(err.text, place, strlen(place)) || !strstr(err.text, reason))
        fail_msg("'%s' lacks '%s' or '%s'", err.text, place, reason);
}

static struct fl_gate_limits limits(const char *key, const char *metric)
{
    struct fl_gate_limits out;
    fl_scenario_gate_limits(&gate, key, metric, &out);
    return out;
}

static void nothing_said_is_the_default(void **state)
{
    (void)state;
    must_read("");
    assert_true(gate.tolerance == 0.5 && gate.detect == 2 && gate.budget == 600);
    assert_false(gate.inconclusive_fails);
    assert_true(fl_scenario_gate_judges(&gate, "minor-faults", FL_METRIC_SET));
    assert_true(fl_scenario_gate_judges(&gate, "brk-calls", FL_METRIC_EXACT));
    assert_true(fl_scenario_gate_judges(&gate, "time", FL_METRIC_TIMED));
    assert_false(fl_scenario_gate_judges(&gate, "gflops", FL_METRIC_TIMED));
    assert_false(fl_scenario_gate_judges(&gate, "voluntary-switches", FL_METRIC_NOISY_COUNT));
    fl_scenario_gate_release(&gate);
}

static void keys_are_taken_with_their_units(void **state)
{
    (void)state;
    must_read("tolerance = 1 %\ndetect : 5\nbudget = 2min\non-inconclusive = fail\n"
              "metrics = time,\n    voluntary-switches\nslack = 1\nslack.minor-faults = 2.5\n");
    assert_true(gate.tolerance == 1 && gate.detect == 5 && gate.budget == 120);
    assert_true(gate.inconclusive_fails);
    assert_int_equal(gate.metric_count, 2);
    assert_true(fl_scenario_gate_judges(&gate, "voluntary-switches", FL_METRIC_NOISY_COUNT));
    assert_false(fl_scenario_gate_judges(&gate, "minor-faults", FL_METRIC_SET));
    assert_true(limits(DGEMM, "minor-faults").slack == 2.5);
    assert_true(limits(DGEMM, "voluntary-switches").slack == 1);
    fl_scenario_gate_release(&gate);
}

static void the_last_rule_that_selects_a_cell_decides(void **state)
{
    (void)state;
    must_read("kernel=dgemm n>=100 : tolerance = 3%, detect = 6%\n"
              "kernel=dgemm|dsyrk : slack.minor-faults = 4\n"
              "n=192 : detect = 4%\n"
              "detect = 2.5%\n");
    struct fl_gate_limits out = limits(DGEMM, "minor-faults");
    assert_true(out.tolerance == 0.5 && out.detect == 4 && out.slack == 4);
    assert_int_equal(out.rule->cells.line, 4);
    out = limits("kernel=dgemm n=128 workspace=malloc malloc=glibc", NULL);
    assert_true(out.tolerance == 3 && out.detect == 6 && out.slack == 0);
    assert_int_equal(out.rule->cells.line, 2);
    out = limits(DSYRK, "minor-faults");
    assert_true(out.tolerance == 0.5 && out.detect == 2.5 && out.slack == 4);
    assert_null(out.rule);
    fl_scenario_gate_release(&gate);
}

static void levels_at_their_fallback_are_selected(void **state)
{
    (void)state;
    must_read("history=fresh : detect = 9%\n");
    assert_true(limits(DGEMM, NULL).detect == 9);
    fl_scenario_gate_release(&gate);
}

static void imported_cells_are_selected_by_name(void **state)
{
    (void)state;
    must_read("benchmark=\"BM_Mul<int, 4>\" threads>1 : tolerance = 1%\nthreads>2 : detect = 9%\n");
    assert_true(limits(IMPORT, "time").tolerance == 1);
    assert_true(limits(IMPORT, "time").detect == 2);
    assert_true(limits("benchmark=BM_Other threads=4", "time").detect == 9);
    assert_true(limits(DGEMM, "time").tolerance == 0.5);
    fl_scenario_gate_release(&gate);
}

static void rules_may_be_indented_and_select_all(void **state)
{
    (void)state;
    must_read("metrics = time\n    kernel=dgemm : tolerance = 1%\n: slack = 3\n"
              "    n=64 : detect = 9%\n");
    assert_int_equal(gate.metric_count, 1);
    assert_true(limits(DGEMM, NULL).tolerance == 1);
    assert_true(limits(DSYRK, NULL).tolerance == 0.5 && limits(DSYRK, NULL).slack == 3);
    assert_true(limits(DSYRK, NULL).detect == 9);
    fl_scenario_gate_release(&gate);
}

static void mistakes_name_file_line_key_and_cure(void **state)
{
    (void)state;
    must_refuse("tolerancy = 1%", "p.ini:2: [gate] tolerancy", "did you mean 'tolerance'");
    must_refuse("\ntolerance = much", "p.ini:3: [gate] tolerance", "a percentage such as 2%");
    must_refuse("tolerance = nan", "p.ini:2", "a percentage");
    must_refuse("tolerance = -1%", "p.ini:2", "a percentage");
    must_refuse("tolerance = 1%%", "p.ini:2", "a percentage");
    must_refuse("tolerance = 2%", "p.ini: [gate] tolerance, 2%, must be below detect, 2%", "");
    must_refuse("budget = 3", "p.ini:2: [gate] budget", "such as 10min");
    must_refuse("on-inconclusive = maybe", "p.ini:2: [gate] on-inconclusive", "pass or fail");
    must_refuse("metrics = tine", "p.ini:2: [gate] metrics", "'time'");
    must_refuse("metrics = ,", "p.ini:2: [gate] metrics", "no metric");
    must_refuse("slack.minor-fault = 1", "p.ini:2: [gate] slack.minor-fault", "'minor-faults'");
    must_refuse("slack = -1", "p.ini:2: [gate] slack", "a number of events");
    must_refuse("slack = 1\n  2", "p.ini:3: [gate] slack", "only 'metrics' goes on");
    must_refuse("kernel=dgemm : tolerance = 3%", "p.ini:2: [gate] tolerance, 3%", "the rule both");
    must_refuse("kernel=dgemm : detekt = 3%", "p.ini:2: [gate] kernel", "did you mean 'detect'");
    must_refuse("kernel=dgemm : budget = 3s", "p.ini:2: [gate] kernel", "tolerance, detect, slack");
    must_refuse("kernel=dgemm : tolerance", "p.ini:2: [gate] kernel", "SELECTOR");
    must_refuse("kernel=dgemn : tolerance = 1%", "p.ini:2: [gate] kernel", "'dgemm'");
    must_refuse("kernell=dgemm : tolerance = 1%", "p.ini:2: [gate] kernell", "'kernel'");
    must_refuse("benchmark>4 : tolerance = 1%", "p.ini:2: [gate] benchmark>4", "unknown factor");
    must_refuse("benchmark=\"a b : tolerance = 1%", "p.ini:2: [gate] benchmark", "factor=level");
    must_refuse("fact.cpu=1 : tolerance = 1%", "p.ini:2: [gate] fact.cpu", "no fact");
    must_refuse("[gates]\ntolerance = 1%", "p.ini:3: [gates] tolerance", "did you mean '[gate]'");
}

static void stored_texts_may_name_what_is_unknown_here(void **state)
{
    struct fl_err err;
    (void)state;
    const char *text = "metrics = my-metric\nkernel=mine size>4 : tolerance = 1%\n"
                       "[factors]\nkernel = mine\n";
    assert_int_equal(read_gate(text, false, &err), -EINVAL);
    assert_int_equal(read_gate(text, true, &err), 0);
    assert_true(limits("kernel=mine size=8", "my-metric").tolerance == 1);
    assert_true(limits("kernel=mine size=4", "my-metric").tolerance == 0.5);
    assert_true(limits("kernel=mine size=x", "my-metric").tolerance == 0.5);
    fl_scenario_gate_release(&gate);
}

static void scenarios_have_the_section_too(void **state)
{
    static const char text[] = "[scenario]\nname = t\n[factors]\nkernel = dgemm\n[gate]\n"
                               "tolerance = 1%\nkernel=dgemm : detect = 5%\n";
    static const char wrong[] = "[scenario]\nname = t\n[factors]\nkernel = dgemm\n[gate]\n"
                                "detect = 0.1%\n";
    struct fl_scenario scenario;
    struct fl_err err = {.text = ""};
    (void)state;
    if (fl_scenario_read("t.ini", text, strlen(text), false, &scenario, &err))
        fail_msg("%s", err.text);
    assert_true(scenario.gate.tolerance == 1 && scenario.gate.rules[0].detect == 5);
    fl_scenario_release(&scenario);
    assert_int_equal(fl_scenario_read("t.ini", wrong, strlen(wrong), false, &scenario, &err),
                     -EINVAL);
    assert_non_null(strstr(err.text, "t.ini: [gate] tolerance"));
}

static void policy_files_are_read_and_missed(void **state)
{
    struct fl_err err = {.text = ""};
    char path[] = "/tmp/faultline-policy-XXXXXX";
    int fd = mkstemp(path);
    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "[gate]\ndetect = 7%\n", 19), 19);
    close(fd);
    assert_int_equal(fl_scenario_gate_load(path, &gate, &err), 0);
    assert_true(gate.detect == 7);
    fl_scenario_gate_release(&gate);
    unlink(path);
    assert_int_equal(fl_scenario_gate_load(path, &gate, &err), -ENOENT);
    assert_non_null(strstr(err.text, "cannot open policy"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_said_is_the_default),
        cmocka_unit_test(keys_are_taken_with_their_units),
        cmocka_unit_test(the_last_rule_that_selects_a_cell_decides),
        cmocka_unit_test(levels_at_their_fallback_are_selected),
        cmocka_unit_test(imported_cells_are_selected_by_name),
        cmocka_unit_test(rules_may_be_indented_and_select_all),
        cmocka_unit_test(mistakes_name_file_line_key_and_cure),
        cmocka_unit_test(stored_texts_may_name_what_is_unknown_here),
        cmocka_unit_test(scenarios_have_the_section_too),
        cmocka_unit_test(policy_files_are_read_and_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
