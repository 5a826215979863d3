/* SPDX-License-Identifier: Apache-2.0 */
#include "results/verdict.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "faultline/reals.h"
#include "results/counts.h"
#include "results/signed-rank.h"
#include "results/unpaired.h"

const char *fl_verdict_name(enum fl_verdict verdict)
{
    static const char *const names[FL_VERDICT_COUNT] = {
        "regression",     "error", "missing",     "inconclusive",
        "not comparable", "new",   "improvement", "pass"};

    return (size_t)verdict < FL_VERDICT_COUNT ? names[verdict] : "";
}

static void say(struct fl_comparison *out, enum fl_verdict verdict, const char *reason)
{
    out->verdict = verdict;
    out->reason = reason;
}

static double percent(double logarithm)
{
    return isfinite(logarithm) ? 100 * expm1(logarithm) : logarithm;
}

static double worse_sign(const struct fl_metric *metric)
{
    return metric->better == FL_MORE_IS_BETTER ? -1 : 1;
}

static bool counted_by_value(const struct fl_metric *metric)
{
    return metric->kind == FL_METRIC_EXACT || metric->kind == FL_METRIC_SET;
}

/* ---- values ---- */

const struct fl_round_row *fl_verdict_rounds(const struct fl_metric *metric,
                                             const struct fl_series *series)
{
    bool counted = counted_by_value(metric) || metric->mode == FL_IN_COUNTING_SAMPLES;

    if (metric->kind == FL_METRIC_LEVEL)
        counted = series->counted.count > 0;
    return counted ? &series->counted : &series->timed;
}

static int plain_values(const struct fl_round_row *row, double **out)
{
    *out = malloc((row->count + 1) * sizeof(**out));
    for (size_t i = 0; *out && i < row->count; i++)
        (*out)[i] = row->values[i].value;
    return *out ? 0 : -ENOMEM;
}

struct described {
    double median, min, max;
    size_t count;
};

static int describe_row(const struct fl_round_row *row, struct described *out)
{
    double *values, none = (double)NAN;
    int rc = plain_values(row, &values);

    *out = (struct described){none, none, none, row->count};
    if (rc)
        return rc;
    if (row->count) {
        out->median = fl_reals_median(values, row->count);
        out->min = values[0];
        out->max = values[row->count - 1];
    }
    free(values);
    return 0;
}

static int describe(const struct fl_verdict_case *of, struct fl_comparison *out)
{
    static const struct fl_series none;
    struct described base, head;
    int rc = describe_row(fl_verdict_rounds(of->metric, of->base ? of->base : &none), &base);

    if (!rc)
        rc = describe_row(fl_verdict_rounds(of->metric, of->head ? of->head : &none), &head);
    if (rc)
        return rc;
    out->base = base.median;
    out->base_min = base.min;
    out->base_max = base.max;
    out->base_count = base.count;
    out->head = head.median;
    out->head_min = head.min;
    out->head_max = head.max;
    out->head_count = head.count;
    if (out->base > 0)
        out->effect = 100 * (out->head / out->base - 1);
    return 0;
}

/* ---- counts that are compared by value ---- */

static bool whole(const struct fl_round_row *row)
{
    for (size_t i = 0; i < row->count; i++)
        if (row->values[i].value != floor(row->values[i].value))
            return false;
    return true;
}

/* What does not happen in every call is rarer per call in a longer window. */
static bool other_calls(const struct fl_verdict_case *of)
{
    return of->base->calls && of->base->calls == of->head->calls
               ? false
               : fl_metric_per_call(of->metric) &&
                     !(whole(&of->base->counted) && whole(&of->head->counted));
}

static void say_counts(const struct fl_counts *counts, struct fl_comparison *out)
{
    static const enum fl_verdict verdicts[] = {
        [FL_COUNTS_UNDECIDED] = FL_VERDICT_INCONCLUSIVE,
        [FL_COUNTS_PASS] = FL_VERDICT_PASS,
        [FL_COUNTS_REGRESSION] = FL_VERDICT_REGRESSION,
        [FL_COUNTS_IMPROVEMENT] = FL_VERDICT_IMPROVEMENT,
    };

    say(out, verdicts[counts->state], counts->reason);
    out->needs = counts->needs;
}

static int judge_counts(const struct fl_verdict_case *of, const struct fl_verdict_rule *rule,
                        struct fl_comparison *out)
{
    const struct fl_counts_rule by = {.exact = of->metric->kind == FL_METRIC_EXACT,
                                      .better = of->metric->better,
                                      .slack = rule->slack,
                                      .planned = rule->planned};
    struct fl_counts counts;
    double *base, *head = NULL;
    int rc = plain_values(&of->base->counted, &base);

    if (!rc)
        rc = plain_values(&of->head->counted, &head);
    const struct fl_counts_values a = {base, of->base->counted.count};
    const struct fl_counts_values b = {head, of->head->counted.count};
    if (!rc)
        rc = fl_counts_judge(&by, &a, &b, &counts);
    if (!rc)
        say_counts(&counts, out);
    free(base);
    free(head);
    return rc;
}

static int decide_by_value(const struct fl_verdict_case *of, const struct fl_verdict_rule *rule,
                           struct fl_comparison *out)
{
    if (of->differs)
        say(out, FL_VERDICT_NOT_COMPARABLE, of->differs);
    else if (of->base->scaled || of->head->scaled)
        say(out, FL_VERDICT_INCONCLUSIVE, "estimated from a counter that was not always on");
    else if (other_calls(of))
        say(out, FL_VERDICT_NOT_COMPARABLE, "counted over different numbers of calls");
    else
        return judge_counts(of, rule, out);
    return 0;
}

/* ---- pairs ---- */

size_t fl_verdict_losses(const struct fl_metric *metric, const struct fl_round_row *base,
                         const struct fl_round_row *head, double *losses, int64_t *rounds)
{
    bool ratios = metric->kind == FL_METRIC_TIMED;
    double sign = worse_sign(metric);
    size_t i = 0, k = 0, count = 0;

    while (i < base->count && k < head->count) {
        const struct fl_round_value *x = &base->values[i], *y = &head->values[k];
        if (x->round == y->round && (!ratios || (x->value > 0 && y->value > 0))) {
            if (rounds)
                rounds[count] = x->round;
            losses[count++] = sign * (ratios ? log(y->value / x->value) : y->value - x->value);
        }
        i += x->round <= y->round;
        k += y->round <= x->round;
    }
    return count;
}

/* Why pairs that decided nothing did not. */
static const char *why_undecided(const struct fl_sequential *judged)
{
    if (!judged->used)
        return "fewer than 16 pairs";
    if (judged->candidate && judged->next)
        return "an alarm that the pairs after it have not confirmed yet";
    if (judged->candidate)
        return "an alarm that the pairs after it did not confirm";
    if (ldexp(1, -(int)judged->used) > judged->level)
        return "too few pairs for an alarm over so many tests";
    return "neither clearly worse nor clearly not";
}

static void say_judged(const struct fl_sequential *loss, const struct fl_sequential *gain,
                       struct fl_comparison *out)
{
    if (loss->state == FL_SEQUENTIAL_REGRESSION)
        say(out, FL_VERDICT_REGRESSION, NULL);
    else if (gain->state == FL_SEQUENTIAL_REGRESSION)
        say(out, FL_VERDICT_IMPROVEMENT, NULL);
    else if (gain->candidate && gain->state == FL_SEQUENTIAL_UNDECIDED)
        say(out, FL_VERDICT_IMPROVEMENT, "not confirmed by fresh pairs: there are too few");
    else if (loss->state == FL_SEQUENTIAL_PASS)
        say(out, FL_VERDICT_PASS, NULL);
    else
        say(out, FL_VERDICT_INCONCLUSIVE, why_undecided(loss));
}

/* A gain is judged as a loss of the other side; it is for showing. Turns the losses around. */
static int judge_losses(double *losses, size_t count, const struct fl_sequential_limits *limits,
                        struct fl_comparison *out)
{
    struct fl_sequential gain;
    size_t used = count < FL_SEQUENTIAL_MOST ? count : FL_SEQUENTIAL_MOST;
    int rc = fl_sequential_judge_within(limits, losses, used, &out->judged);

    if (!rc)
        rc = fl_sequential_bound(losses, &out->judged, &out->bounds);
    for (size_t i = 0; i < used; i++)
        losses[i] = -losses[i];
    if (!rc)
        rc = fl_sequential_judge_within(limits, losses, used, &gain);
    if (!rc)
        say_judged(&out->judged, &gain, out);
    return rc;
}

/* Of the first FL_SIGNED_RANK_MAX pairs, in the direction of the metric. */
static int shift_of(const double *losses, size_t count, double sign, struct fl_shift *out)
{
    struct fl_shift shift;
    size_t used = count < FL_SIGNED_RANK_MAX ? count : FL_SIGNED_RANK_MAX;
    int rc = fl_signed_rank_shift(losses, used, &shift);

    if (!rc)
        *out = (struct fl_shift){sign * shift.estimate, sign > 0 ? shift.low : -shift.high,
                                 sign > 0 ? shift.high : -shift.low};
    return rc;
}

static void show(double effect, double low, double high, enum fl_interval interval,
                 struct fl_comparison *out)
{
    out->effect = effect;
    out->low = low;
    out->high = high;
    out->interval = isfinite(low) ? interval : FL_INTERVAL_NONE;
}

/* Logarithms; turns them around. */
static int judge_ratios(double *losses, size_t count, const struct fl_verdict_rule *rule,
                        struct fl_comparison *out)
{
    const struct fl_sequential_limits limits = {log1p(rule->tolerance / 100),
                                                log1p(rule->detect / 100), rule->planned};
    int rc = judge_losses(losses, count, &limits, out);

    out->bounds.at_least = percent(out->bounds.at_least);
    out->bounds.at_most = percent(out->bounds.at_most);
    return rc;
}

static int show_timed(const struct fl_verdict_case *of, const double *losses, bool bootstrap,
                      struct fl_comparison *out)
{
    struct fl_shift shift;
    struct fl_paired paired;

    if (bootstrap) {
        int rc = fl_rounds_medians_ratio(fl_verdict_rounds(of->metric, of->head),
                                         fl_verdict_rounds(of->metric, of->base), &paired);
        if (!rc)
            show(100 * (paired.median - 1), 100 * (paired.low - 1), 100 * (paired.high - 1),
                 FL_INTERVAL_BOOTSTRAP, out);
        return rc;
    }
    int rc = shift_of(losses, out->pairs, worse_sign(of->metric), &shift);
    if (!rc)
        show(percent(shift.estimate), percent(shift.low), percent(shift.high), FL_INTERVAL_PAIRS,
             out);
    return rc;
}

static int judge_timed(const struct fl_verdict_case *of, double *losses,
                       const struct fl_verdict_rule *rule, struct fl_comparison *out)
{
    int rc = out->pairs ? show_timed(of, losses, rule->bootstrap, out) : 0;

    return rc ? rc : judge_ratios(losses, out->pairs, rule, out);
}

/* Counts may be 0: differences instead of ratios, the percentages of the base's median. */
static int judge_noisy(const struct fl_verdict_case *of, double *losses,
                       const struct fl_verdict_rule *rule, struct fl_comparison *out)
{
    double slack = rule->slack > 0 ? rule->slack : FL_VERDICT_SLACK;
    double base = isfinite(out->base) ? fabs(out->base) : 0;
    struct fl_sequential_limits limits = {slack + base * rule->tolerance / 100,
                                          slack + base * rule->detect / 100, rule->planned};
    struct fl_shift shift;
    int rc = 0;

    if (!(limits.detect > limits.tolerance)) /* a base of 0 has no percentages */
        limits.detect = 2 * slack;
    if (out->pairs)
        rc = shift_of(losses, out->pairs, worse_sign(of->metric), &shift);
    if (!rc && out->pairs && base > 0)
        show(100 * shift.estimate / base, 100 * shift.low / base, 100 * shift.high / base,
             FL_INTERVAL_PAIRS, out);
    return rc ? rc : judge_losses(losses, out->pairs, &limits, out);
}

static int decide_by_pairs(const struct fl_verdict_case *of, const struct fl_verdict_rule *rule,
                           struct fl_comparison *out)
{
    const struct fl_round_row *base = fl_verdict_rounds(of->metric, of->base);
    const struct fl_round_row *head = fl_verdict_rounds(of->metric, of->head);
    double *losses = malloc((base->count + 1) * sizeof(*losses));

    if (!losses)
        return -ENOMEM;
    out->pairs = fl_verdict_losses(of->metric, base, head, losses, NULL);
    int rc = of->metric->kind == FL_METRIC_TIMED ? judge_timed(of, losses, rule, out)
                                                 : judge_noisy(of, losses, rule, out);
    free(losses);
    return rc;
}

/* ---- no pairs ---- */

static int show_unpaired(const struct fl_verdict_case *of, bool bootstrap,
                         struct fl_comparison *out)
{
    const struct fl_round_row *base_row = fl_verdict_rounds(of->metric, of->base);
    const struct fl_round_row *head_row = fl_verdict_rounds(of->metric, of->head);
    struct fl_unpaired shift = {.ratio = (double)NAN};
    double *base, *head = NULL;
    int rc = plain_values(base_row, &base);

    if (!rc)
        rc = plain_values(head_row, &head);
    const struct fl_unpaired_values a = {base, base_row->count}, b = {head, head_row->count};
    if (!rc)
        rc = bootstrap ? fl_unpaired_bootstrap(&a, &b, &shift) : fl_unpaired_shift(&a, &b, &shift);
    if (!rc && isfinite(shift.ratio))
        show(100 * (shift.ratio - 1), 100 * (shift.low - 1), 100 * (shift.high - 1),
             bootstrap ? FL_INTERVAL_BOOTSTRAP : FL_INTERVAL_RATIOS, out);
    free(base);
    free(head);
    return rc;
}

/* ---- all ---- */

static const char *why_lacking(const struct fl_verdict_case *of, const struct fl_comparison *out)
{
    const struct fl_series *lacking = out->base_count ? of->head : of->base;

    if (lacking && lacking->absent)
        return lacking->absent;
    if (lacking && lacking->timed.count)
        return out->base_count ? "the head has no counting samples: they alone decide"
                               : "the base has no counting samples: they alone decide";
    return out->base_count ? "the head was not measured" : "the base was not measured";
}

/* What needs no more than the medians; false: nothing. */
static bool settle(const struct fl_verdict_case *of, struct fl_comparison *out)
{
    if (!of->base && of->head)
        say(out, FL_VERDICT_NEW, "the base has no such metric");
    else if (!out->base_count || !out->head_count)
        say(out, FL_VERDICT_NOT_COMPARABLE, why_lacking(of, out));
    else if (of->changed)
        say(out, FL_VERDICT_NOT_COMPARABLE, of->changed);
    else if (out->shown_only)
        say(out, FL_VERDICT_INCONCLUSIVE, "shown, not judged: neither side of it is the worse");
    else if (of->metric->kind == FL_METRIC_NOISY_COUNT && of->differs)
        say(out, FL_VERDICT_NOT_COMPARABLE, of->differs);
    else
        return false;
    return true;
}

void fl_comparison_clear(struct fl_comparison *out)
{
    const double none = (double)NAN;

    *out = (struct fl_comparison){.base = none,
                                  .head = none,
                                  .base_min = none,
                                  .base_max = none,
                                  .head_min = none,
                                  .head_max = none,
                                  .effect = none,
                                  .low = none,
                                  .high = none,
                                  .bounds = {none, none}};
}

int fl_verdict_decide(const struct fl_verdict_case *of, const struct fl_verdict_rule *rule,
                      struct fl_comparison *out)
{
    fl_comparison_clear(out);
    out->shown_only = of->metric->better == FL_NOT_RANKED || of->metric->kind == FL_METRIC_LEVEL;
    int rc = describe(of, out);
    if (rc || settle(of, out))
        return rc;
    if (counted_by_value(of->metric))
        return decide_by_value(of, rule, out);
    if (!of->unpaired)
        return decide_by_pairs(of, rule, out);
    say(out, FL_VERDICT_INCONCLUSIVE, of->unpaired);
    return of->metric->kind == FL_METRIC_TIMED ? show_unpaired(of, rule->bootstrap, out) : 0;
}

int fl_verdict_of_losses(double *losses, size_t count, const struct fl_verdict_rule *rule,
                         struct fl_comparison *out)
{
    struct fl_shift shift;
    int rc = 0;

    fl_comparison_clear(out);
    out->pairs = count;
    if (count)
        rc = shift_of(losses, count, 1, &shift);
    if (!rc && count)
        show(percent(shift.estimate), percent(shift.low), percent(shift.high), FL_INTERVAL_PAIRS,
             out);
    return rc ? rc : judge_ratios(losses, count, rule, out);
}
