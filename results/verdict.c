/* SPDX-License-Identifier: Apache-2.0 */
#include "results/verdict.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "results/signed-rank.h"

#define ALARM 0.01 /* over all planned tests */
#define PASS  0.002

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

static bool measured(const struct fl_verdict_side *side)
{
    return side->present && side->value->count;
}

static double worse_sign(const struct fl_metric *metric)
{
    return metric->better == FL_MORE_IS_BETTER ? -1 : 1;
}

/* ---- counts that are compared by value ---- */

/* Of losses: how far all of the head is beyond all of the base, in the worse direction. */
static bool all_worse(const struct fl_verdict_case *of, bool head_worse)
{
    const struct fl_summary_value *worse = head_worse ? of->head.value : of->base.value;
    const struct fl_summary_value *other = head_worse ? of->base.value : of->head.value;

    if (of->metric->better == FL_MORE_IS_BETTER)
        return fl_number_real(worse->max) < fl_number_real(other->min);
    return fl_number_real(worse->min) > fl_number_real(other->max);
}

static bool constant(const struct fl_summary_value *value)
{
    return fl_number_real(value->min) >= fl_number_real(value->max);
}

/* Two sets of ten stand apart by chance once in 184,756 times, two of three once in 20. */
static bool few_samples(const struct fl_verdict_case *of)
{
    return of->base.value->count < FL_VERDICT_SAMPLES || of->head.value->count < FL_VERDICT_SAMPLES;
}

static void decide_by_value(const struct fl_verdict_case *of, struct fl_comparison *out)
{
    bool exact = of->metric->kind == FL_METRIC_EXACT;

    if (of->differs)
        say(out, FL_VERDICT_NOT_COMPARABLE, of->differs);
    else if (of->base.value->scaled || of->head.value->scaled)
        say(out, FL_VERDICT_INCONCLUSIVE, "estimated from a counter that was not always on");
    else if (exact && (!constant(of->base.value) || !constant(of->head.value)))
        say(out, FL_VERDICT_INCONCLUSIVE, "samples of one side disagree on an exact count");
    else if (!exact && few_samples(of) && (all_worse(of, true) || all_worse(of, false)))
        say(out, FL_VERDICT_INCONCLUSIVE, "apart, but by fewer than 10 samples a side");
    else if (all_worse(of, true))
        say(out, FL_VERDICT_REGRESSION, NULL);
    else if (all_worse(of, false))
        say(out, FL_VERDICT_IMPROVEMENT, NULL);
    else
        say(out, FL_VERDICT_PASS, NULL);
}

/* ---- pairs ---- */

struct pairs {
    double *losses; /* above 0: the head is worse */
    size_t count;
};

/* Logarithms of ratios, or differences. */
static int pair(const struct fl_verdict_case *of, bool as_ratios, struct pairs *out)
{
    const struct fl_round_row *base = of->base.rounds, *head = of->head.rounds;
    double sign = worse_sign(of->metric);
    size_t i = 0, k = 0;

    *out = (struct pairs){.losses = malloc((base->count + 1) * sizeof(*out->losses))};
    if (!out->losses)
        return -ENOMEM;
    while (i < base->count && k < head->count) {
        const struct fl_round_value *x = &base->values[i], *y = &head->values[k];
        bool usable = !as_ratios || (x->value > 0 && y->value > 0);
        if (x->round == y->round && usable)
            out->losses[out->count++] =
                sign * (as_ratios ? log(y->value / x->value) : y->value - x->value);
        i += x->round <= y->round;
        k += y->round <= x->round;
    }
    return 0;
}

/* Limits of losses, in the scale of the pairs. */
struct limits {
    double tolerance, detect;
};

static int decide_by_rank(const struct pairs *pairs, struct limits limits, size_t planned,
                          struct fl_comparison *out)
{
    double alarm = ALARM / (double)(planned ? planned : 1), worse, better, miss;
    int rc = fl_signed_rank_above(pairs->losses, pairs->count, limits.tolerance, &worse);

    if (!rc)
        rc = fl_signed_rank_below(pairs->losses, pairs->count, -limits.tolerance, &better);
    if (!rc)
        rc = fl_signed_rank_below(pairs->losses, pairs->count, limits.detect, &miss);
    if (rc)
        return rc;
    if (worse <= alarm)
        say(out, FL_VERDICT_REGRESSION, NULL);
    else if (better <= alarm)
        say(out, FL_VERDICT_IMPROVEMENT, NULL);
    else if (miss <= PASS)
        say(out, FL_VERDICT_PASS, NULL);
    else if (ldexp(1, -(int)pairs->count) > alarm)
        say(out, FL_VERDICT_INCONCLUSIVE, "too few pairs for an alarm over so many tests");
    else
        say(out, FL_VERDICT_INCONCLUSIVE, "neither clearly worse nor clearly not");
    return 0;
}

static double percent(double logarithm)
{
    return 100 * expm1(logarithm);
}

static int describe(const struct fl_verdict_case *of, const struct pairs *pairs,
                    struct fl_comparison *out)
{
    struct fl_shift shift;
    double sign = worse_sign(of->metric);
    int rc = fl_signed_rank_shift(pairs->losses, pairs->count, &shift);

    if (rc)
        return rc;
    out->effect = percent(sign * shift.estimate);
    out->low = percent(sign > 0 ? shift.low : -shift.high);
    out->high = percent(sign > 0 ? shift.high : -shift.low);
    return 0;
}

static int decide_timed(const struct fl_verdict_case *of, const struct fl_verdict_rule *rule,
                        struct fl_comparison *out)
{
    const struct limits limits = {log1p(rule->tolerance / 100), log1p(rule->detect / 100)};
    struct pairs pairs;
    int rc = pair(of, true, &pairs);

    if (rc)
        return rc;
    out->pairs = pairs.count;
    if (pairs.count)
        rc = describe(of, &pairs, out);
    if (pairs.count < FL_VERDICT_PAIRS)
        say(out, FL_VERDICT_INCONCLUSIVE, "fewer than 16 pairs");
    else if (!rc)
        rc = decide_by_rank(&pairs, limits, rule->planned, out);
    free(pairs.losses);
    return rc;
}

/* Counts may be 0: differences instead of ratios, the percentages of the base's median. */
static int decide_noisy(const struct fl_verdict_case *of, const struct fl_verdict_rule *rule,
                        struct fl_comparison *out)
{
    double least = rule->slack + fabs(out->base) * rule->tolerance / 100;
    double most = rule->slack + fabs(out->base) * rule->detect / 100;
    struct pairs pairs;
    int rc = pair(of, false, &pairs);

    if (rc)
        return rc;
    out->pairs = pairs.count;
    if (pairs.count < FL_VERDICT_PAIRS)
        say(out, FL_VERDICT_INCONCLUSIVE, "fewer than 16 pairs");
    else
        rc = decide_by_rank(&pairs, (struct limits){least, most}, rule->planned, out);
    free(pairs.losses);
    return rc;
}

/* ---- all ---- */

/* What needs no numbers; false: nothing. */
static bool settle(const struct fl_verdict_case *of, struct fl_comparison *out)
{
    if (!of->base.present)
        say(out, FL_VERDICT_NEW, NULL);
    else if (!of->head.present)
        say(out, FL_VERDICT_MISSING, NULL);
    else if (of->head.failure)
        say(out, FL_VERDICT_ERROR, of->head.failure);
    else if (of->base.failure)
        say(out, FL_VERDICT_NOT_COMPARABLE, "the base failed");
    else if (!measured(&of->head) || !measured(&of->base))
        say(out, FL_VERDICT_NOT_COMPARABLE,
            measured(&of->base) ? "the head was not measured" : "the base was not measured");
    else if (of->metric->better == FL_NOT_RANKED || of->metric->kind == FL_METRIC_LEVEL)
        say(out, FL_VERDICT_INCONCLUSIVE, "shown, not judged: neither side of it is the worse");
    else
        return false;
    return true;
}

int fl_verdict_decide(const struct fl_verdict_case *of, const struct fl_verdict_rule *rule,
                      struct fl_comparison *out)
{
    const double none = (double)NAN;
    enum fl_metric_kind kind = of->metric->kind;

    *out = (struct fl_comparison){
        .base = none, .head = none, .effect = none, .low = none, .high = none};
    if (measured(&of->base))
        out->base = fl_number_real(of->base.value->median);
    if (measured(&of->head))
        out->head = fl_number_real(of->head.value->median);
    if (out->base > 0)
        out->effect = 100 * (out->head / out->base - 1);
    if (settle(of, out))
        return 0;
    if (kind == FL_METRIC_EXACT || kind == FL_METRIC_SET) {
        decide_by_value(of, out);
        return 0;
    }
    if (kind == FL_METRIC_NOISY_COUNT && of->differs) {
        say(out, FL_VERDICT_NOT_COMPARABLE, of->differs);
        return 0;
    }
    if (of->unpaired) {
        say(out, FL_VERDICT_INCONCLUSIVE, of->unpaired);
        return 0;
    }
    return kind == FL_METRIC_TIMED ? decide_timed(of, rule, out) : decide_noisy(of, rule, out);
}
