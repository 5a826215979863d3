/* SPDX-License-Identifier: Apache-2.0 */
/* The product of a scenario's factors. */
#include "runner/plan.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/library.h"
#include "faultline/registry.h"

/* Where the walk over the product stands. */
struct walk {
    const struct fl_scenario *scenario;
    size_t at[FL_CELL_LEVELS]; /* level index per factor */
    struct fl_plan *plan;
    void *seen;                 /* tsearch tree of keys */
    char history[FL_LEVEL_MAX]; /* what `ascending` stands for at this point */
    struct fl_err unfit;        /* why the last combination that cannot be was left out */
};

static int compare_keys(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void keep_key(void *key)
{
    (void)key; /* the plan owns it */
}

/* The next point, last factor fastest; 0 when the product is through. */
static int advance(struct walk *walk)
{
    for (size_t i = walk->scenario->factor_count; i-- > 0;) {
        if (++walk->at[i] < walk->scenario->factors[i].count)
            return 1;
        walk->at[i] = 0;
    }
    return 0;
}

static const char *level_at(const struct walk *walk, const char *factor)
{
    for (size_t i = 0; i < walk->scenario->factor_count; i++)
        if (!strcmp(walk->scenario->factors[i].name, factor))
            return walk->scenario->factors[i].levels[walk->at[i]].text;
    return NULL;
}

static const struct fl_scenario_factor *factor_named(const struct fl_scenario *scenario,
                                                     const char *name)
{
    for (size_t i = 0; i < scenario->factor_count; i++)
        if (!strcmp(scenario->factors[i].name, name))
            return &scenario->factors[i];
    return NULL;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Spells `ascending`: the kernel here at every smaller n of the scenario, or `fresh`. */
static int ascend(struct walk *walk, struct fl_err *err)
{
    double here, sizes[FL_LEVEL_MAX / 2];
    size_t count = 0, used;
    const char *n = level_at(walk, "n"), *kernel = level_at(walk, "kernel");
    if (!n || fl_factor_number(FL_FACTOR_INT, n, &here))
        return fl_fail(err, -EINVAL, "history=ascending needs the factor n");
    const struct fl_scenario_factor *factor = factor_named(walk->scenario, "n");
    for (size_t i = 0; i < factor->count && count < sizeof sizes / sizeof *sizes; i++)
        if (!fl_factor_number(FL_FACTOR_INT, factor->levels[i].text, &sizes[count]) &&
            sizes[count] < here)
            count++;
    qsort(sizes, count, sizeof *sizes, compare_numbers);
    used = (size_t)snprintf(walk->history, sizeof walk->history, "%s", count ? kernel : "fresh");
    for (size_t i = 0; i < count && used < sizeof walk->history; i++)
        used += (size_t)snprintf(walk->history + used, sizeof walk->history - used, "%c%.0f",
                                 i ? '+' : ':', sizes[i]);
    return used < sizeof walk->history
               ? 0
               : fl_fail(err, -EINVAL, "history=ascending is too long: name fewer n");
}

/* Gathers the levels here; the symbolic history is spelt out. */
static int gather(struct walk *walk, const char **names, const char **levels, struct fl_err *err)
{
    for (size_t i = 0; i < walk->scenario->factor_count; i++) {
        names[i] = walk->scenario->factors[i].name;
        levels[i] = walk->scenario->factors[i].levels[walk->at[i]].text;
        if (strcmp(names[i], "history") || strcmp(levels[i], "ascending"))
            continue;
        int rc = ascend(walk, err);
        if (rc)
            return rc;
        levels[i] = walk->history;
    }
    return 0;
}

/* Does the kernel here know all levels here? The one that it does not is kept for who asks. */
static bool applicable(struct walk *walk, const char *const *levels,
                       const struct fl_kernel_ops *kernel)
{
    for (const struct fl_factor *const *f = kernel->factors; f && *f; f++)
        for (size_t i = 0; i < walk->scenario->factor_count; i++)
            if (!strcmp((*f)->name, walk->scenario->factors[i].name) &&
                fl_factor_check(*f, levels[i], &walk->unfit))
                return false;
    return true;
}

/* Is this a symbol of a library, at the level of a list of libraries that means our own kernels? */
static bool lacks_library(const struct fl_kernel_ops *kernel, const char *library)
{
    return (kernel->uses & FL_USES_LIBRARY) && library && !strcmp(library, FL_OWN_LIBRARY);
}

static bool skipped(const struct fl_scenario *scenario, const struct fl_cell *cell)
{
    for (size_t i = 0; i < scenario->skip_count; i++)
        if (fl_rule_selects(&scenario->skips[i], cell))
            return true;
    return false;
}

static int out_of_memory(struct fl_err *err)
{
    return fl_fail(err, -ENOMEM, "cannot plan the cells: out of memory");
}

int fl_plan_add(struct fl_plan *plan, const char *key)
{
    if (!(plan->count & (plan->count + 1))) { /* 0, 1, 3, 7 ...: room for twice as many */
        char **grown = realloc(plan->keys, (2 * plan->count + 2) * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        plan->keys = grown;
    }
    char *copy = strdup(key);
    if (!copy)
        return -ENOMEM;
    plan->keys[plan->count++] = copy;
    return 0;
}

static int add(struct walk *walk, const struct fl_cell *cell, struct fl_err *err)
{
    char text[FL_CELL_KEY_MAX];
    struct fl_plan *plan = walk->plan;
    if (fl_cell_key(cell, text, sizeof text))
        return fl_fail(err, -E2BIG, "a cell's key is longer than %zu bytes", sizeof text - 1);
    if (tfind(text, &walk->seen, compare_keys))
        return 0;
    if (fl_plan_add(plan, text) || !tsearch(plan->keys[plan->count - 1], &walk->seen, compare_keys))
        return out_of_memory(err);
    return 0;
}

/* A cell that is legal joins the plan, unless it costs more than can be told or is in it. */
static int admit(struct walk *walk, const struct fl_cell *cell, const struct fl_kernel_ops *kernel,
                 struct fl_err *err)
{
    struct fl_cost cost;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): no cell resolves without a kernel */
    int rc = kernel->cost(cell, &cost, err);
    return rc ? rc : add(walk, cell, err);
}

static int visit(struct walk *walk, struct fl_err *err)
{
    const char *names[FL_CELL_LEVELS], *levels[FL_CELL_LEVELS];
    struct fl_cell cell;
    int rc = gather(walk, names, levels, err);
    if (rc)
        return rc;
    const char *library = level_at(walk, "library");
    const struct fl_kernel_ops *kernel =
        fl_registry_kernel(level_at(walk, "kernel"), library ? library : FL_OWN_LIBRARY);
    if (kernel && (!applicable(walk, levels, kernel) || lacks_library(kernel, library)))
        return 0;
    rc = fl_cell_resolve(&cell, names, levels, walk->scenario->factor_count, err);
    if (rc == -EDOM) { /* no cell, as a level that the kernel does not know makes none */
        walk->unfit = *err;
        return 0;
    }
    if (rc || skipped(walk->scenario, &cell))
        return rc;
    return admit(walk, &cell, kernel, err);
}

/* That a library's file is missing is the cell's outcome; an alias of no file is a mistake. */
static int check_library(const struct fl_scenario *scenario, const char *alias, int line,
                         struct fl_err *err)
{
    struct fl_library_place place;
    if (!strcmp(alias, FL_OWN_LIBRARY) || fl_library_row(alias) ||
        fl_scenario_library(scenario, alias))
        return 0;
    int rc = fl_library_find(alias, NULL, NULL, &place, err); /* names what is known */
    return line ? fl_fail_within(err, rc, "line %d", line) : rc;
}

static int check_libraries(const struct fl_scenario *scenario, struct fl_err *err)
{
    const struct fl_scenario_factor *factor = factor_named(scenario, "library");
    int rc = 0;
    for (size_t i = 0; factor && i < factor->count && !rc; i++)
        rc = check_library(scenario, factor->levels[i].text, factor->levels[i].line, err);
    return rc;
}

/* ---- cells named one by one ---- */

static int visit_named(struct walk *walk, const struct fl_scenario_level *named, struct fl_err *err)
{
    struct fl_cell cell;
    int rc = fl_cell_parse(&cell, named->text, err);
    if (rc)
        return rc;
    const char *library = fl_cell_get(&cell, "library");
    if (!library)
        library = FL_OWN_LIBRARY;
    rc = check_library(walk->scenario, library, named->line, err);
    if (rc || skipped(walk->scenario, &cell))
        return rc;
    return admit(walk, &cell, fl_registry_kernel(fl_cell_get(&cell, "kernel"), library), err);
}

static int visit_all_named(struct walk *walk, struct fl_err *err)
{
    const struct fl_scenario *scenario = walk->scenario;
    int rc = 0;
    if (scenario->factor_count)
        return fl_fail(
            err, -EINVAL,
            "[cells] names each cell with its levels: factor '%s' has no place beside it",
            scenario->factors[0].name);
    for (size_t i = 0; i < scenario->cell_count && !rc; i++)
        rc = visit_named(walk, &scenario->cells[i], err);
    return rc;
}

/* Combinations that are not cells cost time as well: `kernel=null` with ten lists of ten levels. */
static int check_product(const struct fl_scenario *scenario, struct fl_err *err)
{
    double points = 1;
    for (size_t i = 0; i < scenario->factor_count; i++) {
        if (!scenario->factors[i].count)
            return fl_fail(err, -EINVAL, "factor '%s' has no levels", scenario->factors[i].name);
        points *= (double)scenario->factors[i].count;
    }
    if (points > FL_PLAN_POINTS)
        return fl_fail(err, -E2BIG, "the lists of [factors] have %.6g combinations, %d allowed",
                       points, FL_PLAN_POINTS);
    return 0;
}

static int visit_product(struct walk *walk, struct fl_err *err)
{
    int rc = check_product(walk->scenario, err);
    if (!rc)
        rc = check_libraries(walk->scenario, err);
    while (!rc) {
        rc = visit(walk, err);
        if (rc || !advance(walk))
            break;
    }
    return rc;
}

int fl_plan_make(const struct fl_scenario *scenario, struct fl_plan *plan, struct fl_err *err)
{
    struct walk walk = {.scenario = scenario, .plan = plan};
    *plan = (struct fl_plan){.keys = NULL};
    if (scenario->factor_count > FL_CELL_LEVELS)
        return fl_fail(err, -EINVAL, "%s: more than %d factors", scenario->path, FL_CELL_LEVELS);
    int rc = scenario->cell_count ? visit_all_named(&walk, err) : visit_product(&walk, err);
    tdestroy(walk.seen, keep_key);
    if (!rc && !plan->count)
        rc = fl_fail(err, -EINVAL, "no cell is left: every one is skipped or not applicable%s%s",
                     walk.unfit.text[0] ? ": " : "", walk.unfit.text);
    if (!rc)
        return 0;
    fl_plan_release(plan);
    return fl_fail_within(err, rc, "%s", scenario->path);
}

void fl_plan_release(struct fl_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        free(plan->keys[i]);
    free(plan->keys);
    *plan = (struct fl_plan){.keys = NULL};
}
