/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences of the gate. */
#include "gate-message.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "faultline/error.h"
#include "results/text.h"

static char *say(struct fl_arena *arena, const char *format, ...) FL_PRINTF(2, 3);

static char *say(struct fl_arena *arena, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    char *text = fl_text_format(arena, format, values);
    va_end(values);
    return text;
}

static bool is_count(const struct fl_compare_row *row)
{
    return row->kind == FL_METRIC_EXACT || row->kind == FL_METRIC_SET ||
           row->kind == FL_METRIC_NOISY_COUNT;
}

/* ---- what moved, and how sure that is ---- */

/* `time +12.3 %`, `minor-faults 0 -> 112`; "" for a row about the cell itself. */
static char *moved(struct fl_arena *arena, const struct fl_compare_row *row)
{
    const struct fl_comparison *result = &row->result;

    if (!is_count(row) && isfinite(result->effect))
        return say(arena, "%s %+.2f %%", row->metric, result->effect);
    if (isfinite(result->base) && isfinite(result->head))
        return say(arena, "%s %.6g -> %.6g", row->metric, result->base, result->head);
    return say(arena, "%s", row->metric);
}

/* `time went from 100 to 112.3 ns (+12.30 %)` */
static char *change(struct fl_arena *arena, const struct fl_compare_row *row)
{
    const struct fl_comparison *result = &row->result;
    const char *share = "";

    if (!isfinite(result->base) || !isfinite(result->head))
        return moved(arena, row);
    if (isfinite(result->effect) && result->base > 0)
        share = say(arena, " (%+.2f %%)", result->effect);
    if (!share)
        return NULL;
    return say(arena, "%s went from %.6g to %.6g %s%s", row->metric, result->base, result->head,
               row->unit, share);
}

/* What the last look knows; the loss is in percent, of a count in its unit. */
static const char *sequential_text(struct fl_arena *arena, const struct fl_compare_row *row)
{
    const struct fl_comparison *result = &row->result;
    const char *unit = row->kind == FL_METRIC_TIMED ? "%" : row->unit;

    if (!result->judged.used || !isfinite(result->bounds.at_least))
        return "";
    return say(arena, "; worse by %.2f %s or more by the sequential bound, tolerated %g %%",
               result->bounds.at_least, unit, row->tolerance);
}

static char *certainty_of_pairs(struct fl_arena *arena, const struct fl_compare_row *row)
{
    const struct fl_comparison *result = &row->result;
    const char *bound = sequential_text(arena, row);

    if (!bound)
        return NULL;
    if (isfinite(result->low) && isfinite(result->high))
        return say(arena, "%s; 95 %% interval %+.2f to %+.2f %%, %zu pairs", bound, result->low,
                   result->high, result->pairs);
    return say(arena, "%s; %zu pairs", bound, result->pairs);
}

static char *certainty(struct fl_arena *arena, const struct fl_compare_row *row)
{
    const struct fl_comparison *result = &row->result;

    if (row->kind != FL_METRIC_EXACT && row->kind != FL_METRIC_SET)
        return certainty_of_pairs(arena, row);
    return say(arena, "; %zu samples from %.6g to %.6g, of the base %zu from %.6g to %.6g",
               result->head_count, result->head_min, result->head_max, result->base_count,
               result->base_min, result->base_max);
}

/* ---- which count moved with it ---- */

/* By how much a count got worse: above 0 where it did. Without a base, any amount is much. */
static double worsened(const struct fl_compare_row *row)
{
    const struct fl_comparison *result = &row->result;
    double loss = result->head - result->base;

    if (!is_count(row) || row->better == FL_NOT_RANKED || !isfinite(loss))
        return 0;
    if (row->better == FL_MORE_IS_BETTER)
        loss = -loss;
    if (loss <= 0)
        return 0;
    double certain = result->verdict == FL_VERDICT_REGRESSION ? 1e12 : 0;
    return certain + (result->base > 0 ? loss / result->base : 1e6 + loss);
}

/* The place of the count that got worse by most, one that is a regression itself first; `count`:
 * none did. */
static size_t find_cause(const struct fl_compare_row *of, const struct fl_compare_row *const *cell,
                         size_t count)
{
    size_t cause = count;
    double most = 0;

    for (size_t i = 0; i < count; i++) {
        double loss = cell[i] == of ? 0 : worsened(cell[i]);
        if (loss > most) {
            most = loss;
            cause = i;
        }
    }
    return cause;
}

static bool has_counts(const struct fl_compare_row *const *cell, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_count(cell[i]) && isfinite(cell[i]->result.head) && isfinite(cell[i]->result.base))
            return true;
    return false;
}

/* A count that got worse needs no other to explain it; what took longer does. */
static int explain(struct fl_gate_finding *finding, const struct fl_compare_row *const *cell,
                   size_t count, struct fl_arena *arena)
{
    size_t cause = find_cause(finding->row, cell, count);

    if (cause < count)
        finding->cause = change(arena, cell[cause]);
    else if (is_count(finding->row) || !has_counts(cell, count))
        return 0;
    else
        finding->cause = say(arena, "no count of the cell moved");
    return finding->cause ? 0 : -ENOMEM;
}

/* ---- findings ---- */

static int message_of_regression(struct fl_gate_finding *finding,
                                 const struct fl_compare_row *const *cell, size_t count,
                                 struct fl_arena *arena)
{
    const struct fl_compare_row *row = finding->row;
    const char *title = moved(arena, row), *what = change(arena, row),
               *sure = certainty(arena, row);

    if (!title || !what || !sure || explain(finding, cell, count, arena))
        return -ENOMEM;
    finding->title = say(arena, "regression: %s", title);
    finding->message = say(arena, "%s: %s%s%s%s", row->cell, what, sure, finding->cause ? "; " : "",
                           finding->cause ? finding->cause : "");
    return finding->title && finding->message ? 0 : -ENOMEM;
}

static int message_of_failure(struct fl_gate_finding *finding, struct fl_arena *arena)
{
    const struct fl_compare_row *row = finding->row;
    bool missing = row->result.verdict == FL_VERDICT_MISSING;
    const char *reason = row->result.reason ? row->result.reason
                         : missing          ? "the head has no such cell"
                                            : "the head failed";

    finding->title = say(arena, "%s in the head", missing ? "missing" : "failed");
    finding->message = say(arena, "%s: %s", row->cell, reason);
    return finding->title && finding->message ? 0 : -ENOMEM;
}

/* `CELL: METRIC`, and how many more. */
static int message_of_group(struct fl_gate_finding *finding, struct fl_arena *arena)
{
    const struct fl_compare_row *row = finding->row;
    const char *name = fl_verdict_name(row->result.verdict), *reason = row->result.reason;
    const char *what = moved(arena, row), *more = "";

    if (finding->rows > 1)
        more = say(arena, ", and %zu more", finding->rows - 1);
    if (!what || !more)
        return -ENOMEM;
    finding->title =
        say(arena, "%s: %zu value%s", name, finding->rows, finding->rows > 1 ? "s" : "");
    finding->message = say(arena, "%s%s%s: %s%s%s%s", name, reason ? ", " : "",
                           reason ? reason : "", row->cell, *what ? ": " : "", what, more);
    return finding->title && finding->message ? 0 : -ENOMEM;
}

int fl_gate_message(struct fl_gate_finding *finding, const struct fl_compare_row *const *cell,
                    size_t count, struct fl_arena *arena)
{
    switch (finding->row->result.verdict) {
    case FL_VERDICT_REGRESSION:
        return message_of_regression(finding, cell, count, arena);
    case FL_VERDICT_ERROR:
    case FL_VERDICT_MISSING:
        return message_of_failure(finding, arena);
    default:
        return message_of_group(finding, arena);
    }
}

/* ---- all ---- */

const char *fl_gate_summary(const struct fl_gate *gate, struct fl_arena *arena)
{
    char *text = say(arena, "%s: %zu judged", fl_gate_exit_name(gate->exit), gate->judged_count);
    const char *before = ": ";

    for (int i = 0; i < FL_VERDICT_COUNT && text; i++)
        if (gate->verdicts[i]) {
            text = say(arena, "%s%s%zu %s", text, before, gate->verdicts[i],
                       fl_verdict_name((enum fl_verdict)i));
            before = ", ";
        }
    return text;
}
