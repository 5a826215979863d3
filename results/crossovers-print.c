/* SPDX-License-Identifier: Apache-2.0 */
/* Crossovers as text: a row a group, then the predictor's worst losses. */
#include <math.h>
#include <string.h>

#include "page.h"
#include "results/crossovers.h"

#define LOSS_LIMIT 1.10

enum { COLUMNS = 7, LOSS_COLUMNS = 5, WORST = 5 };

struct view {
    const struct fl_crossovers *all;
    struct fl_page page;
};

static const char *whole(struct view *view, const char *before, double value)
{
    return fl_page_text(&view->page, "%s%.0f", before, value);
}

/* ---- crossovers ---- */

static const char *beyond(const struct fl_crossover *c, const char *below, const char *above)
{
    return c->place == FL_CROSSOVER_BELOW ? below : c->place == FL_CROSSOVER_ABOVE ? above : "";
}

/* What makes a crossover less than it seems; NULL: nothing. */
static const char *doubt(struct view *view, const struct fl_crossover *c)
{
    const struct fl_crossovers *all = view->all;

    if (c->misjudged)
        return fl_page_text(&view->page, "%zu of %zu places on the wrong side: noise", c->misjudged,
                            c->points);
    if (c->place == FL_CROSSOVER_ABOVE && c->low < all->to)
        return fl_page_text(&view->page, "the search did not come to %.0f", all->to);
    if (c->place == FL_CROSSOVER_BELOW && c->high > all->from)
        return fl_page_text(&view->page, "the search did not come to %.0f", all->from);
    /* Places are whole numbers: half of one is added to a step at either end. */
    if (c->place == FL_CROSSOVER_BETWEEN && c->high - 0.5 > (c->low + 0.5) * all->step)
        return "the search did not end: its neighbours are further apart than its steps";
    return NULL;
}

static const char *crossover_text(struct view *view, const struct fl_crossover *c)
{
    const char *why = doubt(view, c), *text = whole(view, beyond(c, "below ", "above "), c->at);

    return why ? fl_page_text(&view->page, "%s %s", fl_page_note(&view->page, why), text) : text;
}

static const char *prediction_text(struct view *view, const struct fl_crossover *c)
{
    if (c->predicted > 0)
        return isinf(c->predicted) ? "never" : whole(view, "", c->predicted);
    return c->reason ? fl_page_note(&view->page, c->reason) : "-";
}

static const char *match_text(const struct fl_crossover *c)
{
    static const char *const texts[] = {"yes", "no", "same side", "open", "-"};

    return texts[fl_crossover_match(c)];
}

static void fill_crossover(struct view *view, struct fl_table *table, size_t row,
                           const struct fl_crossover *c)
{
    const char **texts = fl_table_text(table, row, 0);

    for (size_t i = 0; i < view->all->factor_count; i++)
        texts[i] = fl_page_safe(&view->page, c->levels[i]);
    texts += view->all->factor_count;
    if (c->place == FL_CROSSOVER_NOWHERE) {
        texts[2] = fl_page_note(&view->page, c->reason);
        return;
    }
    texts[0] = c->low > 0 ? whole(view, "", c->low) : "-";
    texts[1] = c->high > 0 ? whole(view, "", c->high) : "-";
    texts[2] = crossover_text(view, c);
    texts[3] = c->bytes > 0 ? whole(view, beyond(c, "<", ">"), c->bytes) : "-";
    if (!*view->all->predictor)
        return;
    texts[4] = prediction_text(view, c);
    texts[5] =
        c->predicted > 0 && isfinite(c->predicted) && c->bytes > 0
            ? fl_page_text(&view->page, "%s%.2f", beyond(c, "<", ">"), c->bytes / c->predicted)
            : "-";
    texts[6] = match_text(c);
}

static void fill_factors(struct view *view, const char **heads)
{
    for (size_t i = 0; i < view->all->factor_count; i++)
        heads[i] = fl_page_safe(&view->page, view->all->factors[i]);
}

static int print_crossovers(struct view *view)
{
    const struct fl_crossovers *all = view->all;
    const char *search = fl_page_safe(&view->page, all->search);
    const char *titles[COLUMNS] = {
        fl_page_text(&view->page, "%s to", fl_page_safe(&view->page, all->first)),
        fl_page_text(&view->page, "%s from", fl_page_safe(&view->page, all->second)),
        "crossover",
        "traffic",
        "predicted",
        "measured /",
        "within"};
    const char *units[COLUMNS] = {search,  search,      search,     "bytes",
                                  "bytes", "predicted", "0.75-1.33"};
    size_t labels = all->factor_count;
    const char **heads =
        fl_arena_alloc(&view->page.arena, (labels + COLUMNS) * sizeof(const char *), 16);
    struct fl_table table = {.labels = labels,
                             .groups = *all->predictor ? COLUMNS : 4,
                             .each = 1,
                             .rows = all->count,
                             .title_lines = 1};

    if (!heads)
        return fl_page_out_of_memory(&view->page);
    fill_factors(view, heads);
    memcpy(heads + labels, units, sizeof(units));
    putc('\n', view->page.out);
    int rc = fl_page_table(&view->page, &table, titles, heads);
    for (size_t i = 0; i < all->count && !rc; i++)
        fill_crossover(view, &table, i, &all->groups[i]);
    return rc ? rc : fl_page_print(&view->page, &table);
}

static void print_matches(struct view *view)
{
    size_t counts[FL_CROSSOVER_UNMATCHED + 1] = {0};
    size_t found = 0;

    for (size_t i = 0; i < view->all->count; i++) {
        const struct fl_crossover *c = &view->all->groups[i];
        found += c->place == FL_CROSSOVER_BETWEEN;
        counts[fl_crossover_match(c)]++;
    }
    fprintf(view->page.out,
            "\n%zu of %zu crossovers lie inside the search, %zu of them within 0.75-1.33 of what "
            "'%s' predicted",
            found, view->all->count, counts[FL_CROSSOVER_WITHIN],
            fl_page_safe(&view->page, view->all->predictor));
    if (counts[FL_CROSSOVER_SAME_SIDE])
        fprintf(view->page.out, "; %zu beyond an end, as predicted",
                counts[FL_CROSSOVER_SAME_SIDE]);
    putc('\n', view->page.out);
}

/* ---- losses ---- */

static const char *ratio_text(struct view *view, double ratio)
{
    return isnan(ratio) ? "-" : fl_page_text(&view->page, "%.3f", ratio);
}

static void fill_loss(struct view *view, struct fl_table *table, size_t row,
                      const struct fl_crossover_loss *loss)
{
    const char **texts = fl_table_text(table, row, 0);

    for (size_t i = 0; i < view->all->factor_count; i++)
        *texts++ = fl_page_safe(&view->page, view->all->groups[loss->group].levels[i]);
    *texts++ = whole(view, "", loss->at);
    *texts++ = fl_page_safe(&view->page, loss->better);
    *texts++ = ratio_text(view, loss->paired.median);
    *texts++ = ratio_text(view, loss->paired.low);
    *texts++ = ratio_text(view, loss->paired.high);
    *texts = fl_page_text(&view->page, "%zu", loss->paired.rounds);
}

static void print_losers(struct view *view)
{
    const struct fl_crossovers *all = view->all;
    size_t losers = 0, clear = 0;

    for (size_t i = 0; i < all->loss_count; i++) {
        losers += all->losses[i].paired.median > LOSS_LIMIT;
        clear += all->losses[i].paired.low > LOSS_LIMIT;
    }
    fprintf(view->page.out,
            "\n'%s' against the better of '%s' and '%s': %zu of %zu places lose "
            "more than 10 %%, %zu of them with the whole interval\n",
            fl_page_safe(&view->page, all->predictor), fl_page_safe(&view->page, all->first),
            fl_page_safe(&view->page, all->second), losers, all->loss_count, clear);
}

static int print_losses(struct view *view)
{
    const struct fl_crossovers *all = view->all;
    const char *titles[LOSS_COLUMNS] = {"better", "ratio", "95 % from", "to", "rounds"};
    size_t labels = all->factor_count + 1;
    const char **heads =
        fl_arena_alloc(&view->page.arena, (labels + LOSS_COLUMNS) * sizeof(const char *), 16);
    struct fl_table table = {.labels = labels,
                             .groups = LOSS_COLUMNS,
                             .each = 1,
                             .rows = all->loss_count < WORST ? all->loss_count : WORST,
                             .title_lines = 1};

    if (!heads)
        return fl_page_out_of_memory(&view->page);
    print_losers(view);
    fill_factors(view, heads);
    heads[labels - 1] = fl_page_safe(&view->page, all->search);
    int rc = fl_page_table(&view->page, &table, titles, heads);
    for (size_t i = 0; i < table.rows && !rc; i++)
        fill_loss(view, &table, i, &all->losses[i]);
    return rc ? rc : fl_page_print(&view->page, &table);
}

/* ---- all ---- */

static int print_all(struct view *view)
{
    const struct fl_crossovers *all = view->all;

    fl_page_begin(&view->page, all->title, all->shared);
    int rc = print_crossovers(view);
    if (rc || !*all->predictor)
        return rc;
    print_matches(view);
    return all->loss_count ? print_losses(view) : 0;
}

int fl_crossovers_print(const struct fl_crossovers *crossovers, size_t width, FILE *out,
                        struct fl_err *err)
{
    struct view view = {.all = crossovers, .page = {.width = width, .out = out, .err = err}};

    return fl_page_end(&view.page, print_all(&view));
}
