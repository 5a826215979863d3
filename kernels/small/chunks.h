/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chunks: the operands of one parallel region of small gemms, as k-means has them.
 *
 * Each call computes C_chunk(k x 256) = -2 * centers(d x k)' * X_chunk(d x 256): 256 samples of d
 * features against k centers, which all calls share. Chunks adjoin in X and C without padding, so
 * that the whole region is one product of 256 * chunks columns: it is filled and verified as one.
 * Chunks are split over the team in runs of neighbours; one is a multiple of a cache line, so that
 * no line of C is written by two threads.
 */
#ifndef FAULTLINE_KERNELS_CHUNKS_H
#define FAULTLINE_KERNELS_CHUNKS_H

#include "../product-kernel.h"

#define FL_CHUNK_ROWS 256

struct fl_chunks {
    struct fl_product all; /* every chunk as one product; without blocking */
    const struct fl_scalar *scalar;
    const struct fl_team *team; /* NULL: the caller alone */
    struct fl_arena *arena;     /* for the scratch of the check */
    size_t count;
    uint64_t seed;
};

extern const struct fl_factor fl_factor_chunk_k, fl_factor_chunk_d, fl_factor_chunks;

/* Work of one call. */
void fl_chunks_cost(const struct fl_cell *cell, bool single, struct fl_cost *cost);

/*
 * Maps and fills the operands. X is touched by the caller, as by a program that reads its data, and
 * C by the threads that will write it. 0 or -ENOMEM.
 */
int fl_chunks_open(struct fl_chunks *chunks, bool single, const struct fl_kernel_env *env,
                   struct fl_err *err) FL_MUST_CHECK;

/* Operands of one call that chunks do not share. */
void fl_chunks_at(const struct fl_chunks *chunks, size_t index, const void **b, void **c);

/* Fresh operands; run(state, workspace) is the region; every element of every chunk is verified. 0,
 * -EBADMSG, or what run() returned. */
int fl_chunks_check(const struct fl_chunks *chunks,
                    int (*run)(void *state, const struct fl_workspace *workspace), void *state,
                    const struct fl_workspace *workspace, struct fl_err *err) FL_MUST_CHECK;

#endif
