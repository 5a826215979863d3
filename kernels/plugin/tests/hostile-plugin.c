/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plug-in whose kernel doubles numbers, and its broken brothers: HOSTILE_x is defined for one
 * way in which it does harm or is not what it should be.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "faultline/plugin.h"

#ifndef NAME
#define NAME "twice"
#endif

struct state {
    size_t n;
    double *in, *out;
};

#ifdef HOSTILE_level
static int check_level(const char *level, struct fl_err *err)
{
    (void)err;
    if (!strcmp(level, "13"))
        abort();
    return 0;
}
#endif

static const struct fl_factor n_factor = {
    .name = "n",
    .summary = "length of the vector",
    .type = FL_FACTOR_INT,
    .min = 1,
    .max = 1 << 20,
#ifdef HOSTILE_level
    .check = check_level,
#endif
};
#ifdef HOSTILE_factor
static const struct fl_factor own_factor = {
    .name = "workspace", .summary = "a name of faultline's", .fallback = "0"};
static const struct fl_factor *const factors[] = {&n_factor, &own_factor, NULL};
#else
static const struct fl_factor *const factors[] = {&n_factor, NULL};
#endif

#if defined HOSTILE_crash || defined HOSTILE_exit || defined HOSTILE_hang ||                       \
    defined HOSTILE_closes || defined HOSTILE_print
__attribute__((constructor)) static void construct(void)
{
#ifdef HOSTILE_crash
    abort();
#elif defined HOSTILE_exit
    exit(0);
#elif defined HOSTILE_hang
    for (;;)
        pause();
#elif defined HOSTILE_closes
    close(STDERR_FILENO);
#else
    printf("printed by a constructor\n");
#endif
}
#endif

#ifdef HOSTILE_destructor
__attribute__((destructor)) static void destruct(void)
{
    abort();
}
#endif

#ifdef HOSTILE_probe
static int probe(struct fl_err *why)
{
    (void)why;
    abort();
}
#elif defined HOSTILE_unable
static int probe(struct fl_err *why)
{
    return fl_fail(why, -ENOTSUP, "needs a processor of tomorrow");
}
#endif

static int cost(const struct fl_cell *cell, struct fl_cost *out, struct fl_err *err)
{
    (void)err;
#ifdef HOSTILE_cost
    abort();
#endif
#ifdef HOSTILE_level
    if (fl_cell_number(cell, "n", 1) == 17)
        abort();
#endif
    *out = (struct fl_cost){.flops = fl_cell_number(cell, "n", 1)};
    return 0;
}

static int open_kernel(void *state, const struct fl_kernel_env *env, struct fl_err *err)
{
    struct state *s = state;
#ifdef HOSTILE_open
    abort();
#endif
    s->n = (size_t)fl_cell_number(env->cell, "n", 1);
    s->in = fl_arena_alloc(env->arena, s->n * sizeof(double), 64);
    s->out = fl_arena_alloc(env->arena, s->n * sizeof(double), 64);
    if (!s->in || !s->out)
        return fl_fail(err, -ENOMEM, "cannot allocate two vectors: out of memory");
    for (size_t i = 0; i < s->n; i++)
        s->in[i] = (double)(env->seed % 97 + i);
    return 0;
}

#ifdef HOSTILE_undefined
void defined_by_nobody(void);
#endif

static int run(void *state, const struct fl_workspace *workspace)
{
    struct state *s = state;
    (void)workspace;
#ifdef HOSTILE_undefined
    defined_by_nobody();
#endif
#ifdef HOSTILE_hangs_late
    for (;;)
        pause();
#endif
#ifdef HOSTILE_slow
    for (size_t i = 0; i < s->n; i++)
        ((volatile double *)s->out)[i] = s->in[i];
#endif
    for (size_t i = 0; i < s->n; i++)
        s->out[i] = 2 * s->in[i];
    return 0;
}

static int check(void *state, const struct fl_workspace *workspace, struct fl_err *err)
{
    struct state *s = state;
    int rc = run(s, workspace);
#ifdef HOSTILE_wrong
    s->out[0] = -1;
#endif
    for (size_t i = 0; !rc && i < s->n; i++)
        if (s->out[i] != 2 * s->in[i])
            rc = fl_fail(err, -EBADMSG, "element %zu is %g, want %g", i, s->out[i], 2 * s->in[i]);
    return rc;
}

static void close_kernel(void *state)
{
    (void)state;
}

static const struct fl_kernel_ops kernel = {
    .part =
        {
            .name = NAME,
            .summary = "doubles a vector",
#ifdef HOSTILE_part
            .abi = FL_PART_ABI + 1,
#else
            .abi = FL_PART_ABI,
#endif
            .state_size = sizeof(struct state),
#if defined HOSTILE_probe || defined HOSTILE_unable
            .probe = probe,
#endif
        },
    .factors = factors,
#ifdef HOSTILE_library
    .uses = FL_USES_LIBRARY,
    .symbols = (const char *const[]){"dgemm", NULL},
#endif
    .cost = cost,
    .open = open_kernel,
#ifndef HOSTILE_slot
    .run = run,
#endif
    .check = check,
    .close = close_kernel,
};

#ifdef HOSTILE_abi
const struct fl_plugin faultline_plugin = {.abi = FL_PART_ABI + 7};
#elif defined HOSTILE_size
static const struct fl_kernel_ops *const kernels[] = {&kernel, NULL};
const struct fl_plugin faultline_plugin = {FL_PART_ABI, sizeof(struct fl_plugin),
                                           sizeof(struct fl_kernel_ops) - 8,
                                           sizeof(struct fl_factor), kernels};
#elif defined HOSTILE_table
const struct fl_plugin faultline_plugin = {FL_PART_ABI, sizeof(struct fl_plugin),
                                           sizeof(struct fl_kernel_ops), sizeof(struct fl_factor),
                                           (const struct fl_kernel_ops *const *)(uintptr_t)64};
#elif defined HOSTILE_empty
static const struct fl_kernel_ops *const kernels[] = {NULL, &kernel};
const struct fl_plugin faultline_plugin = {FL_PART_ABI, sizeof(struct fl_plugin),
                                           sizeof(struct fl_kernel_ops), sizeof(struct fl_factor),
                                           kernels};
#elif defined HOSTILE_symbol
extern const struct fl_kernel_ops *const kernel_of_another_name;
const struct fl_kernel_ops *const kernel_of_another_name = &kernel;
#elif defined HOSTILE_two
FL_PLUGIN(&kernel, &kernel);
#else
FL_PLUGIN(&kernel);
#endif
