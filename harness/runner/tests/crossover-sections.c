/* SPDX-License-Identifier: Apache-2.0 */
/* Sections [crossover] that no planned cell can have, told before anything is measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "runner/crossover.h"
#include "runner/scenario.h"

/* What is said of a section beside daxpy and null; "" for nothing. */
static void check_section(const char *section, char *said, size_t size)
{
    char text[1024];
    struct fl_scenario scenario;
    struct fl_plan plan;
    struct fl_err err = {.text = ""};
    snprintf(text, sizeof text,
             "[scenario]\nname = t\n[factors]\nkernel = null, daxpy\nn = 9\nrule = one, all\n"
             "threads = 2\n[crossover]\n%s\n",
             section);
    assert_int_equal(fl_scenario_read("t.ini", text, strlen(text), false, &scenario, &err), 0);
    assert_int_equal(fl_plan_make(&scenario, &plan, &err), 0);
    int rc = fl_crossovers_check(&scenario, &plan, &err);
    fl_plan_release(&plan);
    fl_scenario_release(&scenario);
    snprintf(said, size, "%s", rc ? err.text : "");
}

static void crossovers_that_no_cell_can_have_are_mistakes(void **state)
{
    static const struct {
        const char *section, *said;
    } cases[] = {
        {"search=n\nfrom=1\nto=99\ncompare=rule\nlevels=one, all", ""},
        {"search=rule\nfrom=1\nto=99\ncompare=n\nlevels=3, 4", "cannot use rule '1'"},
        {"search=threads\nfrom=2\nto=500\ncompare=rule\nlevels=one, all", "'500'"},
        {"search=n\nfrom=1\nto=1000000000000000000\ncompare=rule\nlevels=one, all",
         "'1000000000000000000'"},
        {"search=workspace\nfrom=1\nto=9\ncompare=rule\nlevels=one, all",
         "no cell has both factors, 'workspace' and 'rule'"},
    };
    char said[512];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_section(cases[i].section, said, sizeof said);
        assert_non_null(strstr(said, cases[i].said));
        assert_int_equal(!*said, !*cases[i].said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crossovers_that_no_cell_can_have_are_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
