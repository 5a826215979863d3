/* SPDX-License-Identifier: Apache-2.0 */
/* Two lists in the order of their names are read side by side. */
#include "history-fields.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "database.h"
#include "results/text.h"

/* Names and values by name; two texts each, since both are read at the same time. What is measured
 * anew each time (loads, frequencies, an imported file's date and repetitions) explains nothing. */
#define ENVIRONMENT                                                                                \
    "SELECT name, value FROM environment WHERE run = ? AND name NOT GLOB 'load.*' "                \
    "AND name NOT GLOB 'run.plugin*' AND name NOT IN ('run.worker', 'run.worker-hash', "           \
    "'run.side', 'imported-uuid', 'date', "                                                        \
    "'load_avg', 'mhz_per_cpu') ORDER BY name"
#define MACHINE                                                                                    \
    "SELECT name, value FROM machine_fact "                                                        \
    "WHERE machine = (SELECT machine FROM run WHERE id = ?) ORDER BY name"
#define FACTS                                                                                      \
    "SELECT name, value FROM fact_set_member JOIN fact ON fact.id = fact WHERE fact_set = ? "      \
    "AND name NOT GLOB '*.repetitions' ORDER BY name"
#define REFERENCE                                                                                  \
    "SELECT 'reference ' || substr(name, 5), value FROM environment WHERE run = ? "                \
    "AND name BETWEEN 'run.plugin-hash.' AND 'run.worker-hash' "                                   \
    "AND (name = 'run.worker-hash' OR name GLOB 'run.plugin-hash.*') ORDER BY name"
#define REFERENCE_FACTS                                                                            \
    "SELECT 'reference ' || name, value FROM fact_set_member JOIN fact ON fact.id = fact "         \
    "WHERE fact_set = (SELECT facts FROM sample WHERE run = ? AND mode = 'timed' "                 \
    "LIMIT 1) AND name IN ('library-build-id', 'library-version') "                                \
    "ORDER BY name"

static const char environments[2][sizeof(ENVIRONMENT)] = {ENVIRONMENT, ENVIRONMENT};
static const char machines[2][sizeof(MACHINE)] = {MACHINE, MACHINE};
static const char facts[2][sizeof(FACTS)] = {FACTS, FACTS};
static const char references[2][sizeof(REFERENCE)] = {REFERENCE, REFERENCE};
static const char reference_facts[2][sizeof(REFERENCE_FACTS)] = {REFERENCE_FACTS, REFERENCE_FACTS};

/* Two lists side by side. */
struct lists {
    const struct fl_history_differ *differ;
    sqlite3_stmt *rows[2];
    bool more[2];
    struct fl_history_fields *out;
    struct fl_err *err;
};

static int make_room(struct lists *lists)
{
    struct fl_history_fields *out = lists->out;

    if (out->count & (out->count - 1)) /* full at 0, 1, 2, 4, ... */
        return 0;
    const size_t room = out->count ? 2 * out->count : 1;
    struct fl_history_field *more =
        fl_arena_alloc(lists->differ->arena, room * sizeof(*more), sizeof(void *));
    if (!more)
        return -ENOMEM;
    if (out->count)
        memcpy(more, out->items, out->count * sizeof(*more));
    out->items = more;
    return 0;
}

/* The name of a list that comes first, with its value on each side; NULL where it has none. */
static int add(struct lists *lists, int side, const char *before, const char *after)
{
    struct fl_arena *arena = lists->differ->arena;
    int rc = make_room(lists);

    if (!rc) {
        struct fl_history_field *field = &lists->out->items[lists->out->count++];
        *field = (struct fl_history_field){
            .name = fl_text_copy(arena, fl_db_text(lists->rows[side], 0)),
            .before = before ? fl_text_copy(arena, before) : NULL,
            .after = after ? fl_text_copy(arena, after) : NULL,
        };
        if (!field->name || (before && !field->before) || (after && !field->after))
            rc = -ENOMEM;
    }
    return rc ? fl_fail(lists->err, rc, "cannot compare runs: out of memory") : 0;
}

static int step(struct lists *lists, int side)
{
    int rc = fl_db_step(lists->differ->store, lists->rows[side], lists->err);

    lists->more[side] = rc > 0;
    return rc < 0 ? rc : 0;
}

/* Moves past the name that comes first, on both sides where both have it. */
static int compare_next(struct lists *lists)
{
    const char *before = lists->more[0] ? fl_db_text(lists->rows[0], 1) : NULL;
    const char *after = lists->more[1] ? fl_db_text(lists->rows[1], 1) : NULL;
    int order = !before  ? 1
                : !after ? -1
                         : strcmp(fl_db_text(lists->rows[0], 0), fl_db_text(lists->rows[1], 0));
    int rc = 0;

    if (order)
        rc = add(lists, order > 0, order < 0 ? before : NULL, order > 0 ? after : NULL);
    else if (strcmp(before, after) != 0)
        rc = add(lists, 0, before, after);
    if (!rc && order <= 0)
        rc = step(lists, 0);
    return !rc && order >= 0 ? step(lists, 1) : rc;
}

/* sqls: of the list before and of that after, at different addresses. */
static int collect(const struct fl_history_differ *differ, const char *const sqls[2],
                   const int64_t ids[2], struct fl_history_fields *out, struct fl_err *err)
{
    struct lists lists = {.differ = differ, .out = out, .err = err};
    int rc = 0;

    for (int i = 0; i < 2 && !rc; i++) {
        rc = fl_db_bind(differ->store, sqls[i], &lists.rows[i], err, "i", ids[i]);
        if (!rc)
            rc = step(&lists, i);
    }
    while (!rc && (lists.more[0] || lists.more[1]))
        rc = compare_next(&lists);
    for (int i = 0; i < 2; i++)
        if (lists.more[i])
            fl_db_reset(lists.rows[i]);
    return rc;
}

/* The set of facts of some timed sample of the place; 0: it has none. */
static int find_facts(const struct fl_history_differ *differ, const struct fl_history_place *place,
                      int64_t *out, struct fl_err *err)
{
    static const char select[] = "SELECT facts FROM sample WHERE run = ? AND cell = ? "
                                 "AND mode = 'timed' AND facts IS NOT NULL LIMIT 1";
    int rc = fl_db_number(differ->store, select, out, err, "ii", place->point->run, place->cell);

    if (rc == -ENOENT)
        *out = 0;
    return rc == -ENOENT ? 0 : rc;
}

int fl_history_differ(const struct fl_history_differ *differ, const struct fl_history_place *before,
                      const struct fl_history_place *after, struct fl_history_fields *out,
                      struct fl_err *err)
{
    const int64_t runs[2] = {before->point->run, after->point->run};
    const int64_t bases[2] = {before->point->base, after->point->base};
    int64_t sets[2] = {0, 0};
    int rc =
        collect(differ, (const char *const[]){environments[0], environments[1]}, runs, out, err);

    if (!rc && bases[0])
        rc = collect(differ, (const char *const[]){references[0], references[1]}, bases, out, err);
    if (!rc && bases[0])
        rc = collect(differ, (const char *const[]){reference_facts[0], reference_facts[1]}, bases,
                     out, err);
    if (!rc && before->cell)
        rc = find_facts(differ, before, &sets[0], err);
    if (!rc && after->cell)
        rc = find_facts(differ, after, &sets[1], err);
    return !rc && sets[0] && sets[1] && sets[0] != sets[1]
               ? collect(differ, (const char *const[]){facts[0], facts[1]}, sets, out, err)
               : rc;
}

int fl_history_differ_machines(const struct fl_history_differ *differ,
                               const struct fl_history_series *before,
                               const struct fl_history_series *after, struct fl_history_fields *out,
                               struct fl_err *err)
{
    const int64_t runs[2] = {before->points[0].run, after->points[0].run};

    return collect(differ, (const char *const[]){machines[0], machines[1]}, runs, out, err);
}
