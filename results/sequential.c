/* SPDX-License-Identifier: Apache-2.0 */
#include "results/sequential.h"

#include <errno.h>
#include <math.h>

#include "results/signed-rank.h"

#define ALARM   0.01
#define PASS    0.002
#define CONFIRM (0.05 / 3)

static const size_t looks[FL_SEQUENTIAL_LOOKS] = {
    FL_SEQUENTIAL_FIRST, 24, 36, 54, 80, 120, 180, 270, 400, 600};

struct judging {
    const struct fl_sequential_limits *limits;
    const double *losses;
    size_t count;
    struct fl_sequential *out;
};

size_t fl_sequential_pairs(size_t look)
{
    return look < FL_SEQUENTIAL_LOOKS ? looks[look] : 0;
}

static double share(size_t look)
{
    double sum = 0;

    for (int k = 1; k <= FL_SEQUENTIAL_LOOKS; k++)
        sum += pow(k, -1.1);
    return pow((double)look + 1, -1.1) / sum;
}

/* One look at the pairs from .. until - 1, if there are so many. Above 0: it decided nothing. */
static int look(struct judging *j, size_t from, size_t until, double level)
{
    struct fl_sequential *out = j->out;

    out->next = until;
    if (until > j->count)
        return 0;
    int rc =
        fl_signed_rank_above(j->losses + from, until - from, j->limits->tolerance, &out->worse);
    if (!rc)
        rc = fl_signed_rank_below(j->losses + from, until - from, j->limits->detect, &out->miss);
    if (rc)
        return rc;
    out->looks++;
    out->from = from;
    out->used = until;
    out->level = level;
    out->next = 0;
    if (out->worse <= level)
        out->state = FL_SEQUENTIAL_REGRESSION;
    else if (out->miss <= PASS)
        out->state = FL_SEQUENTIAL_PASS;
    else
        return 1;
    return 0;
}

static int confirm(struct judging *j)
{
    size_t from = j->out->used, fresh = from / 2;
    int rc = 1;

    fresh = fresh < 16 ? 16 : fresh > 100 ? 100 : fresh;
    j->out->candidate = from;
    j->out->state = FL_SEQUENTIAL_UNDECIDED;
    for (size_t times = 1; times <= 4 && rc > 0; times *= 2)
        rc = look(j, from, from + times * fresh, CONFIRM);
    return rc;
}

int fl_sequential_judge_within(const struct fl_sequential_limits *limits, const double *losses,
                               size_t count, struct fl_sequential *out)
{
    struct judging j = {limits, losses, count, out};
    int rc = 1;

    *out = (struct fl_sequential){.worse = 1, .miss = 1};
    if (!(limits->tolerance >= 0 && limits->detect > limits->tolerance) || !limits->planned)
        return -EINVAL;
    for (size_t k = 0; k < FL_SEQUENTIAL_LOOKS && rc > 0; k++)
        rc = look(&j, 0, looks[k], ALARM / (double)limits->planned * share(k));
    if (!rc && out->state == FL_SEQUENTIAL_REGRESSION)
        rc = confirm(&j);
    if (rc > 0)
        out->state = FL_SEQUENTIAL_INCONCLUSIVE;
    return rc < 0 ? rc : 0;
}

int fl_sequential_judge(const struct fl_sequential_rule *rule, const double *losses, size_t count,
                        struct fl_sequential *out)
{
    const struct fl_sequential_limits limits = {log1p(rule->tolerance / 100),
                                                log1p(rule->detect / 100), rule->planned};

    return fl_sequential_judge_within(&limits, losses, count, out);
}

int fl_sequential_bound(const double *losses, const struct fl_sequential *judged,
                        struct fl_sequential_bounds *out)
{
    const double none = (double)NAN;

    *out = (struct fl_sequential_bounds){none, none};
    if (!judged->used)
        return 0;
    return fl_signed_rank_bounds(losses + judged->from, judged->used - judged->from, judged->level,
                                 PASS, &out->at_least, &out->at_most);
}
