/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows count, which finding each becomes, and the exit code. */
#include "results/gate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gate-message.h"
#include "results/text.h"

struct judging {
    const struct fl_compare *compare;
    const struct fl_gate_policy *policy;
    const struct fl_compare_row **by_cell; /* all rows */
    struct fl_gate *out;
};

const char *fl_gate_exit_name(enum fl_gate_exit code)
{
    switch (code) {
    case FL_GATE_PASS:
        return "pass";
    case FL_GATE_REGRESSION:
        return "regression";
    case FL_GATE_FAILED:
        return "failure";
    case FL_GATE_INCONCLUSIVE:
        return "inconclusive";
    case FL_GATE_NOTHING:
        return "nothing comparable";
    case FL_GATE_CELL:
        return "head failed";
    }
    return "";
}

enum fl_gate_severity fl_gate_severity_of(const struct fl_gate *gate,
                                          const struct fl_compare_row *row)
{
    switch (row->result.verdict) {
    case FL_VERDICT_REGRESSION:
    case FL_VERDICT_ERROR:
    case FL_VERDICT_MISSING:
        return FL_GATE_ERROR;
    case FL_VERDICT_INCONCLUSIVE:
    case FL_VERDICT_NOT_COMPARABLE:
        return gate->inconclusive_fails ? FL_GATE_ERROR : FL_GATE_WARNING;
    default:
        return FL_GATE_NOTICE;
    }
}

const char *fl_gate_severity_name(enum fl_gate_severity severity)
{
    static const char *const names[] = {"error", "warning", "notice"};

    return names[severity];
}

size_t fl_gate_each_shown(const struct fl_gate *gate, enum fl_gate_severity severity,
                          fl_gate_finding_fn each, void *arg)
{
    size_t count = 0;

    for (size_t i = 0; i < gate->count; i++)
        count += gate->findings[i].severity == severity;
    size_t shown = count > FL_GATE_SHOWN ? FL_GATE_SHOWN - 1 : count;
    size_t left = count - shown;
    for (size_t i = 0; i < gate->count && shown; i++)
        if (gate->findings[i].severity == severity) {
            each(arg, &gate->findings[i]);
            shown--;
        }
    return left;
}

/* ---- order ---- */

/* By verdict; then failures by cell, what is undecided or new by reason, and the rest as before. */
static int compare_judged(const void *a, const void *b)
{
    const struct fl_compare_row *x = *(const struct fl_compare_row *const *)a;
    const struct fl_compare_row *y = *(const struct fl_compare_row *const *)b;
    enum fl_verdict verdict = x->result.verdict;
    int order = 0;

    if (verdict != y->result.verdict)
        return verdict < y->result.verdict ? -1 : 1;
    if (verdict == FL_VERDICT_ERROR || verdict == FL_VERDICT_MISSING)
        order = strcmp(x->cell, y->cell);
    else if (verdict == FL_VERDICT_INCONCLUSIVE || verdict == FL_VERDICT_NOT_COMPARABLE)
        order = strcmp(x->result.reason ? x->result.reason : "",
                       y->result.reason ? y->result.reason : "");
    return order ? order : (x > y) - (x < y);
}

static int compare_cells(const void *a, const void *b)
{
    const struct fl_compare_row *x = *(const struct fl_compare_row *const *)a;
    const struct fl_compare_row *y = *(const struct fl_compare_row *const *)b;
    int order = strcmp(x->cell, y->cell);

    return order ? order : (x > y) - (x < y);
}

static int sort_rows(struct judging *j)
{
    const struct fl_compare *compare = j->compare;
    struct fl_gate *out = j->out;
    size_t bytes = (compare->count + 1) * sizeof(void *);

    out->judged = fl_arena_alloc(&out->arena, bytes, 16);
    j->by_cell = fl_arena_alloc(&out->arena, bytes, 16);
    out->findings = fl_arena_alloc(&out->arena, (compare->count + 1) * sizeof(*out->findings), 16);
    if (!out->judged || !j->by_cell || !out->findings)
        return -ENOMEM;
    for (size_t i = 0; i < compare->count; i++) {
        const struct fl_compare_row *row = &compare->rows[i];
        j->by_cell[i] = row;
        if (j->policy->judges && !j->policy->judges(j->policy->arg, row))
            continue;
        out->judged[out->judged_count++] = row;
        out->verdicts[row->result.verdict]++;
    }
    qsort(out->judged, out->judged_count, sizeof(void *), compare_judged);
    qsort(j->by_cell, compare->count, sizeof(void *), compare_cells);
    return 0;
}

/* The rows of a cell: from *first, returns how many. */
static size_t rows_of_cell(const struct judging *j, const char *cell,
                           const struct fl_compare_row ***first)
{
    size_t low = 0, high = j->compare->count, count = 0;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(j->by_cell[middle]->cell, cell) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *first = j->by_cell + low;
    while (low + count < j->compare->count && !strcmp((*first)[count]->cell, cell))
        count++;
    return count;
}

/* ---- findings ---- */

/* Do the two belong into one finding? The first is not a regression: each of those is its own. */
static bool together(const struct fl_compare_row *a, const struct fl_compare_row *b)
{
    if (a->result.verdict != b->result.verdict)
        return false;
    switch (a->result.verdict) {
    case FL_VERDICT_REGRESSION:
        return false;
    case FL_VERDICT_ERROR:
    case FL_VERDICT_MISSING:
        return !strcmp(a->cell, b->cell);
    case FL_VERDICT_INCONCLUSIVE:
    case FL_VERDICT_NOT_COMPARABLE:
        return !strcmp(a->result.reason ? a->result.reason : "",
                       b->result.reason ? b->result.reason : "");
    default:
        return true;
    }
}

static int add_finding(struct judging *j, size_t from, size_t rows)
{
    struct fl_gate *out = j->out;
    const struct fl_compare_row *row = out->judged[from], **cell;
    struct fl_gate_finding *finding = &out->findings[out->count++];
    size_t of_cell = rows_of_cell(j, row->cell, &cell);

    *finding = (struct fl_gate_finding){
        .severity = fl_gate_severity_of(out, row), .row = row, .rows = rows};
    if (j->policy->place)
        finding->place = j->policy->place(j->policy->arg, row);
    if (finding->severity == FL_GATE_ERROR && j->policy->command)
        finding->command = j->policy->command(j->policy->arg, row, &out->arena);
    return fl_gate_message(finding, cell, of_cell, &out->arena);
}

static int find(struct judging *j)
{
    struct fl_gate *out = j->out;
    int rc = 0;

    for (size_t i = 0; i < out->judged_count && !rc;) {
        size_t end = i + 1;
        if (out->judged[i]->result.verdict == FL_VERDICT_PASS)
            break; /* stands last */
        while (end < out->judged_count && together(out->judged[i], out->judged[end]))
            end++;
        rc = add_finding(j, i, end - i);
        i = end;
    }
    return rc;
}

/* ---- all ---- */

static enum fl_gate_exit exit_code(const struct fl_gate *gate)
{
    const size_t *verdicts = gate->verdicts;
    size_t undecided = verdicts[FL_VERDICT_INCONCLUSIVE];
    size_t comparable = undecided + verdicts[FL_VERDICT_PASS] + verdicts[FL_VERDICT_IMPROVEMENT];

    if (verdicts[FL_VERDICT_REGRESSION])
        return FL_GATE_REGRESSION;
    if (verdicts[FL_VERDICT_ERROR] || verdicts[FL_VERDICT_MISSING])
        return FL_GATE_CELL;
    if (!comparable)
        return FL_GATE_NOTHING;
    undecided += verdicts[FL_VERDICT_NOT_COMPARABLE];
    return undecided && gate->inconclusive_fails ? FL_GATE_INCONCLUSIVE : FL_GATE_PASS;
}

int fl_gate_judge(const struct fl_compare *compare, const struct fl_gate_policy *policy,
                  struct fl_gate *out, struct fl_err *err)
{
    struct judging j = {.compare = compare, .policy = policy, .out = out};

    *out = (struct fl_gate){.compare = compare, .inconclusive_fails = policy->inconclusive_fails};
    int rc = sort_rows(&j);
    if (!rc)
        rc = find(&j);
    if (!rc) {
        out->exit = exit_code(out);
        out->summary = fl_gate_summary(out, &out->arena);
    }
    if (!rc && out->summary)
        return 0;
    fl_gate_release(out);
    return fl_fail(err, -ENOMEM, "cannot judge: out of memory");
}

void fl_gate_release(struct fl_gate *gate)
{
    fl_arena_release(&gate->arena);
    *gate = (struct fl_gate){.count = 0};
}
