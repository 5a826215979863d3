/* SPDX-License-Identifier: Apache-2.0 */
#include "results/counts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define ALARM 0.01 /* over all planned tests */
#define LOOKS 0.01 /* the first samples look worse below this chance, and are tried again */

/* ---- permutations ---- */

enum {
    SIDE = FL_COUNTS_FRESH,
    RANK_MOST = 2 * 2 * SIDE,   /* ranks are doubled: ties share theirs */
    SUM_MOST = SIDE * RANK_MOST /* of the ranks of one side */
};

struct pooled {
    double values[2 * SIDE];
    size_t count;
};

static size_t doubled_rank(const struct pooled *all, double value)
{
    size_t below = 0, same = 0;

    for (size_t i = 0; i < all->count; i++) {
        below += all->values[i] < value;
        same += all->values[i] >= value && all->values[i] <= value;
    }
    return 2 * below + same + 1;
}

/* choices[k][s]: how many choices of k of the ranks met so far have the sum s. C(40, 20) is 1.4e11:
 * exact in a double. */
typedef double choices_of[SUM_MOST + 1];

static void add_rank(choices_of *choices, size_t chosen, size_t rank, size_t reach)
{
    for (size_t k = chosen; k > 0; k--)
        for (size_t s = reach; s >= rank; s--)
            choices[k][s] += choices[k - 1][s - rank];
}

static double share_from(const double *choices, size_t sum)
{
    double from = 0, all = 0;

    for (size_t s = 0; s <= SUM_MOST; s++) {
        all += choices[s];
        from += s >= sum ? choices[s] : 0;
    }
    return from / all;
}

int fl_counts_chance(const struct fl_counts_values *base, const struct fl_counts_values *head,
                     double *out)
{
    struct pooled all = {.count = 0};
    size_t sum = 0, reach = 0;

    if (!base->count || !head->count || base->count > SIDE || head->count > SIDE)
        return -EINVAL;
    choices_of *choices = calloc(head->count + 1, sizeof(*choices));
    if (!choices)
        return -ENOMEM;
    for (size_t i = 0; i < base->count; i++)
        all.values[all.count++] = base->values[i];
    for (size_t i = 0; i < head->count; i++)
        all.values[all.count++] = head->values[i];
    choices[0][0] = 1;
    for (size_t i = 0; i < all.count; i++) {
        size_t rank = doubled_rank(&all, all.values[i]);
        reach = reach + rank < SUM_MOST ? reach + rank : SUM_MOST;
        add_rank(choices, head->count, rank, reach);
        sum += i >= base->count ? rank : 0;
    }
    *out = share_from(choices[head->count], sum);
    free(choices);
    return 0;
}

/* ---- sides ---- */

struct range {
    double least, most;
};

/* In the scale of losses: more is worse. */
static double loss(const struct fl_counts_rule *rule, double value)
{
    return rule->better == FL_MORE_IS_BETTER ? -value : value;
}

static struct range range_of(const struct fl_counts_rule *rule, const struct fl_counts_values *side)
{
    struct range out = {(double)INFINITY, -(double)INFINITY};

    for (size_t i = 0; i < side->count; i++) {
        out.least = fmin(out.least, loss(rule, side->values[i]));
        out.most = fmax(out.most, loss(rule, side->values[i]));
    }
    return out;
}

static bool constant(struct range range)
{
    return range.least >= range.most;
}

static struct fl_counts_values part_of(const struct fl_counts_values *side, size_t from,
                                       size_t most)
{
    size_t left = side->count > from ? side->count - from : 0;

    return (struct fl_counts_values){side->values + (left ? from : 0), left < most ? left : most};
}

static size_t smaller(const struct fl_counts_values *a, const struct fl_counts_values *b)
{
    return a->count < b->count ? a->count : b->count;
}

/* A value of the head that no process of the base had, or had nearly. */
static bool has_unseen(const struct fl_counts_values *base, const struct fl_counts_values *head,
                       double slack)
{
    for (size_t i = 0; i < head->count; i++) {
        size_t k = 0;
        while (k < base->count && fabs(base->values[k] - head->values[i]) > slack)
            k++;
        if (k == base->count)
            return true;
    }
    return false;
}

/* As fl_counts_chance(), of losses, the head's less the slack. */
static int chance_of(const struct fl_counts_rule *rule, const struct fl_counts_values *base,
                     const struct fl_counts_values *head, double *out)
{
    double base_losses[SIDE], head_losses[SIDE];
    const struct fl_counts_values a = {base_losses, base->count}, b = {head_losses, head->count};

    for (size_t i = 0; i < base->count; i++)
        base_losses[i] = loss(rule, base->values[i]);
    for (size_t i = 0; i < head->count; i++)
        head_losses[i] = loss(rule, head->values[i]) - rule->slack;
    return fl_counts_chance(&a, &b, out);
}

/* ---- sets ---- */

static void say(struct fl_counts *out, enum fl_counts_state state, size_t needs, const char *reason)
{
    out->state = state;
    out->needs = needs;
    out->reason = reason;
}

static int judge_fresh(const struct fl_counts_rule *rule, const struct fl_counts_values *base,
                       const struct fl_counts_values *head, struct fl_counts *out)
{
    const struct fl_counts_values a = part_of(base, FL_COUNTS_FIRST, FL_COUNTS_FRESH);
    const struct fl_counts_values b = part_of(head, FL_COUNTS_FIRST, FL_COUNTS_FRESH);

    if (smaller(&a, &b) < FL_COUNTS_FRESH) {
        say(out, FL_COUNTS_UNDECIDED, FL_COUNTS_FIRST + FL_COUNTS_FRESH,
            "values that the base did not have: 20 fresh counting samples a side would decide "
            "(counting-rounds = 30)");
        return 0;
    }
    int rc = chance_of(rule, &a, &b, &out->chance);
    bool alarm = !rc && out->chance <= ALARM / (double)rule->planned;
    say(out, alarm ? FL_COUNTS_REGRESSION : FL_COUNTS_PASS, 0,
        alarm ? "the values moved" : "values that the base did not have, and not more of them");
    return rc;
}

static int judge_set(const struct fl_counts_rule *rule, const struct fl_counts_values *base,
                     const struct fl_counts_values *head, struct fl_counts *out)
{
    const struct fl_counts_values a = part_of(base, 0, FL_COUNTS_FIRST);
    const struct fl_counts_values b = part_of(head, 0, FL_COUNTS_FIRST);
    struct range base_range = range_of(rule, &a), head_range = range_of(rule, &b);
    bool unseen = has_unseen(&a, &b, rule->slack);
    double chance;

    if (smaller(&a, &b) < FL_COUNTS_FIRST) {
        say(out, unseen ? FL_COUNTS_UNDECIDED : FL_COUNTS_PASS, FL_COUNTS_FIRST,
            unseen ? "values that the base did not have, in fewer than 10 counting samples a side "
                     "(counting-rounds = 10)"
                   : NULL);
        return 0;
    }
    if (head_range.least > base_range.most + rule->slack) {
        say(out, FL_COUNTS_REGRESSION, 0, NULL);
        return 0;
    }
    if (head_range.most + rule->slack < base_range.least) {
        say(out, FL_COUNTS_IMPROVEMENT, 0, NULL);
        return 0;
    }
    int rc = chance_of(rule, &a, &b, &chance);
    if (!rc && ((unseen && head_range.most > base_range.least + rule->slack) || chance < LOOKS))
        return judge_fresh(rule, base, head, out);
    say(out, FL_COUNTS_PASS, 0, NULL);
    return rc;
}

/* ---- exact ---- */

static void judge_exact(const struct fl_counts_rule *rule, struct range base, struct range head,
                        struct fl_counts *out)
{
    if (head.least > base.most + rule->slack)
        say(out, FL_COUNTS_REGRESSION, 0, NULL);
    else if (head.most + rule->slack < base.least)
        say(out, FL_COUNTS_IMPROVEMENT, 0, NULL);
    else
        say(out, FL_COUNTS_PASS, 0, NULL);
}

int fl_counts_judge(const struct fl_counts_rule *rule, const struct fl_counts_values *base,
                    const struct fl_counts_values *head, struct fl_counts *out)
{
    struct range base_range = range_of(rule, base), head_range = range_of(rule, head);

    *out = (struct fl_counts){.chance = (double)NAN};
    if (!rule->planned)
        return -EINVAL;
    if (!rule->exact)
        return judge_set(rule, base, head, out);
    if (smaller(base, head) < FL_COUNTS_EXACT) {
        say(out, FL_COUNTS_UNDECIDED, FL_COUNTS_EXACT, "fewer than 2 counting samples a side");
        return 0;
    }
    if (constant(base_range) && constant(head_range)) {
        judge_exact(rule, base_range, head_range, out);
        return 0;
    }
    int rc = judge_set(rule, base, head, out);
    if (!out->reason)
        out->reason = "counting samples of one side disagree: judged as a set";
    return rc;
}
