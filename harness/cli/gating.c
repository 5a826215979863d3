/* SPDX-License-Identifier: Apache-2.0 */
/* From options to an exit code: store, policy, comparison, reports. */
#include "gating.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gating-rows.h"
#include "results/gate-formats.h"
#include "results/pairing.h"
#include "runner/plugins.h"

void fl_gating_options(struct fl_gating *gating, struct fl_option *out)
{
    const struct fl_option options[FL_GATING_OPTIONS] = {
        {"store", "FILE", "store to read (faultline.db)", FL_OPTION_TEXT, &gating->store},
        {"run", "ID|LABEL|latest", "the run that is judged (latest)", FL_OPTION_TEXT, &gating->run},
        {"policy", "FILE", "[gate] of this file (that of the scenario)", FL_OPTION_TEXT,
         &gating->policy},
        {"plugin", "FILE", "shared library whose kernels the policy names; may be repeated",
         FL_OPTION_TEXTS, &gating->plugins},
        {"on-inconclusive", "pass|fail", "what is not decided means (pass, or the policy's)",
         FL_OPTION_TEXT, &gating->inconclusive},
        {"markdown", "FILE", "report for a job summary; - is stdout", FL_OPTION_TEXT,
         &gating->markdown},
        {"junit", "FILE", "report as JUnit XML", FL_OPTION_TEXT, &gating->junit},
        {"github", "FILE", "annotations of GitHub Actions; they belong to stdout: -",
         FL_OPTION_TEXT, &gating->github},
        {"gitlab", "FILE", "code quality report of GitLab", FL_OPTION_TEXT, &gating->gitlab},
        {"json", "FILE", "everything, for programs", FL_OPTION_TEXT, &gating->json},
    };
    memcpy(out, options, sizeof options);
}

/* ---- what is compared ---- */

/* Open while one gate is judged. */
struct work {
    const struct fl_gating *gating;
    struct fl_store *store;
    int64_t base, head; /* runs; base 0: a file of counts */
    struct fl_gating_rows rows;
    struct fl_compare compare;
    struct fl_gate gate;
    struct fl_err *err;
};

static bool is_file(const char *baseline)
{
    size_t length = baseline ? strlen(baseline) : 0;
    return length > 4 && !strcmp(baseline + length - 4, ".ini");
}

static int keep_pairing(void *arg, const struct fl_pairing *pairing)
{
    struct work *w = arg;
    w->base = pairing->base;
    w->head = pairing->head;
    return 0;
}

/* The pair that a run belongs to, or the last one. */
static int find_pair(struct work *w, const char *name)
{
    int rc;
    if (name) {
        rc = fl_store_find_run(w->store, name, &w->head, w->err);
        if (!rc)
            rc = fl_pairing_of_run(w->store, w->head, keep_pairing, w, w->err);
    } else {
        rc = fl_pairing_latest(w->store, FL_PAIRING_AB, keep_pairing, w, w->err);
    }
    if (rc != -ENOENT || (name && !w->head))
        return rc;
    if (name)
        return fl_fail(w->err, -ENOENT,
                       "run %lld is no side of an A/B run: judge it against a run or a file with "
                       "--baseline",
                       (long long)w->head);
    return fl_fail(w->err, -ENOENT,
                   "the store has no A/B run: make one with `faultline ab`, or give --baseline");
}

static int find_runs(struct work *w)
{
    const struct fl_gating *gating = w->gating;
    const char *head = gating->run ? gating->run : "latest";
    if (!gating->baseline)
        return find_pair(w, gating->run);
    int rc = fl_store_find_run(w->store, head, &w->head, w->err);
    if (!rc && !is_file(gating->baseline))
        rc = fl_store_find_run(w->store, gating->baseline, &w->base, w->err);
    if (!rc && w->base == w->head)
        rc = fl_fail(w->err, -EINVAL, "'%.80s' is the run that is judged: it is no baseline for it",
                     gating->baseline);
    return rc;
}

/* Counts of what is under test: its library may be another one. */
static int compare(struct work *w)
{
    struct fl_compare_options options = {.tolerance = (double)NAN,
                                         .detect = (double)NAN,
                                         .changed_library = true,
                                         .limits = fl_gating_limits,
                                         .limits_arg = &w->rows};
    if (w->gating->policy) {
        options.tolerance = w->rows.policy.tolerance;
        options.detect = w->rows.policy.detect;
    }
    if (is_file(w->gating->baseline))
        return fl_baseline_compare(&w->rows.baseline, w->store, w->head, &options, &w->compare,
                                   w->err);
    return fl_compare_runs(w->store, w->base, w->head, &options, &w->compare, w->err);
}

static int check_inconclusive(const char *given, struct fl_err *err)
{
    if (!given || !strcmp(given, "pass") || !strcmp(given, "fail"))
        return 0;
    return fl_fail(err, -EINVAL, "--on-inconclusive takes pass or fail, not '%.80s'", given);
}

static int judge(struct work *w)
{
    const struct fl_gating *gating = w->gating;
    w->rows.compare = &w->compare;
    w->rows.paired = w->compare.paired;
    const struct fl_gate_policy policy = {
        .inconclusive_fails = gating->inconclusive ? !strcmp(gating->inconclusive, "fail")
                                                   : w->rows.policy.inconclusive_fails,
        .arg = &w->rows,
        .judges = fl_gating_judges,
        .place = fl_gating_place,
        .command = fl_gating_command,
    };
    int rc = compare(w);
    if (rc)
        return rc;
    w->rows.paired = w->compare.paired;
    return fl_gate_judge(&w->compare, &policy, &w->gate, w->err);
}

/* ---- reports ---- */

struct report {
    const char *path;
    fl_gate_format_fn print;
};

static int write_report(const struct work *w, const struct report *report)
{
    if (!strcmp(report->path, "-"))
        return report->print(&w->gate, stdout, w->err);
    FILE *out = fopen(report->path, "we");
    if (!out)
        return fl_fail(w->err, -errno, "cannot write '%s': %s", report->path, strerror(errno));
    int rc = report->print(&w->gate, out, w->err);
    if (fclose(out) && !rc)
        rc = fl_fail(w->err, -errno, "cannot write '%s': %s", report->path, strerror(errno));
    return rc;
}

/* The terminal gets its own, unless stdout is given to another. */
static int write_reports(const struct work *w)
{
    const struct fl_gating *g = w->gating;
    const struct report reports[] = {{g->markdown, fl_gate_print_markdown},
                                     {g->junit, fl_gate_print_junit},
                                     {g->github, fl_gate_print_github},
                                     {g->gitlab, fl_gate_print_gitlab},
                                     {g->json, fl_gate_print_json}};
    const struct report terminal = {"-", fl_gate_print_terminal};
    size_t on_stdout = 0;
    int rc = 0;
    for (size_t i = 0; i < sizeof reports / sizeof *reports && !rc; i++) {
        if (!reports[i].path)
            continue;
        on_stdout += !strcmp(reports[i].path, "-");
        rc = write_report(w, &reports[i]);
    }
    return rc || on_stdout ? rc : write_report(w, &terminal);
}

static int check_reports(const struct fl_gating *g, struct fl_err *err)
{
    const char *const paths[] = {g->markdown, g->junit, g->github, g->gitlab, g->json};
    size_t on_stdout = 0;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        on_stdout += paths[i] && !strcmp(paths[i], "-");
    if (on_stdout > 1)
        return fl_fail(err, -EINVAL, "only one report can go to stdout");
    return 0;
}

/* ---- all ---- */

static int prepare(struct work *w)
{
    const struct fl_gating *gating = w->gating;
    int rc = check_reports(gating, w->err);
    if (!rc)
        rc = check_inconclusive(gating->inconclusive, w->err);
    if (!rc)
        rc = fl_plugins_use(gating->plugins.items, gating->plugins.count, w->err);
    if (!rc)
        rc = fl_store_open(gating->store ? gating->store : FL_STORE_DEFAULT, FL_STORE_READ,
                           &w->store, w->err);
    if (!rc && is_file(gating->baseline))
        rc = fl_baseline_load(gating->baseline, &w->rows.baseline, w->err);
    if (!rc)
        rc = find_runs(w);
    return rc ? rc
              : fl_gating_rows_open(&w->rows, w->store, w->head, gating->policy,
                                    is_file(gating->baseline) ? gating->baseline : NULL, w->err);
}

int fl_gating_run(const struct fl_gating *gating)
{
    struct fl_err err = {.text = ""};
    struct work w = {.gating = gating, .err = &err};
    int rc = prepare(&w);
    if (!rc)
        rc = judge(&w);
    if (!rc)
        fl_gating_warn(&w.rows);
    if (!rc)
        rc = write_reports(&w);
    int code = rc ? fl_complain(&err) : (int)w.gate.exit;
    fl_gate_release(&w.gate);
    fl_compare_release(&w.compare);
    fl_gating_rows_close(&w.rows);
    fl_store_close(w.store);
    return code;
}
