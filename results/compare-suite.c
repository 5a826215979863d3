/* SPDX-License-Identifier: Apache-2.0 */
#include "compare-suite.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/suite.h"

/* One column a cell, one row a round of the first cell: a round that it lacks is not full. */
struct grid {
    double *losses;
    int64_t *rounds;
    size_t round_count, cell_count;
    double *one; /* losses and rounds of the cell at hand */
    int64_t *one_rounds;
};

static bool comparable(const struct fl_suite_of *of, const struct fl_match *match)
{
    return !of->apart[match - of->matches->items] &&
           fl_match_comparable(fl_match_cell(of->base, match->base),
                               fl_match_cell(of->head, match->head));
}

static const struct fl_round_row *base_rounds(const struct fl_suite_of *of,
                                              const struct fl_match *match)
{
    return fl_verdict_rounds(of->metric, &of->base->cells[match->base].items[of->base_metric]);
}

static size_t losses_of(const struct fl_suite_of *of, const struct fl_match *match,
                        struct grid *grid)
{
    const struct fl_round_row *head =
        fl_verdict_rounds(of->metric, &of->head->cells[match->head].items[of->head_metric]);

    return fl_verdict_losses(of->metric, base_rounds(of, match), head, grid->one, grid->one_rounds);
}

static void measure(const struct fl_suite_of *of, size_t *cells, size_t *rounds)
{
    *cells = *rounds = 0;
    for (size_t i = 0; i < of->matches->count; i++) {
        const struct fl_match *match = &of->matches->items[i];
        if (!comparable(of, match))
            continue;
        size_t count = base_rounds(of, match)->count;
        *rounds = count > *rounds ? count : *rounds;
        ++*cells;
    }
}

static void fill_column(struct grid *grid, size_t column, size_t count)
{
    for (size_t i = 0, k = 0; i < grid->round_count; i++) {
        while (k < count && grid->one_rounds[k] < grid->rounds[i])
            k++;
        bool has = k < count && grid->one_rounds[k] == grid->rounds[i];
        grid->losses[i * grid->cell_count + column] = has ? grid->one[k] : (double)NAN;
    }
}

static void fill(const struct fl_suite_of *of, struct grid *grid)
{
    size_t column = 0;

    for (size_t i = 0; i < of->matches->count; i++) {
        if (!comparable(of, &of->matches->items[i]))
            continue;
        size_t count = losses_of(of, &of->matches->items[i], grid);
        if (!column) {
            grid->round_count = count;
            memcpy(grid->rounds, grid->one_rounds, count * sizeof(*grid->rounds));
        }
        fill_column(grid, column++, count);
    }
}

int fl_compare_suite(const struct fl_suite_of *of, double **means, size_t *count)
{
    struct fl_arena arena = {.blocks = NULL};
    size_t cells, most;
    int rc = -ENOMEM;

    measure(of, &cells, &most);
    struct grid grid = {
        .cell_count = cells,
        .losses = fl_arena_alloc(&arena, (most * cells + 1) * sizeof(*grid.losses), 16),
        .rounds = fl_arena_alloc(&arena, (most + 1) * sizeof(*grid.rounds), 16),
        .one = fl_arena_alloc(&arena, (most + 1) * sizeof(*grid.one), 16),
        .one_rounds = fl_arena_alloc(&arena, (most + 1) * sizeof(*grid.one_rounds), 16),
    };
    *means = malloc((most + 1) * sizeof(**means));
    if (*means && grid.losses && grid.rounds && grid.one && grid.one_rounds) {
        fill(of, &grid);
        *count = fl_suite_means(grid.losses, grid.round_count, cells, *means);
        rc = 0;
    }
    fl_arena_release(&arena);
    return rc;
}
