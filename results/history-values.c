/* SPDX-License-Identifier: Apache-2.0 */
/* Timed samples of a cell, round by round, and their centre. */
#include "history-values.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "database.h"
#include "faultline/reals.h"
#include "results/signed-rank.h"

void fl_history_reader_release(struct fl_history_reader *reader)
{
    free(reader->all.items);
    free(reader->read[0].items);
    free(reader->read[1].items);
    free(reader->numbers);
}

static int grow(struct fl_history_list *list)
{
    const size_t room = list->room ? 2 * list->room : 64;
    struct fl_history_round *more = realloc(list->items, room * sizeof(*more));

    if (!more)
        return -ENOMEM;
    list->items = more;
    list->room = room;
    return 0;
}

#define COLUMNS                                                                                    \
    "SELECT run, cell, round, outcome = 'wrong-result', total, calls, scale FROM sample "          \
    "LEFT JOIN value ON value.sample = sample.id AND metric = ? AND outcome = 'ok' "               \
    "WHERE mode = 'timed' "

/* A wrong result is no time; neither is 0 or what is not finite. */
static double value_of(const struct fl_history_reader *reader, sqlite3_stmt *row)
{
    const int64_t calls = sqlite3_column_int64(row, 5);
    double value = sqlite3_column_double(row, 4) * sqlite3_column_double(row, 6);

    if (sqlite3_column_int(row, 3))
        return -1;
    if (reader->per_call)
        value = calls > 0 ? value / (double)calls : 0;
    return isfinite(value) && value > 0 ? value : 0;
}

static int take_rows(const struct fl_history_reader *reader, sqlite3_stmt *row,
                     struct fl_history_list *list, struct fl_err *err)
{
    int rc;

    list->count = 0;
    while ((rc = fl_db_step(reader->store, row, err)) > 0) {
        if (list->count == list->room && grow(list)) {
            fl_db_reset(row);
            return fl_fail(err, -ENOMEM, "cannot read the history: out of memory");
        }
        list->items[list->count++] =
            (struct fl_history_round){.run = sqlite3_column_int64(row, 0),
                                      .cell = sqlite3_column_int64(row, 1),
                                      .round = sqlite3_column_int64(row, 2),
                                      .value = value_of(reader, row)};
    }
    return rc;
}

/* ---- all cells ---- */

static int compare_rounds(const void *a, const void *b)
{
    const struct fl_history_round *x = a, *y = b;

    if (x->run != y->run)
        return x->run < y->run ? -1 : 1;
    if (x->cell != y->cell)
        return x->cell < y->cell ? -1 : 1;
    return (x->round > y->round) - (x->round < y->round);
}

/* Ids of runs are mostly dense: a pass that counts and one that moves leave runs to be sorted. */
static int sort_rounds(struct fl_history_list *all)
{
    int64_t least = INT64_MAX, most = 0;

    for (size_t i = 0; i < all->count; i++) {
        least = all->items[i].run < least ? all->items[i].run : least;
        most = all->items[i].run > most ? all->items[i].run : most;
    }
    if (all->count == 0)
        return 0;
    if (least < 0 || (size_t)(most - least) >= all->count) {
        qsort(all->items, all->count, sizeof(*all->items), compare_rounds);
        return 0;
    }
    const size_t runs = (size_t)(most - least) + 1;
    size_t *ends = calloc(runs + 1, sizeof(*ends));
    struct fl_history_round *sorted = malloc(all->count * sizeof(*sorted));
    if (!ends || !sorted) {
        free(ends);
        free(sorted);
        return -ENOMEM;
    }
    for (size_t i = 0; i < all->count; i++)
        ends[all->items[i].run - least + 1]++;
    for (size_t i = 1; i <= runs; i++)
        ends[i] += ends[i - 1];
    for (size_t i = 0; i < all->count; i++)
        sorted[ends[all->items[i].run - least]++] = all->items[i];
    for (size_t i = 0, from = 0; i < runs; from = ends[i++])
        qsort(sorted + from, ends[i] - from, sizeof(*sorted), compare_rounds);
    free(ends);
    free(all->items);
    *all = (struct fl_history_list){sorted, all->count, all->count};
    return 0;
}

int fl_history_read_all(struct fl_history_reader *reader, struct fl_err *err)
{
    static const char select[] = COLUMNS "ORDER BY sample.id";
    struct fl_history_list *all = &reader->all;
    sqlite3_stmt *row;
    int rc = fl_db_bind(reader->store, select, &row, err, "i", reader->metric);

    if (!rc)
        rc = take_rows(reader, row, all, err);
    if (!rc && sort_rounds(all))
        rc = fl_fail(err, -ENOMEM, "cannot read the history: out of memory");
    return rc;
}

/* The first that is not ahead of the cell's first round. */
static size_t find(const struct fl_history_list *all, int64_t run, int64_t cell)
{
    const struct fl_history_round wanted = {.run = run, .cell = cell, .round = -1};
    size_t low = 0, high = all->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_rounds(&all->items[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct fl_history_rounds rounds_among(const struct fl_history_list *all, int64_t run,
                                             int64_t cell)
{
    const size_t from = find(all, run, cell);
    size_t to = from;

    while (to < all->count && all->items[to].run == run && all->items[to].cell == cell)
        to++;
    return (struct fl_history_rounds){all->items + from, to - from};
}

/* ---- one cell ---- */

static int read_rounds(struct fl_history_reader *reader, int64_t run, int64_t cell,
                       struct fl_history_list *list, struct fl_history_rounds *out,
                       struct fl_err *err)
{
    static const char select[] = COLUMNS "AND run = ? AND cell = ? ORDER BY round";
    sqlite3_stmt *row;
    int rc = 0;

    if (reader->all.items) {
        *out = rounds_among(&reader->all, run, cell);
    } else {
        rc = fl_db_bind(reader->store, select, &row, err, "iii", reader->metric, run, cell);
        if (!rc)
            rc = take_rows(reader, row, list, err);
        *out = (struct fl_history_rounds){list->items, list->count};
    }
    for (size_t i = 0; i < out->count; i++)
        if (out->items[i].value < 0)
            *out = (struct fl_history_rounds){NULL, 0};
    return rc;
}

/* ---- centres ---- */

static int make_room(struct fl_history_reader *reader, size_t room)
{
    if (reader->room >= room)
        return 0;
    double *numbers = realloc(reader->numbers, room * sizeof(*numbers));
    if (!numbers)
        return -ENOMEM;
    reader->numbers = numbers;
    reader->room = room;
    return 0;
}

/* The order statistics about the middle that hold the median in 95 of 100 cases. */
static void bound_median(const double *sorted, size_t count, struct fl_history_value *value)
{
    double chance = pow(0.5, (double)count), below = 0;
    size_t k = 0;

    if (count < 6 || count > 1000)
        return;
    while (below + chance <= 0.025) {
        below += chance;
        chance *= (double)(count - k) / (double)(k + 1);
        k++;
    }
    value->low = sorted[k - 1];
    value->high = sorted[count - k];
}

static void take_median(struct fl_history_reader *reader, const struct fl_history_rounds *head,
                        struct fl_history_value *value)
{
    size_t count = 0;

    for (size_t i = 0; i < head->count; i++)
        if (head->items[i].value > 0)
            reader->numbers[count++] = head->items[i].value;
    if (count == 0)
        return;
    value->median = fl_reals_median(reader->numbers, count);
    bound_median(reader->numbers, count, value);
}

static size_t pair(struct fl_history_reader *reader, const struct fl_history_rounds *base,
                   const struct fl_history_rounds *head)
{
    size_t i = 0, k = 0, count = 0;

    while (i < base->count && k < head->count && count < FL_SIGNED_RANK_MAX) {
        const struct fl_history_round *x = &base->items[i], *y = &head->items[k];
        if (x->round == y->round && x->value > 0 && y->value > 0)
            reader->numbers[count++] = log(y->value / x->value);
        i += x->round <= y->round;
        k += y->round <= x->round;
    }
    return count;
}

static int take_ratio(struct fl_history_reader *reader, size_t count,
                      struct fl_history_value *value)
{
    struct fl_shift shift;

    value->low = value->high = (double)NAN;
    if (count == 0)
        return 0;
    int rc = fl_signed_rank_shift(reader->numbers, count, &shift);
    if (rc)
        return rc;
    value->ratio = exp(shift.estimate);
    value->low = exp(shift.low);
    value->high = exp(shift.high);
    return 0;
}

int fl_history_value_read(struct fl_history_reader *reader, const struct fl_history_point *point,
                          int64_t base_cell, struct fl_history_value *value, struct fl_err *err)
{
    struct fl_history_rounds base = {NULL, 0}, head;
    int rc = read_rounds(reader, point->run, value->cell, &reader->read[1], &head, err);

    if (!rc && base_cell)
        rc = read_rounds(reader, point->base, base_cell, &reader->read[0], &base, err);
    if (rc)
        return rc;
    rc = make_room(reader, head.count + 1);
    if (!rc)
        take_median(reader, &head, value);
    if (!rc && base_cell)
        rc = take_ratio(reader, pair(reader, &base, &head), value);
    return rc ? fl_fail(err, rc, "cannot read the history: %s", strerror(-rc)) : 0;
}
