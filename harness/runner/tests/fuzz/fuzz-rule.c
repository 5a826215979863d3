/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rule, as selector and as expectation. What it expects must hold for its own values, must print
 * as text that is read back to the same values, and it must select some cell or none without harm.
 */
#include "faultline/cell.h"
#include "fuzz.h"
#include "runner/rule.h"

#define CELL                                                                                       \
    "kernel=dgemm n=192 workspace=stack+malloc malloc=glibc "                                      \
    "blocking=eigen-3.4:l1=32K:l2=1M:mr=12:nr=4"

static void check_expected(const struct fl_rule *rule)
{
    struct fl_rule again;
    struct fl_err err = {""};
    char expected[512], text[FL_RULE_TEXT];
    fl_rule_expected(rule, expected, sizeof expected);
    snprintf(text, sizeof text, ": %s %s%s", rule->metric, rule->relation == FL_EQUAL ? "= " : "",
             expected);
    FL_FUZZ_HOLDS(fl_rule_parse(text, true, &again, &err) == 0);
    FL_FUZZ_HOLDS(again.value_count == rule->value_count && again.relation == rule->relation);
    bool reached =
        rule->relation == FL_EQUAL || rule->relation == FL_AT_MOST || rule->relation == FL_AT_LEAST;
    for (size_t i = 0; i < rule->value_count; i++)
        FL_FUZZ_HOLDS(fl_rule_holds(rule, rule->values[i]) == reached);
}

static void read_rule(const char *text, bool expectation, const struct fl_cell *cell)
{
    struct fl_rule rule;
    struct fl_err err = {""};
    if (fl_rule_parse(text, expectation, &rule, &err)) {
        FL_FUZZ_HOLDS(err.text[0]);
        return;
    }
    (void)fl_rule_selects(&rule, cell);
    if (expectation)
        check_expected(&rule);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_cell cell;
    struct fl_err err = {""};
    char *text = fl_fuzz_text(data, size);
    FL_FUZZ_HOLDS(fl_cell_parse(&cell, CELL, &err) == 0);
    read_rule(text, false, &cell);
    read_rule(text, true, &cell);
    free(text);
    return 0;
}
