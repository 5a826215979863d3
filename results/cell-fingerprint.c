/* SPDX-License-Identifier: Apache-2.0 */
#include "results/cell-fingerprint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/cell.h"
#include "results/text.h"

enum { VALUE = 1200, FIELDS = 32 };

/* A field that is not known is there and "unknown": it equals its like. */
static const char *const order[] = {"isa",     "page",         "thp",    "libc",
                                    "kernel",  "blocking",     "malloc", "malloc-build",
                                    "library", "library-core", "threads"};
enum { ORDERED = sizeof(order) / sizeof(order[0]) };

struct field {
    const char *name, *value;
};

struct fields {
    struct field items[FIELDS]; /* those of `order` first, in it; then as they came */
    size_t count;
    struct fl_arena *arena;
};

static const char *get(const struct fields *fields, const char *name)
{
    for (size_t i = 0; i < fields->count; i++)
        if (strcmp(fields->items[i].name, name) == 0)
            return fields->items[i].value;
    return NULL;
}

/* Adds or replaces. */
static int set(struct fields *fields, const char *name, const char *value)
{
    size_t i = 0;

    while (i < fields->count && strcmp(fields->items[i].name, name) != 0)
        i++;
    if (i == FIELDS)
        return -EBADMSG;
    if (i == fields->count) {
        fields->items[fields->count++].name = fl_text_copy(fields->arena, name);
        if (!fields->items[i].name)
            return -ENOMEM;
    }
    fields->items[i].value = fl_text_copy(fields->arena, value);
    return fields->items[i].value ? 0 : -ENOMEM;
}

static int fail(struct fl_err *err, int code)
{
    if (code == -ENOMEM)
        return fl_fail(err, code, "cannot read a fingerprint: out of memory");
    return fl_fail(err, code, "cannot read a fingerprint: it is damaged");
}

/* `name=value ...`. A text that is no such list is one field: equal, or not. The word that marks
 * the text of an imported run says where it was read, not where it was measured. */
static int parse(struct fields *fields, const char *text)
{
    static const char mark[] = "imported ";
    char name[FL_FINGERPRINT_NAME], value[VALUE];
    struct fl_err why;
    const char *rest = text + (strncmp(text, mark, strlen(mark)) ? 0 : strlen(mark));
    int got, rc = 0;

    while ((got = fl_cell_split(&rest, name, sizeof(name), value, sizeof(value), &why)) == 1 && !rc)
        rc = set(fields, name, value);
    if (got < 0) {
        fields->count = 0;
        rc = set(fields, "machine", text);
    }
    return rc;
}

/* ---- the fields of a cell ---- */

static const char *level_of(const struct fl_fingerprint_of *of, const char *factor)
{
    const struct fl_summary *plan = &of->set->plan;

    for (size_t i = 0; i < plan->factor_count; i++)
        if (strcmp(plan->factors[i], factor) == 0)
            return plan->cells[of->cell].levels[i];
    return NULL;
}

/* Facts that are fields, and the names they have there. */
static int keep_fact(void *arg, const struct fl_fact *fact)
{
    static const struct field renamed[] = {{"isa", "isa"},
                                           {"blocking", "blocking"},
                                           {"threads", "threads"},
                                           {"library-build-id", "library"},
                                           {"library-core", "library-core"},
                                           {"malloc-build-id", "malloc-build"}};
    int rc = 0;

    for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++)
        if (strcmp(renamed[i].name, fact->name) == 0)
            rc = set(arg, renamed[i].value, fact->value);
    return rc;
}

static int add_cell(struct fields *fields, const struct fl_fingerprint_of *of, struct fl_err *err)
{
    const char *thp = level_of(of, "thp"), *malloc_name = level_of(of, "malloc");
    int rc = fl_series_facts(of->store, of->set->cells[of->cell].facts, keep_fact, fields, err);

    if (rc == -EBADMSG)
        return fail(err, rc);
    if (!rc && malloc_name)
        rc = set(fields, "malloc", malloc_name);
    if (!rc && thp && strcmp(thp, "off") == 0)
        rc = set(fields, "thp", thp);
    return rc;
}

static int compare_fields(const void *a, const void *b)
{
    const struct field *x = a, *y = b;
    size_t x_rank = 0, y_rank = 0;

    while (x_rank < ORDERED && strcmp(order[x_rank], x->name) != 0)
        x_rank++;
    while (y_rank < ORDERED && strcmp(order[y_rank], y->name) != 0)
        y_rank++;
    if (x_rank != y_rank)
        return x_rank < y_rank ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int read_fields(const struct fl_fingerprint_of *of, struct fields *fields,
                       struct fl_err *err)
{
    const char *machine = of->set->plan.run.info.fingerprint;
    int rc = parse(fields, machine ? machine : "");

    if (rc)
        return fail(err, rc);
    rc = add_cell(fields, of, err);
    if (!rc)
        qsort(fields->items, fields->count, sizeof(fields->items[0]), compare_fields);
    return rc == -ENOMEM ? fail(err, rc) : rc;
}

/* ---- as text ---- */

static void put(FILE *out, const struct field *field, bool first)
{
    bool plain = *field->value && !strpbrk(field->value, " \t,:=\"\\");

    fprintf(out, "%s%s=%s", first ? "" : " ", field->name, plain ? "" : "\"");
    for (const char *c = field->value; *c; c++)
        fprintf(out, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
    fputs(plain ? "" : "\"", out);
}

int fl_cell_fingerprint(const struct fl_fingerprint_of *of, struct fl_arena *arena,
                        const char **out, struct fl_err *err)
{
    struct fields fields = {.arena = arena};
    char *text = NULL;
    size_t size = 0;
    int rc = read_fields(of, &fields, err);

    if (rc)
        return rc;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return fail(err, -ENOMEM);
    for (size_t i = 0; i < fields.count; i++)
        put(file, &fields.items[i], i == 0);
    fclose(file);
    *out = text ? fl_text_copy(arena, text) : NULL;
    free(text);
    return *out ? 0 : fail(err, -ENOMEM);
}

/* ---- differences ---- */

static bool same(const struct fields *a, const struct fields *b, const struct field *field)
{
    const char *x = get(a, field->name), *y = get(b, field->name);

    return x && y && strcmp(x, y) == 0;
}

/* The first of a's fields that b has not got, or otherwise; fields stand in one order. */
static const struct field *first_difference(const struct fields *a, const struct fields *b,
                                            bool any_library)
{
    for (size_t i = 0; i < a->count; i++)
        if (!same(a, b, &a->items[i]) && !(any_library && strcmp(a->items[i].name, "library") == 0))
            return &a->items[i];
    return NULL;
}

static int tell_difference(const struct fields *a, const struct fields *b, bool any_library,
                           char name[FL_FINGERPRINT_NAME])
{
    const struct field *one = first_difference(a, b, any_library);
    const struct field *other = first_difference(b, a, any_library);

    if (!one || (other && compare_fields(other, one) < 0))
        one = other;
    if (one)
        snprintf(name, FL_FINGERPRINT_NAME, "%s", one->name);
    return one != NULL;
}

int fl_fingerprint_texts_differ(const char *base, const char *head, bool any_library,
                                char name[FL_FINGERPRINT_NAME], struct fl_err *err)
{
    struct fl_arena arena = {.blocks = NULL};
    struct fields a = {.arena = &arena}, b = {.arena = &arena};
    int rc = parse(&a, base);

    if (!rc)
        rc = parse(&b, head);
    rc = rc ? fail(err, rc) : tell_difference(&a, &b, any_library, name);
    fl_arena_release(&arena);
    return rc;
}

/* Most often both have the same machine and the same set of facts, and so the same text. */
static bool plainly_same(const struct fl_fingerprint_of *base, const struct fl_fingerprint_of *head)
{
    const struct fl_summary_cell *a = &base->set->plan.cells[base->cell];
    const struct fl_summary_cell *b = &head->set->plan.cells[head->cell];
    const char *base_text = base->set->plan.run.info.fingerprint;
    const char *head_text = head->set->plan.run.info.fingerprint;

    return a->id == b->id && base->store == head->store && base_text && head_text &&
           base->set->cells[base->cell].facts == head->set->cells[head->cell].facts &&
           strcmp(base_text, head_text) == 0;
}

int fl_cell_fingerprints_differ(const struct fl_fingerprint_of *base,
                                const struct fl_fingerprint_of *head, bool any_library,
                                char name[FL_FINGERPRINT_NAME], struct fl_err *err)
{
    struct fl_arena arena = {.blocks = NULL};
    struct fields a = {.arena = &arena}, b = {.arena = &arena};

    if (plainly_same(base, head))
        return 0;
    int rc = read_fields(base, &a, err);
    if (!rc)
        rc = read_fields(head, &b, err);
    if (!rc)
        rc = tell_difference(&a, &b, any_library, name);
    fl_arena_release(&arena);
    return rc;
}
