/* SPDX-License-Identifier: Apache-2.0 */
#include "gating-rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "faultline/cell.h"
#include "results/text.h"

/* ---- opening ---- */

static int keep_run(void *arg, const struct fl_run_record *run)
{
    struct fl_gating_rows *rows = arg;
    bool measured = run->info.origin == FL_ORIGIN_MEASURED;
    rows->finished = run->status == FL_RUN_FINISHED;
    rows->scenario = strdup(run->info.scenario_text);
    rows->command_line = strdup(measured ? run->info.command_line : "");
    return rows->scenario && rows->command_line ? 0 : -ENOMEM;
}

/* Annotations go to the scenario's file where it still is what was run. */
static int find_places(struct fl_gating_rows *rows, struct fl_err *err)
{
    char path[PATH_MAX];
    if (!fl_scenario_file_of(rows->command_line, rows->scenario, path, sizeof path))
        fl_repository_path(path, rows->scenario_path, sizeof rows->scenario_path);
    return fl_scenario_places_read("the scenario of the run", rows->scenario,
                                   strlen(rows->scenario), &rows->places, err);
}

static int read_policy(struct fl_gating_rows *rows, const char *policy, struct fl_err *err)
{
    if (!policy) {
        snprintf(rows->policy_path, sizeof rows->policy_path, "%s", rows->scenario_path);
        return fl_scenario_gate_read("the scenario of the run", rows->scenario,
                                     strlen(rows->scenario), true, &rows->policy, err);
    }
    rows->of_file = true;
    fl_repository_path(policy, rows->policy_path, sizeof rows->policy_path);
    return fl_scenario_gate_load(policy, &rows->policy, err);
}

int fl_gating_rows_open(struct fl_gating_rows *rows, struct fl_store *store, int64_t run,
                        const char *policy, const char *baseline, struct fl_err *err)
{
    int rc = fl_store_run(store, run, keep_run, rows, err);
    if (rc == -ENOMEM)
        return fl_fail(err, rc, "cannot read the run: out of memory");
    if (!rc)
        rc = find_places(rows, err);
    if (!rc && baseline)
        fl_repository_path(baseline, rows->baseline_path, sizeof rows->baseline_path);
    return rc ? rc : read_policy(rows, policy, err);
}

void fl_gating_rows_close(struct fl_gating_rows *rows)
{
    fl_scenario_gate_release(&rows->policy);
    fl_scenario_places_release(&rows->places);
    fl_baseline_release(&rows->baseline);
    free(rows->command_line);
    free(rows->scenario);
}

/* ---- one row ---- */

/* What `ab` was asked for stays, unless a file says otherwise. */
void fl_gating_limits(void *arg, const char *cell, const struct fl_metric *metric,
                      struct fl_verdict_rule *rule)
{
    const struct fl_gating_rows *rows = arg;
    struct fl_gate_limits limits;
    fl_scenario_gate_limits(&rows->policy, cell, metric->name, &limits);
    if (limits.slack > 0)
        rule->slack = limits.slack;
    if (!rows->of_file)
        return;
    rule->tolerance = limits.tolerance;
    rule->detect = limits.detect;
}

/* Rows about whole cells always count. Without pairs only counts do. */
bool fl_gating_judges(void *arg, const struct fl_compare_row *row)
{
    const struct fl_gating_rows *rows = arg;
    bool by_value = row->kind == FL_METRIC_EXACT || row->kind == FL_METRIC_SET;
    if (!*row->metric)
        return true;
    if (!rows->paired && !by_value)
        return false;
    if (rows->policy.metric_count)
        return fl_scenario_gate_judges(&rows->policy, row->metric, row->kind);
    return row->gated;
}

static const char *key_of(const struct fl_compare_row *row)
{
    return row->head_key ? row->head_key : row->base_key ? row->base_key : row->cell;
}

struct fl_gate_place fl_gating_place(void *arg, const struct fl_compare_row *row)
{
    const struct fl_gating_rows *rows = arg;
    struct fl_gate_limits limits;
    const struct fl_baseline_count *count =
        fl_baseline_find(&rows->baseline, row->cell, *row->metric ? row->metric : NULL);
    if (count)
        return (struct fl_gate_place){rows->baseline_path, count->line};
    fl_scenario_gate_limits(&rows->policy, row->cell, row->metric, &limits);
    bool by_rule = limits.rule && *row->metric && *rows->policy_path;
    if (by_rule)
        return (struct fl_gate_place){rows->policy_path, limits.rule->cells.line};
    if (!*rows->scenario_path)
        return (struct fl_gate_place){NULL, 0};
    return (struct fl_gate_place){rows->scenario_path,
                                  fl_scenario_places_line(&rows->places, key_of(row))};
}

/* In '...', so that no level does anything in a shell. */
static void put_quoted(FILE *out, const char *text)
{
    putc('\'', out);
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else
            putc(*text, out);
    putc('\'', out);
}

/* `--set FACTOR=LEVEL` for what the scenario has a list of, so that one cell is left. */
static void put_settings(const struct fl_gating_rows *rows, const char *key, FILE *out)
{
    char name[128], level[FL_CELL_KEY_MAX], item[2 * FL_CELL_KEY_MAX];
    while (fl_cell_split(&key, name, sizeof name, level, sizeof level, NULL) > 0) {
        size_t levels = 0;
        for (size_t i = 0; i < rows->places.count; i++)
            if (!strcmp(rows->places.items[i].factor, name))
                levels = rows->places.items[i].levels;
        if (levels < 2 || strpbrk(level, "\"\\"))
            continue;
        snprintf(item, sizeof item, strpbrk(level, ",; \t") ? "%s=\"%s\"" : "%s=%s", name, level);
        fputs(" --set ", out);
        put_quoted(out, item);
    }
}

const char *fl_gating_command(void *arg, const struct fl_compare_row *row, struct fl_arena *arena)
{
    const struct fl_gating_rows *rows = arg;
    char *text = NULL;
    size_t size;
    if (!*rows->command_line)
        return NULL;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs(rows->command_line, out);
    /* What is compared is set by the sides of an A/B run already. */
    if (!row->suite)
        put_settings(rows, rows->paired ? row->cell : key_of(row), out);
    const char *kept = fclose(out) ? NULL : fl_text_copy(arena, text);
    free(text);
    return kept;
}

/* ---- what meets nothing ---- */

static bool selects_any(const struct fl_gating_rows *rows, const struct fl_gate_rule *rule)
{
    for (size_t i = 0; i < rows->compare->count; i++)
        if (fl_gate_rule_selects(rule, rows->compare->rows[i].cell))
            return true;
    return false;
}

static bool has_metric(const struct fl_gating_rows *rows, const char *metric)
{
    for (size_t i = 0; i < rows->compare->count; i++)
        if (!strcmp(rows->compare->rows[i].metric, metric))
            return true;
    return false;
}

void fl_gating_warn(const struct fl_gating_rows *rows)
{
    if (!rows->finished && !rows->paired) /* of pairs the comparison says it */
        fputs("faultline: the run is not finished: judged is what there is\n", stderr);
    for (size_t i = 0; i < rows->policy.rule_count && rows->of_file; i++) {
        if (selects_any(rows, &rows->policy.rules[i]))
            continue;
        fputs("faultline: ", stderr);
        fl_print_safe(stderr, rows->policy_path);
        fprintf(stderr, ":%d: this rule selects no cell of the comparison\n",
                rows->policy.rules[i].cells.line);
    }
    for (size_t i = 0; i < rows->policy.metric_count && rows->of_file; i++) {
        if (has_metric(rows, rows->policy.metrics[i]))
            continue;
        fputs("faultline: no cell has the metric '", stderr);
        fl_print_safe(stderr, rows->policy.metrics[i]);
        fputs("', which the policy judges\n", stderr);
    }
}
