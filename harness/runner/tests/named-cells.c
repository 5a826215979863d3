/* SPDX-License-Identifier: Apache-2.0 */
/* Scenarios that name their cells one by one. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runner/plan.h"

#define HEAD "[scenario]\nname = t\n[cells]\n"

static struct fl_scenario scenario;
static struct fl_err err;

static int plan_of(const char *text, struct fl_plan *plan)
{
    err.text[0] = 0;
    *plan = (struct fl_plan){.count = 0};
    int rc = fl_scenario_read("t.ini", text, strlen(text), false, &scenario, &err);
    if (rc)
        return rc;
    rc = fl_plan_make(&scenario, plan, &err);
    fl_scenario_release(&scenario);
    return rc;
}

static void must_plan(const char *text, size_t count, const char *const *keys)
{
    struct fl_plan plan;
    if (plan_of(text, &plan))
        fail_msg("%s", err.text);
    assert_int_equal(plan.count, count);
    for (size_t i = 0; plan.keys && i < count; i++)
        assert_string_equal(plan.keys[i], keys[i]);
    fl_plan_release(&plan);
}

static void must_refuse(const char *text, const char *reason)
{
    struct fl_plan plan;
    assert_int_not_equal(plan_of(text, &plan), 0);
    if (!strstr(err.text, reason))
        fail_msg("'%s' lacks '%s'", err.text, reason);
}

static void cells_stand_in_the_order_they_were_named(void **state)
{
    const char *const keys[] = {"kernel=dgemm n=192 workspace=malloc malloc=jemalloc",
                                "kernel=null workspace=malloc malloc=glibc"};
    (void)state;
    must_plan(HEAD "malloc=jemalloc kernel=dgemm n=192\nkernel=null\n", 2, keys);
}

static void a_key_goes_on_in_indented_lines(void **state)
{
    const char *const keys[] = {"kernel=dgemm n=192 blocking=eigen-3.4:l1=32K:l2=1M:mr=12:nr=4 "
                                "workspace=malloc malloc=glibc",
                                "kernel=null workspace=malloc malloc=glibc"};
    (void)state;
    must_plan(HEAD "kernel=dgemm\n   n=192 workspace=malloc\n"
                   "   blocking=eigen-3.4:l1=32K:l2=1M:mr=12:nr=4\nkernel=null\n",
              2, keys);
}

static void a_cell_named_twice_comes_once_and_skips_count(void **state)
{
    const char *const keys[] = {"kernel=null workspace=malloc malloc=glibc"};
    (void)state;
    must_plan(HEAD "kernel=null\nkernel=null malloc=glibc\nkernel=dgemm n=8\n[skip]\nn=8\n", 1,
              keys);
    must_refuse(HEAD "kernel=null\n[skip]\nkernel=null\n", "no cell is left");
}

static void mistakes_name_the_line(void **state)
{
    (void)state;
    must_refuse(HEAD "kernel=null\nkernel=dgemn n=8\n", "t.ini:5: [cells]: ");
    must_refuse(HEAD "kernel=dgemm\n", "t.ini:4: [cells]: ");
    must_refuse(HEAD "kernel=dgemm n=8 n=9\n", "t.ini:4: [cells]: ");
    must_refuse(HEAD "kernel=blas:dgemm_ library=nosuch n=8\n", "nosuch");
    must_refuse(HEAD "kernel=null\n[factors]\nmalloc = glibc\n",
                "t.ini: [cells] names each cell with its levels: factor 'malloc'");
    must_refuse("[scenario]\nname = t\n[cells]\n", "[factors] has no kernel");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_stand_in_the_order_they_were_named),
        cmocka_unit_test(a_key_goes_on_in_indented_lines),
        cmocka_unit_test(a_cell_named_twice_comes_once_and_skips_count),
        cmocka_unit_test(mistakes_name_the_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
