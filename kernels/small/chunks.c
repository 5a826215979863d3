/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of a region of small gemms: mapped, touched, filled and verified. */
#define _DEFAULT_SOURCE
#include "chunks.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

#include "../region.h"
#include "../verify.h"

#define PAGE 4096 /* of first touch: smaller than any page of a larger kind, which is harmless */

/* Limits within which fl_verify() stays exact. */
#define SIDE_MAX   4096
#define CHUNKS_MAX 65536

const struct fl_factor fl_factor_chunk_k = {
    .name = "k",
    .summary = "centers: rows of each chunk of C",
    .type = FL_FACTOR_INT,
    .min = 1,
    .max = SIDE_MAX,
};

const struct fl_factor fl_factor_chunk_d = {
    .name = "d",
    .summary = "features: length of the sums",
    .type = FL_FACTOR_INT,
    .min = 1,
    .max = SIDE_MAX,
};

const struct fl_factor fl_factor_chunks = {
    .name = "chunks",
    .summary = "calls in one parallel region, all threads together, of 256 samples each",
    .type = FL_FACTOR_INT,
    .fallback = "1360",
    .min = 1,
    .max = CHUNKS_MAX,
};

static size_t level(const struct fl_cell *cell, const struct fl_factor *factor)
{
    return (size_t)fl_cell_number(cell, factor->name, 1);
}

void fl_chunks_cost(const struct fl_cell *cell, bool single, struct fl_cost *cost)
{
    const double k = (double)level(cell, &fl_factor_chunk_k);
    const double d = (double)level(cell, &fl_factor_chunk_d);
    const double scalar = single ? sizeof(float) : sizeof(double);

    cost->flops = 2 * k * d * FL_CHUNK_ROWS;
    cost->bytes = scalar * (k * d + (k + d) * FL_CHUNK_ROWS);
}

/* Part of C that a thread writes. */
static char *part_of(const struct fl_chunks *chunks, unsigned thread, size_t *bytes)
{
    const struct fl_product *p = &chunks->all;
    const size_t chunk = p->ldc * FL_CHUNK_ROWS * chunks->scalar->bytes;
    size_t begin, end;

    fl_team_split(chunks->count, thread, fl_region_threads(chunks->team), &begin, &end);
    *bytes = (end - begin) * chunk;
    return (char *)p->c + begin * chunk;
}

static int touch(void *arg, unsigned thread)
{
    size_t bytes;
    volatile char *part = part_of(arg, thread, &bytes);

    for (size_t i = 0; i < bytes; i += PAGE)
        part[i] = 0;
    return 0;
}

/*
 * Has each thread touch its part of C first, so that pages lie on its node. The arena touched them
 * already: the whole pages are given back. Where that is refused they stay where they are.
 */
static int place(const struct fl_chunks *chunks)
{
    const struct fl_product *p = &chunks->all;
    const uintptr_t begin = (uintptr_t)p->c, page = PAGE;
    const uintptr_t end = begin + p->ldc * p->n * chunks->scalar->bytes;
    const uintptr_t first = (begin + page - 1) & ~(page - 1), last = end & ~(page - 1);

    if (chunks->arena->heap || fl_region_threads(chunks->team) == 1 || first >= last)
        return 0;
    (void)madvise((void *)first, last - first, MADV_DONTNEED);
    return fl_region(chunks->team, touch, (void *)(uintptr_t)chunks);
}

static struct fl_verify verify_of(const struct fl_chunks *chunks)
{
    return (struct fl_verify){.product = &chunks->all,
                              .scalar = chunks->scalar,
                              .seed = chunks->seed,
                              .roundings = chunks->all.k};
}

int fl_chunks_open(struct fl_chunks *chunks, bool single, const struct fl_kernel_env *env,
                   struct fl_err *err)
{
    const size_t k = level(env->cell, &fl_factor_chunk_k);
    const size_t d = level(env->cell, &fl_factor_chunk_d);

    *chunks = (struct fl_chunks){
        .scalar = single ? &fl_scalar_f32 : &fl_scalar_f64,
        .team = env->team,
        .arena = env->arena,
        .count = level(env->cell, &fl_factor_chunks),
        .seed = env->seed,
    };
    chunks->all = (struct fl_product){
        .trans_a = true,
        .m = k,
        .n = chunks->count * FL_CHUNK_ROWS,
        .k = d,
        .lda = d,
        .ldb = d,
        .ldc = k,
        .alpha = -2,
    };
    int rc = fl_product_allocate(&chunks->all, chunks->scalar, env->arena, err);
    if (rc)
        return rc;
    rc = place(chunks);
    if (rc)
        return fl_fail(err, rc, "cannot touch the result from the team's threads");
    const struct fl_verify verify = verify_of(chunks);

    fl_verify_fill(&verify);
    return 0;
}

void fl_chunks_at(const struct fl_chunks *chunks, size_t index, const void **b, void **c)
{
    const struct fl_product *p = &chunks->all;
    const size_t columns = index * FL_CHUNK_ROWS * chunks->scalar->bytes;

    *b = (const char *)p->b + columns * p->ldb;
    *c = (char *)p->c + columns * p->ldc;
}

int fl_chunks_check(const struct fl_chunks *chunks,
                    int (*run)(void *state, const struct fl_workspace *workspace), void *state,
                    const struct fl_workspace *workspace, struct fl_err *err)
{
    struct fl_verify verify = verify_of(chunks);
    const struct fl_verify_run all = {&verify, 1, chunks->arena, run, state};

    return fl_verify_run(&all, workspace, err);
}
