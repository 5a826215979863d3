/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Template of the tables in micro.h, which includes it once for each type with FL_REAL and
 * FL_NAME(x).
 */

/*
 * C(0..rows, 0..cols) = beta * C + alpha * A * B over k steps, C column-major. `a` advances by
 * `a_step` and `b` by `b_step` scalars for each step of k. beta = 0 writes without reading C.
 * `next` is what the caller will read after this tile: it is brought near.
 */
struct FL_NAME(fl_tile) {
    size_t rows, cols, k; /* at most mr and nr, and at least 1 */
    const FL_REAL *a, *b, *next;
    size_t a_step, b_step;
    FL_REAL *c;
    size_t ldc;
    FL_REAL alpha, beta;
};

struct FL_NAME(fl_micro) {
    enum fl_isa isa;
    size_t lanes;  /* scalars in a vector: panels of A are cut at multiples of it */
    size_t mr, nr; /* largest tile */
    void (*tile)(const struct FL_NAME(fl_tile) * tile);
    /* The part of a tile on or beyond one side of the diagonal: C = beta * C + from. Column j meets
     * the diagonal at row `diagonal` + j; `from` has mr scalars a column and one vector more. */
    void (*add_triangle)(const struct FL_NAME(fl_tile) * tile, const FL_REAL *from,
                         ptrdiff_t diagonal, bool lower);
    /* The scalars of a step are contiguous in the source, which advances by ld for each step. */
    void (*pack_copy)(const struct fl_panels *panels, const FL_REAL *source, FL_REAL *panel);
    /* The steps are contiguous in the source and the lines of a panel lie ld apart. */
    void (*pack_transpose)(const struct fl_panels *panels, const FL_REAL *source, FL_REAL *panel);
};
