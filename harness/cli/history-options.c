/* SPDX-License-Identifier: Apache-2.0 */
#include "history-options.h"

#include <errno.h>
#include <stdlib.h>

#include "runner/rule.h"
#include "terminal.h"

static bool selects(void *arg, const char *key)
{
    return fl_rule_selects_key(arg, key);
}

static int take_tolerance(const char *text, double *out, struct fl_err *err)
{
    char *end;

    *out = 0.5;
    if (!text)
        return 0;
    *out = strtod(text, &end);
    if (end == text || *end || !(*out >= 0 && *out <= 1000))
        return fl_fail(err, -EINVAL, "--tolerance needs a percentage from 0 to 1000, not '%.80s'",
                       text);
    return 0;
}

static int take_selector(const char *text, struct fl_rule *rule, struct fl_err *err)
{
    const char *rest = text;
    int rc = fl_rule_parse_selector(&rest, FL_RULE_ANY_NAME, rule, err);

    if (!rc && *rest)
        return fl_fail(err, -EINVAL, "'%.200s' is no selector of cells: what is '%.40s'?", text,
                       rest);
    return rc;
}

static int read_history(struct fl_store *store, const struct fl_history_options *options,
                        bool fields, struct fl_history *out, struct fl_err *err)
{
    int rc = fl_history_read(store, options, out, err);

    if (rc)
        return rc;
    rc = fl_history_find_changes(store, options, out, err);
    if (!rc && fields)
        rc = fl_history_compare(store, out, err);
    if (rc)
        fl_history_release(out);
    return rc;
}

static int print(const struct fl_history_choice *choice, const struct fl_history *history,
                 bool fields, struct fl_err *err)
{
    const struct fl_history_page page = {
        .format = choice->json  ? FL_HISTORY_JSON
                  : choice->csv ? FL_HISTORY_CSV
                                : FL_HISTORY_TABLE,
        .width = fl_terminal_width(),
        .out = stdout,
    };

    return fields ? fl_history_print(history, &page, err) : fl_changes_print(history, &page, err);
}

int fl_history_show(const struct fl_history_choice *choice, const char *selector, bool fields)
{
    struct fl_err err = {.text = ""};
    struct fl_rule rule;
    struct fl_history history;
    struct fl_store *store;
    struct fl_history_options options = {
        .metric = choice->metric ? choice->metric : "time",
        .scenario = choice->scenario,
        .selects = selector ? selects : NULL,
        .arg = &rule,
    };
    int rc = take_tolerance(choice->tolerance, &options.tolerance, &err);
    if (!rc && choice->json && choice->csv)
        rc = fl_fail(&err, -EINVAL, "--json and --csv are two forms of one output: choose one");
    if (!rc && selector)
        rc = take_selector(selector, &rule, &err);
    if (!rc)
        rc = fl_store_open(choice->store ? choice->store : FL_STORE_DEFAULT, FL_STORE_READ, &store,
                           &err);
    if (rc)
        return fl_complain(&err);
    rc = read_history(store, &options, fields, &history, &err);
    fl_store_close(store);
    if (rc)
        return fl_complain(&err);
    rc = print(choice, &history, fields, &err);
    fl_history_release(&history);
    return rc ? fl_complain(&err) : FL_EXIT_OK;
}
