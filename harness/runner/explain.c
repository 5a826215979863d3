/* SPDX-License-Identifier: Apache-2.0 */
/* Variants of a cell, and the scenario that measures them. */
#include "runner/explain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/ini-text.h"
#include "results/text.h"
#include "runner/suspects.h"

enum { LINE = FL_INI_LINE_MAX - 8 };

static int out_of_memory(struct fl_err *err)
{
    return fl_fail(err, -ENOMEM, "out of memory");
}

/* ---- variants ---- */

/* Levels of a cell, some of them replaced. */
struct levels {
    const char *factors[2 * FL_CELL_LEVELS], *texts[2 * FL_CELL_LEVELS];
    char store[FL_SUSPECT_REMOVALS][2][64]; /* of the replacements */
    size_t count;
};

/* Puts the levels of `change` in front. */
static void take_change(struct levels *levels, const char *change)
{
    char(*at)[64] = levels->store[0];
    while (levels->count < FL_SUSPECT_REMOVALS &&
           fl_cell_split(&change, at[0], sizeof at[0], at[1], sizeof at[1], NULL) > 0) {
        levels->factors[levels->count] = at[0];
        levels->texts[levels->count++] = at[1];
        at = levels->store[levels->count];
    }
}

static void take_rest(struct levels *levels, const struct fl_cell *cell)
{
    size_t changed = levels->count, same;
    for (size_t i = 0; i < cell->count; i++) {
        for (same = 0; same < changed; same++)
            if (!strcmp(cell->levels[i].factor->name, levels->factors[same]))
                break;
        if (same < changed)
            continue;
        levels->factors[levels->count] = cell->levels[i].factor->name;
        levels->texts[levels->count++] = cell->levels[i].text;
    }
}

/* 1: the cell with those levels; 0: there is no such cell. */
static int change_cell(const struct fl_cell *cell, const char *change, char key[FL_CELL_KEY_MAX])
{
    struct levels levels = {.count = 0};
    struct fl_cell changed;
    struct fl_err ignored; /* that levels do not go together means that nothing is removed so */
    take_change(&levels, change);
    take_rest(&levels, cell);
    return !fl_cell_resolve(&changed, levels.factors, levels.texts, levels.count, &ignored) &&
           !fl_cell_key(&changed, key, FL_CELL_KEY_MAX);
}

static bool is_new(const struct fl_explain_plan *plan, const char *key)
{
    for (size_t i = 0; i < plan->count; i++)
        if (!strcmp(plan->variants[i].key, key))
            return false;
    return strcmp(plan->key, key) != 0;
}

static int add(struct fl_explain_plan *plan, const struct fl_cell *cell,
               const struct fl_variant *variant, struct fl_err *err)
{
    char key[FL_CELL_KEY_MAX];
    if (!change_cell(cell, variant->change, key) || !is_new(plan, key) ||
        plan->count == FL_EXPLAIN_VARIANTS)
        return 0;
    char *copy = fl_text_copy(&plan->arena, key);
    if (!copy)
        return out_of_memory(err);
    plan->variants[plan->count] = *variant;
    plan->variants[plan->count++].key = copy;
    return 0;
}

static int add_suspect(struct fl_explain_plan *plan, const struct fl_cell *cell,
                       const struct fl_suspect *suspect, struct fl_err *err)
{
    int rc = 0;
    if (!fl_suspect_fits(suspect, cell))
        return 0;
    for (const char *const *change = suspect->removals; *change && !rc; change++) {
        const struct fl_variant variant = {&suspect->testimony, *change, NULL, suspect->memory};
        rc = add(plan, cell, &variant, err);
    }
    return rc;
}

int fl_explain_plan_make(const char *cell, struct fl_explain_plan *out, struct fl_err *err)
{
    static const struct fl_variant joint = {NULL, FL_SUSPECTS_JOINT, NULL, false};
    struct fl_cell subject;
    *out = (struct fl_explain_plan){.count = 0};
    int rc = fl_cell_parse(&subject, cell, err);
    if (!rc && fl_cell_key(&subject, out->key, sizeof out->key))
        rc = fl_fail(err, -EINVAL, "a cell's key is longer than %zu bytes", sizeof out->key - 1);
    for (const struct fl_suspect *s = fl_suspects; s->where && !rc; s++)
        rc = add_suspect(out, &subject, s, err);
    if (!rc && fl_cell_get(&subject, "workspace"))
        rc = add(out, &subject, &joint, err);
    if (rc)
        fl_explain_plan_release(out);
    return rc;
}

void fl_explain_plan_release(struct fl_explain_plan *plan)
{
    fl_arena_release(&plan->arena);
    plan->count = 0;
}

/* ---- scenario ---- */

/* Length of the first word of a key: up to a space that is not in quotes. */
static size_t word_length(const char *text)
{
    bool quoted = false;
    size_t i = 0;
    for (; text[i] && (quoted || text[i] != ' '); i++) {
        if (quoted && text[i] == '\\' && text[i + 1])
            i++;
        else if (text[i] == '"')
            quoted = !quoted;
    }
    return i;
}

/* On lines as long as a scenario may have. */
static int print_key(FILE *out, const char *key, struct fl_err *err)
{
    size_t used = 0;
    while (*key) {
        size_t length = word_length(key);
        if (length > LINE)
            return fl_fail(err, -E2BIG, "a level of %zu bytes has no room in a scenario: %.80s ...",
                           length, key);
        bool wraps = used && used + 1 + length > LINE;
        fprintf(out, "%s%.*s", wraps ? "\n    " : used ? " " : "", (int)length, key);
        used = (wraps ? 0 : used + 1) + length;
        key += length + (key[length] == ' ');
    }
    putc('\n', out);
    return 0;
}

static bool wants(const struct fl_testimony *suspect, const char *metric)
{
    for (size_t i = 0; i < FL_EXPLAIN_COUNTERS; i++)
        if ((suspect->convicts[i] && !strcmp(suspect->convicts[i], metric)) ||
            (suspect->also[i] && !strcmp(suspect->also[i], metric)))
            return true;
    return false;
}

/* In an order that groups what belongs together. */
static void print_metrics(FILE *out, const struct fl_explain_plan *plan)
{
    static const char *const metrics[] = {"minor-faults",
                                          "brk-calls",
                                          "mmap-calls",
                                          "munmap-calls",
                                          "madvise-calls",
                                          "malloc-calls",
                                          "pthread-mutex-locks",
                                          "pthread-mutex-contended",
                                          "futex-calls",
                                          "sleeps",
                                          "wake-ups",
                                          "rmws-per-phase",
                                          "barrier-share",
                                          "involuntary-switches",
                                          "process-voluntary-switches",
                                          "process-involuntary-switches"};
    fputs("metrics = time", out);
    for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++)
        for (size_t i = 0; i < plan->count; i++)
            if (plan->variants[i].suspect && wants(plan->variants[i].suspect, metrics[m])) {
                fprintf(out, ",\n    %s", metrics[m]);
                break;
            }
    putc('\n', out);
}

int fl_explain_scenario(const struct fl_explain_plan *plan, char **text, struct fl_err *err)
{
    size_t size;
    FILE *out = open_memstream(text, &size);
    if (!out)
        return out_of_memory(err);
    fputs("[scenario]\nname = " FL_EXPLAIN_SCENARIO "\ntitle = One suspect removed at a time\n\n"
          "; The first cell is the slow one.\n[cells]\n",
          out);
    int rc = print_key(out, plan->key, err);
    for (size_t i = 0; i < plan->count && !rc; i++)
        rc = print_key(out, plan->variants[i].key, err);
    fputs("\n[measure]\nsettle = 20ms\nwindow = 50ms\nrounds = 21\n", out);
    print_metrics(out, plan);
    if (fclose(out) && !rc)
        rc = out_of_memory(err);
    if (rc) {
        free(*text);
        *text = NULL;
    }
    return rc;
}
