/* SPDX-License-Identifier: Apache-2.0 */
/* An explanation as text: a line a variant, and the sentences that follow from them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "results/explanation.h"
#include "results/text.h"

enum { LABELS = 2, NUMBERS = 4, SENTENCE_WIDTH = 100 };

#define RULED_OUT 0.05 /* "nothing wrong" says that no removal gains more than this */

static const char joint_name[] = "all that is memory";

/* ---- the table ---- */

static const char *percent(struct fl_page *page, double share)
{
    return isnan(share) ? "-" : fl_page_text(page, "%.0f %%", rint(share * 100) + 0.0);
}

static const char *count_text(struct fl_page *page, double count)
{
    if (isnan(count))
        return "-";
    return count == rint(count) && count < 1e9 ? fl_page_text(page, "%.0f", count)
                                               : fl_page_number(page, count);
}

static void fill_counts(struct fl_page *page, const struct fl_explanation *out, size_t cell,
                        const char **texts)
{
    for (size_t k = 0; k < out->counter_count; k++)
        texts[k] = count_text(page, out->counts[cell * out->counter_count + k]);
}

static const char *mark(struct fl_page *page, const struct fl_explain_row *row)
{
    if (row->verdict == FL_EXPLAIN_MISSING)
        return fl_page_note(page, fl_page_safe(page, row->reason));
    if (row->verdict == FL_EXPLAIN_UNSEEN && row->variant->suspect)
        return fl_page_note(page, "faster, and no counter that could tell why fell");
    if (row->verdict == FL_EXPLAIN_CAUSE && row->tied)
        return fl_page_note(page, "cannot be told from the first");
    return "";
}

static void fill_row(struct fl_page *page, const struct fl_explanation *out,
                     const struct fl_explain_row *row, const char **texts)
{
    const struct fl_testimony *suspect = row->variant->suspect;
    const char *note = mark(page, row);

    texts[0] = suspect ? suspect->name : joint_name;
    texts[1] = fl_page_safe(page, row->variant->change);
    texts[2] = row->time > 0 ? fl_page_number(page, row->time) : "-";
    texts[3] = percent(page, row->recovered.estimate);
    if (*note)
        texts[3] = fl_page_text(page, "%s %s", texts[3], note);
    texts[4] = percent(page, row->recovered.low);
    texts[5] = percent(page, row->recovered.high);
    fill_counts(page, out, row->cell, texts + LABELS + NUMBERS);
}

static int print_table(struct fl_page *page, const struct fl_explanation *out)
{
    static const char *const numbers[] = {"ns a call", "recovered", "95 % from", "to"};
    size_t columns = NUMBERS + out->counter_count;
    struct fl_table table = {
        .labels = LABELS, .groups = columns, .each = 1, .rows = out->count + 1};
    const char **heads = fl_arena_alloc(&page->arena, (LABELS + columns) * sizeof(*heads), 16);
    int rc;

    if (!heads)
        return fl_page_out_of_memory(page);
    heads[0] = "removed";
    heads[1] = "by";
    memcpy(heads + LABELS, numbers, sizeof(numbers));
    for (size_t k = 0; k < out->counter_count; k++)
        heads[LABELS + NUMBERS + k] = fl_page_safe(page, out->counters[k]);
    rc = fl_page_table(page, &table, heads, heads);
    if (rc)
        return rc;
    const char **texts = fl_table_text(&table, 0, 0);
    texts[0] = "nothing";
    texts[1] = "";
    texts[2] = fl_page_number(page, out->time);
    fill_counts(page, out, 0, texts + LABELS + NUMBERS);
    for (size_t i = 0; i < out->count; i++)
        fill_row(page, out, &out->rows[i], fl_table_text(&table, i + 1, 0));
    return fl_page_print(page, &table);
}

/* ---- sentences ---- */

/* A paragraph, broken between words. */
static void print_words(struct fl_page *page, const char *text)
{
    size_t width = page->width && page->width < SENTENCE_WIDTH ? page->width : SENTENCE_WIDTH;
    size_t column = 0;

    while (*text) {
        size_t length = strcspn(text, " ");
        if (column && column + 1 + length > width)
            column = 0, putc('\n', page->out);
        fprintf(page->out, "%s%.*s", column ? " " : "", (int)length, text);
        column += length + (column > 0);
        text += length + (text[length] == ' ');
    }
    putc('\n', page->out);
}

static const char *range_text(struct fl_page *page, const struct fl_range *range)
{
    if (isnan(range->low) || range->low == range->high)
        return fl_page_text(page, "%.0f %%", range->estimate * 100);
    return fl_page_text(page, "%.0f %% (%.0f to %.0f)", range->estimate * 100, range->low * 100,
                        range->high * 100);
}

static bool names(const struct fl_testimony *suspect, const char *counter)
{
    for (const char *const *c = suspect->convicts; *c; c++)
        if (strcmp(*c, counter) == 0)
            return true;
    for (const char *const *c = suspect->also; *c; c++)
        if (strcmp(*c, counter) == 0)
            return true;
    return false;
}

/* `minor-faults 112 -> 0, brk-calls 3 -> 0`: of the suspect's counters those that fell. */
static const char *falls(struct fl_page *page, const struct fl_explanation *out,
                         const struct fl_explain_row *row)
{
    const char *text = "";

    for (size_t k = 0; k < out->counter_count; k++) {
        double before = out->counts[k], after = out->counts[row->cell * out->counter_count + k];
        if (names(row->variant->suspect, out->counters[k]) && after < before)
            text = fl_page_text(page, "%s%s%s %s -> %s", text, *text ? ", " : "",
                                fl_page_safe(page, out->counters[k]), count_text(page, before),
                                count_text(page, after));
    }
    return text;
}

/* What one event costs, by the counter that fell by most. */
static const char *price(struct fl_page *page, const struct fl_explanation *out,
                         const struct fl_explain_row *row)
{
    double most = 0;
    const char *counter = NULL;

    for (size_t k = 0; k < out->counter_count; k++) {
        double fell = out->counts[k] - out->counts[row->cell * out->counter_count + k];
        if (names(row->variant->suspect, out->counters[k]) && fell > most)
            most = fell, counter = out->counters[k];
    }
    return counter ? fl_page_text(page, ": %s ns for each of %s",
                                  fl_page_number(page, (out->time - row->time) / most),
                                  fl_page_safe(page, counter))
                   : "";
}

static void print_first(struct fl_page *page, const struct fl_explanation *out)
{
    const struct fl_explain_row *row = &out->rows[0];
    const struct fl_testimony *suspect = row->variant->suspect;

    print_words(page, fl_page_text(page, "Cause: %s.", suspect->cause));
    print_words(page,
                fl_page_text(page, "Evidence: %s recovers %s of the loss, with %s per call%s.",
                             fl_page_safe(page, row->variant->change),
                             range_text(page, &row->recovered), falls(page, out, row),
                             price(page, out, row)));
    print_words(page, fl_page_text(page, "Cure: %s.", suspect->cure));
}

static const char *list_causes(struct fl_page *page, const struct fl_explanation *out, bool tied)
{
    const char *text = "";

    for (size_t i = 1; i < out->causes; i++)
        if (out->rows[i].tied == tied)
            text = fl_page_text(page, "%s%s%s (%.0f %%)", text, *text ? ", " : "",
                                fl_page_safe(page, out->rows[i].variant->change),
                                out->rows[i].recovered.estimate * 100);
    return text;
}

/* What else recovers something, and what is known of the order. */
static void print_others(struct fl_page *page, const struct fl_explanation *out)
{
    const char *tied = list_causes(page, out, true), *apart = list_causes(page, out, false);

    if (*tied)
        print_words(page, fl_page_text(page,
                                       "Order: %s cannot be told from %s; the narrowest change "
                                       "stands first.",
                                       tied, fl_page_safe(page, out->rows[0].variant->change)));
    if (*apart)
        print_words(page, fl_page_text(page, "Counters fall, and time with them, by these too: %s.",
                                       apart));
}

static bool some_unseen(const struct fl_explanation *out)
{
    for (size_t i = 0; i < out->count; i++)
        if (out->rows[i].verdict == FL_EXPLAIN_UNSEEN && out->rows[i].variant->suspect)
            return true;
    return false;
}

/* The slow cell's counters that are above 0. */
static const char *list_counts(struct fl_page *page, const struct fl_explanation *out)
{
    const char *text = "";

    for (size_t k = 0; k < out->counter_count; k++)
        if (out->counts[k] > 0)
            text = fl_page_text(page, "%s%s%s %s", text, *text ? ", " : "",
                                fl_page_safe(page, out->counters[k]),
                                count_text(page, out->counts[k]));
    return text;
}

/* The narrowest change with which a counter that testifies fell, however long it took. */
static const struct fl_explain_row *find_fall(const struct fl_explanation *out)
{
    const struct fl_explain_row *found = NULL;

    for (size_t i = 0; i < out->count; i++)
        if (out->rows[i].fell && (!found || out->rows[i].variant < found->variant))
            found = &out->rows[i];
    return found;
}

/* Why the times do not tell. */
static const char *unresolved(struct fl_page *page, const struct fl_explanation *out)
{
    if (out->rounds < out->needed)
        return fl_page_text(page,
                            "Too few rounds: of so many variants nothing can be told below %zu "
                            "rounds.",
                            out->needed);
    if (out->reference)
        return "Not resolved: all that is memory together is faster, and no change by itself can "
               "be told from none. Measure more rounds (--rounds), or when less else is running.";
    return fl_page_text(page,
                        "Not resolved: no removal is certainly more than %g %% faster, and a gain "
                        "of up to %.0f %% is not ruled out. Measure more rounds (--rounds), or "
                        "when less else is running.",
                        out->tolerance * 100, out->possible * 100);
}

/* Counts are as good as ever where times are not. */
static void print_unresolved(struct fl_page *page, const struct fl_explanation *out)
{
    const struct fl_explain_row *fall = find_fall(out);

    print_words(page, unresolved(page, out));
    if (fall)
        print_words(page, fl_page_text(page, "By counts alone, %s removes something: %s per call.",
                                       fl_page_safe(page, fall->variant->change),
                                       falls(page, out, fall)));
}

static void print_nothing(struct fl_page *page, const struct fl_explanation *out)
{
    const char *counts = list_counts(page, out);
    bool loose = out->possible > fmax(RULED_OUT, out->tolerance);

    if (some_unseen(out))
        print_words(page, "No cause found: something is faster, and no counter that could tell why "
                          "fell. Where memory lies and what the caches do is not counted.");
    else if (out->rounds < out->needed || out->reference || loose)
        print_unresolved(page, out);
    else if (*counts)
        print_words(page, fl_page_text(page,
                                       "Nothing wrong: no removal is more than %g %% faster. What "
                                       "is counted costs nothing that can be seen here: %s.",
                                       out->tolerance * 100, counts));
    else
        print_words(page, fl_page_text(page,
                                       "Nothing wrong: no removal is more than %g %% faster, "
                                       "and the counters are at 0.",
                                       out->tolerance * 100));
}

static void print_loss(struct fl_page *page, const struct fl_explanation *out)
{
    const struct fl_range *ratio = &out->loss;

    if (!out->reference)
        return;
    /* Of the cell's time, what the reference does not take. */
    struct fl_range lost = {-expm1(ratio->estimate), -expm1(ratio->high), -expm1(ratio->low)};
    print_words(page,
                fl_page_text(page, "Loss: %s of its time, against %s%s.", range_text(page, &lost),
                             out->reference->suspect ? "" : "memory that costs nothing, ",
                             fl_page_safe(page, out->reference->change)));
}

static int print_found(struct fl_page *page, const struct fl_explanation *out)
{
    int rc = print_table(page, out);

    if (rc)
        return rc;
    putc('\n', page->out);
    print_loss(page, out);
    if (out->causes) {
        print_first(page, out);
        print_others(page, out);
    } else {
        print_nothing(page, out);
    }
    return 0;
}

int fl_explanation_print(const struct fl_explanation *explanation, size_t width, bool bold,
                         FILE *out, struct fl_err *err)
{
    struct fl_page page = {.width = width, .bold = bold, .out = out, .err = err};
    int rc = 0;

    fl_page_begin(&page,
                  fl_page_text(&page, "run %lld, %zu rounds: one suspect removed at a time",
                               (long long)explanation->run, explanation->rounds),
                  "");
    fprintf(out, "%s\n\n", fl_page_safe(&page, explanation->key));
    if (explanation->trouble)
        fprintf(out, "The cell itself was not measured: %s\n",
                fl_page_safe(&page, explanation->trouble));
    else
        rc = print_found(&page, explanation);
    return fl_page_end(&page, rc);
}
