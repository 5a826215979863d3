/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline-fields.h"

#include <errno.h>
#include <string.h>

#include "faultline/cell.h"
#include "results/text.h"

/* `library` is what is under test; `malloc` stands in the key. */
static bool is_kept(const char *name)
{
    return strcmp(name, "library") != 0 && strcmp(name, "malloc") != 0;
}

int fl_baseline_fields(const struct fl_fingerprint_of *of, struct fl_arena *arena,
                       struct fl_baseline_fields *out, struct fl_err *err)
{
    char name[FL_FINGERPRINT_NAME], value[FL_CELL_KEY_MAX];
    const char *text;
    int rc = fl_cell_fingerprint(of, arena, &text, err);

    out->count = 0;
    if (rc)
        return rc;
    while ((rc = fl_cell_split(&text, name, sizeof(name), value, sizeof(value), err)) == 1) {
        if (!is_kept(name) || out->count == FL_FACTS_MAX)
            continue;
        struct fl_fact *field = &out->items[out->count++];
        *field = (struct fl_fact){fl_text_copy(arena, name), fl_text_copy(arena, value)};
        if (!field->name || !field->value)
            return fl_fail(err, -ENOMEM, "cannot read a fingerprint: out of memory");
    }
    return rc;
}

const char *fl_baseline_field(const struct fl_fact *facts, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(facts[i].name, name) == 0)
            return facts[i].value;
    return NULL;
}

static bool same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

const char *fl_baseline_differs(const struct fl_baseline *baseline,
                                const struct fl_baseline_count *count,
                                const struct fl_baseline_fields *cell)
{
    for (size_t i = 0; i < cell->count; i++) {
        const char *name = cell->items[i].name;
        const char *value = fl_baseline_field(count->facts, count->fact_count, name);
        if (!value)
            value = fl_baseline_field(baseline->machine, baseline->machine_count, name);
        if (!same(value, cell->items[i].value))
            return name;
    }
    for (size_t i = 0; i < count->fact_count; i++)
        if (!fl_baseline_field(cell->items, cell->count, count->facts[i].name))
            return count->facts[i].name;
    for (size_t i = 0; i < baseline->machine_count; i++)
        if (!fl_baseline_field(cell->items, cell->count, baseline->machine[i].name))
            return baseline->machine[i].name;
    return NULL;
}
