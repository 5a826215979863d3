/* SPDX-License-Identifier: Apache-2.0 */
/* vec_axpy() as a kernel of faultline: the library's function, unchanged. */
#include <faultline/plugin.h>

#include "vec.h"

struct state {
    size_t n;
    double *x, *y;
};
static const struct fl_factor n_factor = FL_SIZE_FACTOR("n", "length of the vectors", 1, 1 << 24);
static const struct fl_factor *const factors[] = {&n_factor, NULL};

static int open(void *state, const struct fl_kernel_env *env, struct fl_err *err)
{
    struct state *s = state;
    s->n = (size_t)fl_cell_number(env->cell, "n", 1);
    s->x = fl_arena_alloc(env->arena, 2 * s->n * sizeof *s->x, 64);
    s->y = s->x + s->n;
    for (size_t i = 0; s->x && i < s->n; i++)
        s->x[i] = (double)i;
    return s->x ? 0 : fl_fail(err, -ENOMEM, "cannot allocate two vectors of %zu", s->n);
}
static int run(void *state, const struct fl_workspace *none)
{
    struct state *s = state;
    vec_axpy(s->n, 2, s->x, s->y);
    return 0;
}
static int check(void *state, const struct fl_workspace *none, struct fl_err *err)
{
    struct state *s = state;
    double *last = &s->y[s->n - 1], want = *last + 2 * s->x[s->n - 1];
    run(s, none);
    return *last == want ? 0 : fl_fail(err, -EBADMSG, "the last is %g, want %g", *last, want);
}
static const struct fl_kernel_ops axpy =
    FL_SIMPLE_KERNEL("vec-axpy", "y = y + 2 x", struct state, factors, open, run, check);
FL_PLUGIN(&axpy);
