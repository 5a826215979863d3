/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel: the call under test.
 *
 * open() prepares operands from the arena, run() is one call and the only measured slot, check()
 * makes one more call on fresh operands and compares it with a reference. A kernel names no
 * allocator and no barrier: it is handed a workspace and a team. Add one: copy TEMPLATE.c in
 * kernels/.
 *
 * Threads: one kernel state belongs to one thread at a time; run() may share its work out to the
 * team's.
 */
#ifndef FAULTLINE_KERNEL_H
#define FAULTLINE_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "faultline/arena.h"
#include "faultline/cell.h"
#include "faultline/facts.h"
#include "faultline/part.h"
#include "faultline/team.h"
#include "faultline/workspace.h"

#ifdef __cplusplus
extern "C" {
#endif

enum fl_kernel_uses {
    FL_USES_WORKSPACE = 1u << 0, /* takes scratch memory: the factor `workspace` applies */
    FL_USES_LIBRARY = 1u << 1,   /* lives in a shared library: `library` is in the key */
    FL_USES_TEAM = 1u << 2,      /* shares its work out: `threads`, `team`, `barrier`, ... apply */
    FL_MAKES_TOKENS = 1u << 3,   /* one run() makes one token of text: `tokens` is derived */
};

/* Work of one call (of one elementary call, where run() makes several). `bytes` is the traffic that
 * the operation needs at least (each operand read or written once). 0: does not apply, and no rate
 * is derived. */
struct fl_cost {
    double flops, bytes;
};

/* What open() is handed. Everything outlives the kernel's close(). */
struct fl_kernel_env {
    const struct fl_cell *cell;   /* resolved: every factor of the kernel has a level */
    struct fl_arena *arena;       /* operands and reference data */
    struct fl_facts *facts;       /* resolved values go here */
    uint64_t seed;                /* for operand values */
    const char *library;          /* path or SONAME of the library, NULL: none */
    unsigned long cache_bytes[4]; /* data caches L1..L3 in [1]..[3]; 0: unknown */
    const struct fl_team *team;   /* with FL_USES_TEAM; else NULL */
    double gap;                   /* pause between calls that is to come, seconds */
};

struct fl_kernel_ops {
    struct fl_part part;
    const struct fl_factor *const *factors; /* NULL-terminated, in key order */
    unsigned uses;                          /* enum fl_kernel_uses */
    /* Required with FL_USES_LIBRARY, NULL-terminated: operations of a library that this part calls,
     * spelt as BLAS does and without suffix (`dgemm`), or the names of our kernels that stand for a
     * way to call one (`dgemm-small-tn`). No two parts name the same one. */
    const char *const *symbols;
    /* Required. Work of one call for this cell. 0, or -EINVAL where factors contradict each other
     * (lda below m): the runner calls it before anything is measured. */
    int (*cost)(const struct fl_cell *cell, struct fl_cost *cost, struct fl_err *err);
    /* Required. -ENOTSUP with a reason: cannot run here. -ENOMEM: operands do not fit. */
    int (*open)(void *state, const struct fl_kernel_env *env, struct fl_err *err);
    /* Required where it uses a workspace: the largest requests run() will make. */
    size_t (*requests)(const void *state, struct fl_request requests[FL_REQUESTS_MAX]);
    /* Optional. Elementary calls that one run() makes, known after open(): a parallel region of
     * many gemms makes one for each. Metrics are per elementary call. Without it: 1. */
    uint64_t (*calls)(const void *state);
    /* Required. One call, or one region of calls(). 0, or the workspace's error. */
    int (*run)(void *state, const struct fl_workspace *workspace);
    /* Required. Fresh operands, one call, compared with the reference. 0, or -EBADMSG saying what
     * differs by how much and what was allowed. */
    int (*check)(void *state, const struct fl_workspace *workspace, struct fl_err *err);
    /* Required. */
    void (*close)(void *state);
};

#ifdef __cplusplus
}
#endif

#endif
