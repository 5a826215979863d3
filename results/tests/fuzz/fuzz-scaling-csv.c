/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of published numbers. What is read has groups with names, as many points each, in order
 * and in range; what is not says why and leaves nothing behind. Either is read the same again.
 */
#include <math.h>

#include "fuzz.h"
#include "results/scaling.h"
#include "results/usl.h"

static void check_group(const struct fl_scaling_group *group, size_t points)
{
    unsigned before = 1;
    FL_FUZZ_HOLDS(group->name[0] && group->count == points);
    for (size_t i = 0; i < group->count; i++) {
        const struct fl_scaling_point *point = &group->points[i];
        FL_FUZZ_HOLDS(point->threads >= before && point->threads <= FL_USL_THREADS);
        FL_FUZZ_HOLDS(isfinite(point->throughput) && point->throughput >= 0);
        FL_FUZZ_HOLDS(!strpbrk(point->level, ",\"\n"));
        before = point->threads;
    }
}

static void check(const struct fl_scaling *scaling)
{
    FL_FUZZ_HOLDS(scaling->count > 0 && scaling->count <= FL_SCALING_GROUPS);
    FL_FUZZ_HOLDS(scaling->groups[0].count > 0 && scaling->groups[0].count <= FL_SCALING_ROWS);
    for (size_t i = 0; i < scaling->count; i++)
        check_group(&scaling->groups[i], scaling->groups[0].count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_err err = {.text = ""};
    struct fl_scaling scaling;
    /* Exactly the bytes: a sanitizer then sees a read behind the end. */
    char *text = malloc(size + !size);
    FL_FUZZ_HOLDS(text != NULL);
    if (size)
        memcpy(text, data, size);
    for (int rates = 0; rates <= 1; rates++) {
        int rc = fl_scaling_parse(text, size, rates, &scaling, &err);
        FL_FUZZ_HOLDS(rc == 0 || (err.text[0] && !scaling.count && !scaling.arena.blocks));
        if (rc)
            continue;
        check(&scaling);
        fl_scaling_release(&scaling);
    }
    free(text);
    return 0;
}
