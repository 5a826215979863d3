/* SPDX-License-Identifier: Apache-2.0 */
#include "recovery.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "results/signed-rank.h"

enum { HALVINGS = 20 }; /* from a range of 4 to less than 1e-5 */

struct triple {
    double variant, slow, reference;
};

static const struct fl_range nowhere = {(double)NAN, (double)NAN, (double)NAN};

/* The value of a round at or behind `*at`, which moves; 0: the row has none. */
static double seek(const struct fl_round_row *row, size_t *at, int64_t round)
{
    while (*at < row->count && row->values[*at].round < round)
        ++*at;
    return *at < row->count && row->values[*at].round == round ? row->values[*at].value : 0;
}

static size_t gather(const struct fl_round_row *variant, const struct fl_round_row *slow,
                     const struct fl_round_row *reference, struct triple *out)
{
    size_t at = 0, other = 0, count = 0;

    for (size_t i = 0; i < variant->count && count < FL_EXPLAIN_ROUNDS; i++) {
        int64_t round = variant->values[i].round;
        struct triple triple = {variant->values[i].value, seek(slow, &at, round),
                                seek(reference, &other, round)};
        if (triple.variant > 0 && triple.slow > 0 && triple.reference > 0)
            out[count++] = triple;
    }
    return count;
}

int fl_recovery_ratio(const struct fl_round_row *a, const struct fl_round_row *b, double level,
                      struct fl_range *out, double *bound)
{
    struct triple pairs[FL_EXPLAIN_ROUNDS];
    double logs[FL_EXPLAIN_ROUNDS], low;
    struct fl_shift shift;
    size_t count = gather(a, b, b, pairs);

    *out = nowhere;
    *bound = (double)INFINITY;
    for (size_t i = 0; i < count; i++)
        logs[i] = log(pairs[i].variant / pairs[i].slow);
    if (!count)
        return 0;
    int rc = fl_signed_rank_shift(logs, count, &shift);
    if (!rc)
        rc = fl_signed_rank_bounds(logs, count, level, level, &low, bound);
    *out = (struct fl_range){shift.estimate, shift.low, shift.high};
    return rc;
}

/* Where a variant that recovers `share` would stand; never below nothing. */
static int shift_at(const struct triple *triples, size_t count, double share, struct fl_shift *out)
{
    double logs[FL_EXPLAIN_ROUNDS];

    for (size_t i = 0; i < count; i++) {
        double expected = (1 - share) * triples[i].slow + share * triples[i].reference;
        logs[i] = log(triples[i].variant / fmax(expected, 1e-9 * triples[i].slow));
    }
    return fl_signed_rank_shift(logs, count, out);
}

enum side { CENTRE, LOW, HIGH };

static double side_of(const struct fl_shift *shift, enum side side)
{
    return side == CENTRE ? shift->estimate : side == LOW ? shift->low : shift->high;
}

/* The share at which one side of the shift passes 0: it grows with the share. */
static int solve(const struct triple *triples, size_t count, enum side side, double *out)
{
    double from = -1, to = 3;

    for (int i = 0; i < HALVINGS; i++) {
        struct fl_shift shift;
        double middle = from + (to - from) / 2;
        int rc = shift_at(triples, count, middle, &shift);
        if (rc)
            return rc;
        *(side_of(&shift, side) > 0 ? &to : &from) = middle;
    }
    *out = from + (to - from) / 2;
    return 0;
}

int fl_recovery_share(const struct fl_round_row *variant, const struct fl_round_row *slow,
                      const struct fl_round_row *reference, struct fl_range *out)
{
    struct triple triples[FL_EXPLAIN_ROUNDS];
    struct fl_shift shift;
    size_t count = gather(variant, slow, reference, triples);

    *out = nowhere;
    if (!count)
        return 0;
    int rc = shift_at(triples, count, 0, &shift);
    if (!rc)
        rc = solve(triples, count, CENTRE, &out->estimate);
    if (rc || isnan(shift.low))
        return rc;
    /* Where the whole interval lies above 0 the share is too large, and where it lies below, too
     * small. */
    rc = solve(triples, count, HIGH, &out->low);
    return rc ? rc : solve(triples, count, LOW, &out->high);
}
