/* SPDX-License-Identifier: Apache-2.0 */
/* What a scenario file may say, and how its mistakes are told. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runner/plan.h"
#include "runner/scenario.h"

#define HEAD "[scenario]\nname = t\n[factors]\nkernel = dgemm\n"

static struct fl_scenario scenario;

static int read_text(const char *text, bool short_form, struct fl_err *err)
{
    err->text[0] = 0;
    return fl_scenario_read("t.ini", text, strlen(text), short_form, &scenario, err);
}

static void must_read(const char *text)
{
    struct fl_err err;
    if (read_text(text, false, &err))
        fail_msg("%s", err.text);
}

static void must_refuse(const char *text, const char *place, const char *reason)
{
    struct fl_err err;
    if (!read_text(text, false, &err))
        fail_msg("taken: %s", text);
    if (!strstr(err.text, place) || !strstr(err.text, reason))
        fail_msg("'%s' lacks '%s' or '%s'", err.text, place, reason);
}

static void lists_go_on_in_indented_lines(void **state)
{
    (void)state;
    must_read(HEAD "n = 8,\n    16, 24\n    32\n[measure]\nrounds = 3\nsettle = 5ms\n");
    assert_int_equal(scenario.factor_count, 2);
    assert_int_equal(scenario.factors[1].count, 4);
    assert_string_equal(scenario.factors[1].levels[3].text, "32");
    assert_int_equal(scenario.factors[1].levels[3].line, 7);
    assert_int_equal(scenario.rounds, 3);
    assert_true(scenario.settle == 0.005);
    assert_true(scenario.window == 0.1);
    fl_scenario_release(&scenario);
}

static void the_short_form_replaces_what_it_names(void **state)
{
    struct fl_err err;
    (void)state;
    const char *text = HEAD "n = 8, 16\n[measure]\nrounds = 7\n[short]\nrounds = 1\nn = 24\n";
    assert_int_equal(read_text(text, true, &err), 0);
    assert_int_equal(scenario.rounds, 1);
    assert_int_equal(scenario.factors[1].count, 1);
    fl_scenario_release(&scenario);
    assert_int_equal(read_text(text, false, &err), 0);
    assert_int_equal(scenario.rounds, 7);
    assert_int_equal(scenario.factors[1].count, 2);
    fl_scenario_release(&scenario);
}

static void mistakes_name_file_line_key_and_cure(void **state)
{
    (void)state;
    must_refuse(HEAD "lda = 0\n", "t.ini:5: [factors] lda", "1 to 65536");
    must_refuse(HEAD "n = -3\n", "t.ini:5", "1 to 65536; some kernels take others");
    must_refuse(HEAD "gap = 2s\n", "t.ini:5", "from 0 to 1s");
    must_refuse(HEAD "n = 99999999999999999999\n", "t.ini:5", "1 to 65536");
    must_refuse("[scenario]\nname=t\n[factors]\nkernel = dgemn\n", "t.ini:4: [factors] kernel",
                "dgemm");
    must_refuse(HEAD "workspce = malloc\n", "t.ini:5", "did you mean 'workspace'");
    must_refuse(HEAD "n = 8\n[measure]\nmetrics = minor-fault\n", "t.ini:7", "'minor-faults'");
    must_refuse(HEAD "n = 8\n[measure]\nruonds = 3\n", "t.ini:7", "did you mean 'rounds'");
    must_refuse(HEAD "n = 8\n[measure]\nrounds = many\n", "t.ini:7", "a whole number");
    must_refuse(HEAD "n = 8\n[mesure]\nrounds = 3\n", "t.ini:7", "did you mean '[measure]'");
    must_refuse(HEAD "n = 8\n[expect]\nkernel=dgemm minor-faults\n", "t.ini:7", "expected");
    must_refuse(HEAD "n = 8\n[expect]\nkernel=dgemm : minor-faults = x\n", "t.ini:7", "a number");
    must_refuse(HEAD "n = 8\n[skip]\nm8=3\n", "t.ini:7", "unknown factor");
    must_refuse(HEAD "n = 8\n[skip]\nworkspace=malloc|stack+maloc\n", "t.ini:7", "'stack+malloc'");
    must_refuse(HEAD "n = 8\n[expect]\nmalloc!=jemaloc : minor-faults = 0\n", "t.ini:7",
                "'jemalloc'");
    must_refuse(HEAD "n = 8\n[skip]\nfact.library-version=1\n", "t.ini:7", "facts");
    must_refuse(HEAD "n = 8\n[expect]\nfact.library-version<2 : minor-faults = 0\n", "t.ini:7",
                "want = or !=");
    must_refuse(HEAD "n = 8\n[published a-host-of-such-a-name-is-cut-by-what-reads-the-file]\n",
                "t.ini:6", "longer than 49 bytes");
    must_refuse(HEAD "n = 8\nn = 16\n", "t.ini:6", "a list already");
    must_refuse(HEAD "n = 8\nnonsense\n", "t.ini:6", "key = value");
    must_refuse(HEAD "n = 8, 8\n", "t.ini:5", "listed twice");
    must_refuse(HEAD "n = \"8\n", "t.ini:5", "quote");
}

static void what_only_the_whole_file_shows(void **state)
{
    (void)state;
    must_refuse("", "t.ini", "no name");
    must_refuse("[scenario]\nname = t\n", "t.ini", "no kernel");
    must_refuse("[factors]\nkernel = dgemm\n", "t.ini", "no name");
    must_refuse(HEAD "n = 8\n[crossover]\nsearch = n\ncompare = n\nlevels = 8, 9\n", "t.ini",
                "searches and compares 'n'");
    must_refuse(HEAD "n = 8\n[crossover]\nsearch = n\nfrom = 1\nto = 9\ncompare = caller\n"
                     "levels = main, main\n",
                "t.ini", "'main' with itself");
}

static void over_long_and_binary_lines_are_refused_by_name(void **state)
{
    char *text = malloc(11000);
    struct fl_err err;
    (void)state;
    strcpy(text, HEAD "n = 8");
    memset(text + strlen(text), ',', 10000);
    text[strlen(HEAD) + 10005] = 0;
    assert_int_not_equal(read_text(text, false, &err), 0);
    assert_non_null(strstr(err.text, "t.ini:5"));
    assert_non_null(strstr(err.text, "too long"));
    free(text);
    static const char binary[] = HEAD "n = 8\0 9\n";
    assert_int_not_equal(
        fl_scenario_read("t.ini", binary, sizeof binary - 1, false, &scenario, &err), 0);
    assert_non_null(strstr(err.text, "NUL"));
}

static void expectations_keep_their_host(void **state)
{
    (void)state;
    must_read(HEAD "n = 8\n[expect]\nn=8 : minor-faults = 61 | 62\n[published big iron]\n"
                   "n=8 : gflops = 55.5\n");
    assert_int_equal(scenario.expectation_count, 2);
    assert_false(scenario.expectations[0].published);
    assert_true(fl_rule_holds(&scenario.expectations[0], 62));
    assert_false(fl_rule_holds(&scenario.expectations[0], 63));
    assert_true(scenario.expectations[1].published);
    assert_string_equal(scenario.expectations[1].host, "big iron");
    fl_scenario_release(&scenario);
}

static void rules_ask_for_facts_of_a_sample(void **state)
{
    const struct fl_fact facts[] = {{"isa", "avx2"}, {"library-version", "Some 0.3.21 BLAS"}};
    (void)state;
    must_read(HEAD "n = 8\n[expect]\nn=8 fact.library-version=0.3.20|0.3.21 : minor-faults = 0\n"
                   "fact.library-version!=0.3.21 : minor-faults = 1\nn=8 : minor-faults = 2\n");
    const struct fl_rule *rules = scenario.expectations;
    assert_true(fl_rule_asks_facts(&rules[0]));
    assert_true(fl_rule_meets_facts(&rules[0], facts, 2));
    assert_false(fl_rule_meets_facts(&rules[0], facts, 1));
    assert_false(fl_rule_meets_facts(&rules[1], facts, 2));
    assert_true(fl_rule_meets_facts(&rules[1], facts, 1));
    assert_false(fl_rule_asks_facts(&rules[2]));
    assert_true(fl_rule_meets_facts(&rules[2], NULL, 0));
    fl_scenario_release(&scenario);
}

/* ---- plans ---- */

static size_t planned(const char *text, struct fl_plan *plan)
{
    struct fl_err err = {.text = ""};
    must_read(text);
    int rc = fl_plan_make(&scenario, plan, &err);
    fl_scenario_release(&scenario);
    if (rc)
        fail_msg("%s", err.text);
    return plan->count;
}

static void lists_expand_to_a_product_without_repeats(void **state)
{
    struct fl_plan plan;
    (void)state;
    assert_int_equal(planned(HEAD "n = 8, 16\nworkspace = malloc, mmap, null\n", &plan), 6);
    assert_string_equal(plan.keys[0], "kernel=dgemm n=8 workspace=malloc malloc=glibc");
    assert_string_equal(plan.keys[5], "kernel=dgemm n=16 workspace=null malloc=glibc");
    fl_plan_release(&plan);
    /* uplo is no factor of a GEMM: it drops out instead of doubling the cells */
    assert_int_equal(planned("[scenario]\nname=t\n[factors]\nkernel = dgemm, dsyrk\nn = 8\n"
                             "uplo = L, U\n",
                             &plan),
                     3);
    fl_plan_release(&plan);
}

static void a_level_that_one_kernel_does_not_know_drops_there(void **state)
{
    struct fl_plan plan;
    (void)state;
    assert_int_equal(planned("[scenario]\nname=t\n[factors]\nkernel = dgemm, dsyrk\nn = 8\n"
                             "trans = NN, TN, N\n",
                             &plan),
                     3);
    assert_non_null(strstr(plan.keys[1], "kernel=dgemm n=8 trans=TN"));
    assert_non_null(strstr(plan.keys[2], "kernel=dsyrk"));
    fl_plan_release(&plan);
}

static void a_symbol_drops_where_the_library_is_ours(void **state)
{
    struct fl_plan plan;
    (void)state;
    assert_int_equal(planned("[scenario]\nname=t\n[libraries]\nmine = /tmp/libmine.so\n"
                             "[factors]\nkernel = dgemm, blas:dgemm_\nlibrary = faultline, mine\n"
                             "n = 8\n",
                             &plan),
                     3);
    assert_string_equal(plan.keys[2], "kernel=blas:dgemm_ library=mine n=8 malloc=glibc");
    fl_plan_release(&plan);
}

static void skips_select_by_level_and_number(void **state)
{
    struct fl_plan plan;
    (void)state;
    assert_int_equal(planned(HEAD "n = 8, 16, 24, 32\nworkspace = malloc, null\n[skip]\n"
                                  "n>=24 workspace=null\nn=8|16 workspace!=null\n",
                             &plan),
                     4);
    fl_plan_release(&plan);
}

static void ascending_is_every_smaller_size(void **state)
{
    struct fl_plan plan;
    (void)state;
    assert_int_equal(planned(HEAD "n = 24, 8, 16\nhistory = ascending\n", &plan), 3);
    assert_non_null(strstr(plan.keys[0], "history=dgemm:8+16"));
    assert_null(strstr(plan.keys[1], "history"));
    assert_non_null(strstr(plan.keys[2], "history=dgemm:8"));
    fl_plan_release(&plan);
}

/* inih cuts a line at a ':' too. */
static void rules_may_have_no_equals_sign_in_front_of_the_colon(void **state)
{
    (void)state;
    must_read(HEAD "n = 8\n[expect]\nn<256 : minor-faults = 0\nn>8 m<4:minor-faults <= 1\n"
                   ": minor-faults = 2\n");
    assert_int_equal(scenario.expectation_count, 3);
    assert_int_equal(scenario.expectations[0].conditions[0].relation, FL_BELOW);
    assert_string_equal(scenario.expectations[0].conditions[0].levels, "256");
    assert_int_equal(scenario.expectations[1].condition_count, 2);
    assert_int_equal(scenario.expectations[1].relation, FL_AT_MOST);
    assert_int_equal(scenario.expectations[2].condition_count, 0);
    fl_scenario_release(&scenario);
}

static void rules_may_be_indented(void **state)
{
    (void)state;
    must_read(HEAD
              "n = 8\n[expect]\n  kernel=dgemm n=8 : minor-faults = 0\n  n=8 : minor-faults = 1\n"
              "  ; a comment\n[skip]\n  n=9\n");
    assert_int_equal(scenario.expectation_count, 2);
    assert_string_equal(scenario.expectations[0].conditions[0].factor, "kernel");
    assert_string_equal(scenario.expectations[1].conditions[0].factor, "n");
    assert_string_equal(scenario.skips[0].conditions[0].factor, "n");
    fl_scenario_release(&scenario);
}

static void an_immense_product_is_refused_at_once(void **state)
{
    struct fl_plan plan;
    struct fl_err err;
    (void)state;
    must_read("[scenario]\nname=t\n[factors]\nkernel = null\nn = 1,2,3,4,5,6,7,8,9,10\n"
              "m = 1,2,3,4,5,6,7,8,9,10\nk = 1,2,3,4,5,6,7,8,9,10\nlda = 1,2,3,4,5,6,7,8,9,10\n"
              "ldb = 1,2,3,4,5,6,7,8,9,10\nldc = 1,2,3,4,5,6,7,8,9,10\nalpha = 1, 2\n");
    assert_int_equal(fl_plan_make(&scenario, &plan, &err), -E2BIG);
    assert_non_null(strstr(err.text, "2e+06 combinations"));
    fl_scenario_release(&scenario);
}

static void plans_without_cells_are_mistakes(void **state)
{
    struct fl_plan plan;
    struct fl_err err;
    (void)state;
    must_read(HEAD "n = 8\n[skip]\nn=8\n");
    assert_int_not_equal(fl_plan_make(&scenario, &plan, &err), 0);
    assert_non_null(strstr(err.text, "no cell is left"));
    fl_scenario_release(&scenario);
    must_read(HEAD);
    assert_int_not_equal(fl_plan_make(&scenario, &plan, &err), 0);
    assert_non_null(strstr(err.text, "'n' is missing"));
    fl_scenario_release(&scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_go_on_in_indented_lines),
        cmocka_unit_test(the_short_form_replaces_what_it_names),
        cmocka_unit_test(mistakes_name_file_line_key_and_cure),
        cmocka_unit_test(what_only_the_whole_file_shows),
        cmocka_unit_test(over_long_and_binary_lines_are_refused_by_name),
        cmocka_unit_test(expectations_keep_their_host),
        cmocka_unit_test(rules_ask_for_facts_of_a_sample),
        cmocka_unit_test(lists_expand_to_a_product_without_repeats),
        cmocka_unit_test(a_level_that_one_kernel_does_not_know_drops_there),
        cmocka_unit_test(a_symbol_drops_where_the_library_is_ours),
        cmocka_unit_test(skips_select_by_level_and_number),
        cmocka_unit_test(ascending_is_every_smaller_size),
        cmocka_unit_test(plans_without_cells_are_mistakes),
        cmocka_unit_test(rules_may_have_no_equals_sign_in_front_of_the_colon),
        cmocka_unit_test(rules_may_be_indented),
        cmocka_unit_test(an_immense_product_is_refused_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
