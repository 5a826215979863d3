/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of symv and trsv: mapped, filled, and verified against plain sums. */
#include "level2.h"

#include <errno.h>
#include <math.h>

#include "../region.h"

#define BITS  4    /* of every value, sign included: at most 8 */
#define N_MAX 2048 /* n * 8 * 8 is an integer of floats, far below their 2^24 */
#define LINE  128  /* two cache lines: the processor fetches them in pairs */

static const char *const uplo_words[] = {"L", "U", NULL};
static const char *const trans_words[] = {"N", "T", NULL};
static const char *const diag_words[] = {"N", "U", NULL};

const struct fl_factor fl_factor_level2_n = {
    .name = "n",
    .summary = "rows and columns of the matrix",
    .type = FL_FACTOR_INT,
    .min = 1,
    .max = N_MAX,
};

const struct fl_factor fl_factor_level2_uplo = {
    .name = "uplo",
    .summary = "triangle of A that is read: L lower, U upper",
    .type = FL_FACTOR_WORD,
    .fallback = "L",
    .words = uplo_words,
};

const struct fl_factor fl_factor_level2_trans = {
    .name = "trans",
    .summary = "N: A as stored; T: transposed",
    .type = FL_FACTOR_WORD,
    .fallback = "N",
    .words = trans_words,
};

const struct fl_factor fl_factor_level2_diag = {
    .name = "diag",
    .summary = "diagonal of A: N as stored, U taken as ones",
    .type = FL_FACTOR_WORD,
    .fallback = "N",
    .words = diag_words,
};

const struct fl_factor fl_factor_level2_chunks = {
    .name = "chunks",
    .summary = "calls of each thread in one parallel region",
    .type = FL_FACTOR_INT,
    .fallback = "1000",
    .min = 1,
    .max = 1000000,
};

void fl_level2_cost(const struct fl_level2_kind *kind, const struct fl_cell *cell,
                    struct fl_cost *cost)
{
    const double n = fl_cell_number(cell, fl_factor_level2_n.name, 1);
    const double scalar = kind->single ? sizeof(float) : sizeof(double);

    cost->flops = kind->solve ? n * n : 2 * n * n;
    cost->bytes = scalar * (n * (n + 1) / 2 + 2 * n);
}

static bool has(const struct fl_cell *cell, const struct fl_factor *factor, char word)
{
    const char *level = fl_cell_get(cell, factor->name);

    return level && level[0] == word;
}

/* Element of the matrix that a call stands for, whichever triangle is stored. */
static double element(const struct fl_level2 *o, size_t row, size_t col)
{
    const bool turned = o->solve && o->trans;
    const size_t i = turned ? col : row, j = turned ? row : col;
    const bool stored = o->lower ? i >= j : i <= j;

    if (o->solve)
        return !stored ? 0 : i == j && o->unit ? 1 : o->scalar->get(&o->a, i, j);
    return stored ? o->scalar->get(&o->a, i, j) : o->scalar->get(&o->a, j, i);
}

/* Diagonals of powers of two, so that to divide and to multiply by the reciprocal are both exact.
 */
static void fill_matrix(const struct fl_level2 *o)
{
    static const double pivots[] = {1, -1, 2, -2};

    o->scalar->fill(&o->a, BITS, (double)NAN);
    for (size_t col = 0; col < o->n; col++)
        for (size_t row = 0; row < o->n; row++)
            if (o->lower ? row < col : row > col)
                o->scalar->set(&o->a, row, col, (double)NAN);
    for (size_t i = 0; o->solve && i < o->n; i++)
        o->scalar->set(&o->a, i, i, o->unit ? (double)NAN : pivots[fl_draw(o->a.seed, i, i) % 4]);
}

/* A vector of a thread as a matrix of one column. */
static struct fl_matrix column(const struct fl_level2 *o, void *at)
{
    return (struct fl_matrix){.at = at, .rows = o->n, .cols = 1, .ld = o->n};
}

/* What the thread's unknowns are: x of symv, and the solution of trsv. */
static double unknown(const struct fl_level2 *o, unsigned thread, size_t i)
{
    return fl_draw_integer(o->a.seed + 1, i, thread, BITS);
}

/* Row `row` of op(A) * x. */
static double product(const struct fl_level2 *o, unsigned thread, size_t row)
{
    double sum = 0;

    for (size_t col = 0; col < o->n; col++)
        sum += element(o, row, col) * unknown(o, thread, col);
    return sum;
}

static void fill_vectors(const struct fl_level2 *o, unsigned thread)
{
    const struct fl_matrix in = column(o, fl_level2_in(o, thread));

    for (size_t i = 0; i < o->n; i++)
        o->scalar->set(&in, i, 0, o->solve ? product(o, thread, i) : unknown(o, thread, i));
}

int fl_level2_open(const struct fl_level2_kind *kind, struct fl_level2 *operands,
                   const struct fl_kernel_env *env, struct fl_err *err)
{
    const struct fl_cell *cell = env->cell;
    const unsigned threads = fl_region_threads(env->team);
    struct fl_level2 *o = operands;

    *o = (struct fl_level2){
        .solve = kind->solve,
        .lower = has(cell, &fl_factor_level2_uplo, 'L'),
        .trans = has(cell, &fl_factor_level2_trans, 'T'),
        .unit = has(cell, &fl_factor_level2_diag, 'U'),
        .n = (size_t)fl_cell_number(cell, fl_factor_level2_n.name, 1),
        .chunks = (size_t)fl_cell_number(cell, fl_factor_level2_chunks.name, 1),
        .scalar = kind->single ? &fl_scalar_f32 : &fl_scalar_f64,
        .team = env->team,
    };
    o->a = (struct fl_matrix){.rows = o->n, .cols = o->n, .ld = o->n, .seed = env->seed};
    o->a.at = fl_arena_alloc(env->arena, o->n * o->n * o->scalar->bytes, 64);
    o->stride = 2 * ((o->n * o->scalar->bytes + LINE - 1) / LINE * LINE);
    o->vectors = fl_arena_alloc(env->arena, threads * o->stride, LINE);
    if (!o->a.at || !o->vectors)
        return fl_fail(err, -ENOMEM, "cannot allocate operands for %u threads: out of memory",
                       threads);
    fill_matrix(o);
    for (unsigned t = 0; t < threads; t++)
        fill_vectors(o, t);
    return 0;
}

uint64_t fl_level2_calls(const struct fl_level2 *operands)
{
    return (uint64_t)operands->chunks * fl_region_threads(operands->team);
}

void fl_level2_spoil(const struct fl_level2 *operands)
{
    for (unsigned t = 0; t < fl_region_threads(operands->team); t++) {
        const struct fl_matrix out = column(operands, fl_level2_out(operands, t));

        for (size_t i = 0; i < operands->n; i++)
            operands->scalar->set(&out, i, 0, (double)NAN);
    }
}

static int verify_thread(const struct fl_level2 *o, unsigned thread, struct fl_err *err)
{
    const struct fl_matrix out = column(o, fl_level2_out(o, thread));

    for (size_t i = 0; i < o->n; i++) {
        const double want = o->solve ? unknown(o, thread, i) : product(o, thread, i);
        const double got = o->scalar->get(&out, i, 0);

        if (got != want)
            return fl_fail(err, -EBADMSG, "element %zu of thread %u's result is %g, want %g", i,
                           thread, got, want);
    }
    return 0;
}

int fl_level2_verify(const struct fl_level2 *operands, struct fl_err *err)
{
    int rc = 0;

    for (unsigned t = 0; t < fl_region_threads(operands->team) && !rc; t++)
        rc = verify_thread(operands, t, err);
    return rc;
}
