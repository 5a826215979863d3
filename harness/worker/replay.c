/* SPDX-License-Identifier: Apache-2.0 */
/* Each step is a kernel opened, called once and closed, or one malloc, touched and freed. */
#include "replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/history.h"
#include "parts.h"

static int replay_malloc(double bytes, struct fl_err *err)
{
    size_t size = (size_t)bytes;
    char *block = malloc(size);
    if (!block)
        return fl_fail(err, -ENOMEM, "cannot replay malloc:%zu: out of memory", size);
    for (size_t i = 0; i < size; i += 4096)
        ((volatile char *)block)[i] = 1;
    free(block);
    return 0;
}

/* The cell of a step: the sample's own levels with another kernel and n. */
static int step_cell(const struct fl_sample *sample, const struct fl_history_step *step,
                     struct fl_cell *cell, struct fl_err *err)
{
    const char *factors[FL_CELL_LEVELS], *levels[FL_CELL_LEVELS];
    char n[24];
    size_t count = 0;
    snprintf(n, sizeof n, "%ld", step->n);
    for (size_t i = 0; i < sample->cell.count; i++) {
        const struct fl_level *level = &sample->cell.levels[i];
        factors[count] = level->factor->name;
        levels[count] = level->text;
        if (!strcmp(level->factor->name, "kernel"))
            levels[count] = step->kernel;
        else if (!strcmp(level->factor->name, "n"))
            levels[count] = n;
        else if (strcmp(level->factor->name, "library") &&
                 !strcmp(level->text, level->factor->fallback ? level->factor->fallback : ""))
            continue; /* the step's kernel has fallbacks of its own */
        count++;
    }
    return fl_cell_resolve(cell, factors, levels, count, err);
}

static int replay_kernel(struct fl_sample *sample, const struct fl_history_step *step,
                         struct fl_err *err)
{
    struct fl_cell cell;
    struct fl_arena arena = {.heap = step->malloc_operands, .limit = sample->arena.limit};
    struct fl_facts facts = {.count = 0};
    struct fl_open_kernel kernel;
    int rc = step_cell(sample, step, &cell, err);
    if (rc)
        return rc;
    rc = fl_sample_open_kernel(sample, &cell, &arena, &facts, &kernel, err);
    if (!rc) {
        rc = kernel.ops->run(kernel.state, &sample->workspace);
        if (rc)
            fl_fail(err, rc, "cannot replay %s at n = %ld: %s", step->kernel, step->n,
                    strerror(-rc));
        kernel.ops->close(kernel.state);
    }
    fl_arena_release(&arena);
    return rc;
}

int fl_replay(struct fl_sample *sample, struct fl_err *err)
{
    struct fl_history history;
    int rc = fl_history_parse(fl_cell_get(&sample->cell, "history"), &history, err);
    for (size_t i = 0; !rc && i < history.count; i++) {
        const struct fl_history_step *step = &history.steps[i];
        rc = step->kernel[0] ? replay_kernel(sample, step, err) : replay_malloc(step->bytes, err);
    }
    return rc;
}
