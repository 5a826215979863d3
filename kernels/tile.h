/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Template of the micro-kernels. Included once per instruction set and type by the micro-*.c files,
 * which define before it
 *   FL_REAL          double or float
 *   FL_NAME(x)       x with the suffix of the type
 *   FL_VEC           vector type; FL_LANES scalars in it
 *   FL_TILE_V        vectors in a tile's column, FL_TILE_W columns in a tile
 *   FL_LOAD_PART(p, lanes), FL_STORE_PART(p, lanes, v)  the first `lanes` scalars only
 *   FL_TRANSPOSE(source, ld, panel, width)  a square of FL_TURN x FL_TURN scalars: its lines, `ld`
 *                    apart, become columns, `width` apart
 *
 * Everything is always_inline with constant sizes, so that each tile shape is a straight loop with
 * its accumulators in registers. Vectors are GCC's portable ones: products contract to fused
 * multiply-adds by -ffp-contract=fast, which the build sets for these files.
 */
#include <stddef.h>

#define FL_INLINE static inline __attribute__((always_inline))
#define FL_UNROLL _Pragma("GCC unroll 16")

/* The same vector at any address of a scalar. */
typedef FL_VEC FL_NAME(loose) __attribute__((aligned(sizeof(FL_REAL)), may_alias));

FL_INLINE FL_VEC FL_NAME(load)(const FL_REAL *p)
{
    return *(const FL_NAME(loose) *)p;
}

FL_INLINE void FL_NAME(store)(FL_REAL *p, FL_VEC v)
{
    *(FL_NAME(loose) *)p = v;
}

/*
 * Brings the tile of C near while the products are summed. The pointer passes through an empty asm
 * statement: the compiler would otherwise keep every address of the tile alive until the update.
 */
FL_INLINE void FL_NAME(fetch_shape)(const size_t V, const size_t W,
                                    const struct FL_NAME(fl_tile) * t)
{
    const FL_REAL *c = t->c;

    FL_UNROLL for (size_t w = 0; w < W; w++)
    {
        FL_UNROLL for (size_t v = 0; v < V; v++) __builtin_prefetch(c + v * FL_LANES, 1);
        __builtin_prefetch(c + V * FL_LANES - 1, 1);
        c += t->ldc;
        __asm__("" : "+r"(c));
    }
}

/* sum = A * B. */
FL_INLINE void FL_NAME(sum_shape)(const size_t V, const size_t W, size_t lanes,
                                  const struct FL_NAME(fl_tile) * t,
                                  FL_VEC (*restrict sum)[FL_TILE_W])
{
    const FL_REAL *a = t->a, *b = t->b;
    const size_t a_step = t->a_step, b_step = t->b_step;
    FL_VEC x[FL_TILE_V];

    FL_UNROLL for (size_t w = 0; w < W; w++)
    {
        FL_UNROLL for (size_t v = 0; v < V; v++) sum[v][w] = (FL_VEC){0};
    }
    for (size_t k = t->k; k > 0; k--, a += a_step, b += b_step) {
        FL_UNROLL for (size_t v = 0; v + 1 < V; v++) x[v] = FL_NAME(load)(a + v * FL_LANES);
        x[V - 1] = lanes == FL_LANES ? FL_NAME(load)(a + (V - 1) * FL_LANES)
                                     : FL_LOAD_PART(a + (V - 1) * FL_LANES, lanes);
        FL_UNROLL for (size_t w = 0; w < W; w++)
        {
            FL_UNROLL for (size_t v = 0; v < V; v++) sum[v][w] += x[v] * b[w];
        }
    }
}

/*
 * C = beta * C + alpha * sum. All loads of C stand before all stores: columns a multiple of 4 KiB
 * apart alias in the store buffer.
 */
FL_INLINE void FL_NAME(update_shape)(const size_t V, const size_t W, size_t lanes,
                                     const struct FL_NAME(fl_tile) * t,
                                     FL_VEC (*restrict sum)[FL_TILE_W])
{
    const FL_REAL *from = t->c;
    FL_REAL *to = t->c;

    FL_UNROLL for (size_t w = 0; w < W; w++)
    {
        FL_UNROLL for (size_t v = 0; v < V; v++) sum[v][w] *= t->alpha;
    }
    if (t->beta != 0) {
        FL_UNROLL for (size_t w = 0; w < W; w++)
        {
            FL_UNROLL for (size_t v = 0; v + 1 < V; v++) sum[v][w] +=
                t->beta * FL_NAME(load)(from + v * FL_LANES);
            sum[V - 1][w] +=
                t->beta * (lanes == FL_LANES ? FL_NAME(load)(from + (V - 1) * FL_LANES)
                                             : FL_LOAD_PART(from + (V - 1) * FL_LANES, lanes));
            from += t->ldc;
            __asm__("" : "+r"(from));
        }
    }
    FL_UNROLL for (size_t w = 0; w < W; w++)
    {
        FL_UNROLL for (size_t v = 0; v + 1 < V; v++) FL_NAME(store)(to + v * FL_LANES, sum[v][w]);
        if (lanes == FL_LANES)
            FL_NAME(store)(to + (V - 1) * FL_LANES, sum[V - 1][w]);
        else
            FL_STORE_PART(to + (V - 1) * FL_LANES, lanes, sum[V - 1][w]);
        to += t->ldc;
        __asm__("" : "+r"(to));
    }
}

/* A tile of V vectors by W columns, of whose last vector only `lanes` scalars exist. */
FL_INLINE void FL_NAME(tile_shape)(const size_t V, const size_t W, size_t lanes,
                                   const struct FL_NAME(fl_tile) * t)
{
    FL_VEC sum[FL_TILE_V][FL_TILE_W];

    FL_NAME(fetch_shape)(V, W, t);
    FL_NAME(sum_shape)(V, W, lanes, t, sum);
    FL_NAME(update_shape)(V, W, lanes, t, sum);
}

/* Two functions a shape, with a whole and a partial last vector. */
#define FL_SHAPE(V, W)                                                                             \
    static void FL_NAME(whole_##V##x##W)(size_t lanes, const struct FL_NAME(fl_tile) * t)          \
    {                                                                                              \
        (void)lanes;                                                                               \
        FL_NAME(tile_shape)(V, W, FL_LANES, t);                                                    \
    }                                                                                              \
    static void FL_NAME(part_##V##x##W)(size_t lanes, const struct FL_NAME(fl_tile) * t)           \
    {                                                                                              \
        FL_NAME(tile_shape)(V, W, lanes, t);                                                       \
    }

#if FL_TILE_W >= 8
FL_SHAPE(1, 8)
FL_SHAPE(2, 8)
#if FL_TILE_V >= 3
FL_SHAPE(3, 8)
#endif
#endif
FL_SHAPE(1, 4)
FL_SHAPE(2, 4)
FL_SHAPE(1, 2)
FL_SHAPE(2, 2)
FL_SHAPE(1, 1)
FL_SHAPE(2, 1)
#if FL_TILE_V >= 3
FL_SHAPE(3, 4)
FL_SHAPE(3, 2)
FL_SHAPE(3, 1)
#endif

#define FL_PAIR(V, W)                                                                              \
    {                                                                                              \
        FL_NAME(part_##V##x##W), FL_NAME(whole_##V##x##W)                                          \
    }
#if FL_TILE_V >= 3
#define FL_ROW(W)                                                                                  \
    {                                                                                              \
        FL_PAIR(1, W), FL_PAIR(2, W), FL_PAIR(3, W)                                                \
    }
#else
#define FL_ROW(W)                                                                                  \
    {                                                                                              \
        FL_PAIR(1, W), FL_PAIR(2, W)                                                               \
    }
#endif

/* By log2 of the columns, then by vectors, then part or whole. */
static void (*const FL_NAME(shapes)[][FL_TILE_V][2])(size_t lanes,
                                                     const struct FL_NAME(fl_tile) *) = {
    FL_ROW(1),
    FL_ROW(2),
    FL_ROW(4),
#if FL_TILE_W >= 8
    FL_ROW(8),
#endif
};

/* A panel of B narrower than the tile is worked off in powers of two. */
static void FL_NAME(tile)(const struct FL_NAME(fl_tile) * whole)
{
    const size_t vectors = (whole->rows + FL_LANES - 1) / FL_LANES;
    const size_t lanes = whole->rows - (vectors - 1) * FL_LANES;
    size_t shape = FL_TILE_W >= 8 ? 3 : 2;
    struct FL_NAME(fl_tile) t;

    if (whole->cols == FL_TILE_W) {
        FL_NAME(shapes)[shape][vectors - 1][lanes == FL_LANES](lanes, whole);
        return;
    }
    for (t = *whole; t.cols > 0;) {
        const size_t width = (size_t)1 << shape;

        if (width > t.cols) {
            shape--;
            continue;
        }
        FL_NAME(shapes)[shape][vectors - 1][lanes == FL_LANES](lanes, &t);
        t.b += width;
        t.c += width * t.ldc;
        t.cols -= width;
    }
}

/* Copies `width` contiguous scalars a step; WIDTH = 0: any width. */
FL_INLINE void FL_NAME(copy_width)(const size_t WIDTH, size_t width, size_t k,
                                   const FL_REAL *source, size_t ld, FL_REAL *panel)
{
    const size_t full = WIDTH > 0 ? WIDTH / FL_LANES : width / FL_LANES;
    const size_t lanes = WIDTH > 0 ? WIDTH % FL_LANES : width % FL_LANES;

    for (; k > 0; k--, source += ld, panel += WIDTH > 0 ? WIDTH : width) {
        FL_UNROLL for (size_t v = 0; v < full; v++)
            FL_NAME(store)(panel + v * FL_LANES, FL_NAME(load)(source + v * FL_LANES));
        if (lanes > 0)
            FL_STORE_PART(panel + full * FL_LANES, lanes,
                          FL_LOAD_PART(source + full * FL_LANES, lanes));
    }
}

static void FL_NAME(pack_copy)(size_t width, size_t k, const FL_REAL *source, size_t ld,
                               FL_REAL *panel)
{
    if (width == FL_TILE_V * FL_LANES)
        FL_NAME(copy_width)(FL_TILE_V * FL_LANES, width, k, source, ld, panel);
    else if (width == 2 * FL_LANES)
        FL_NAME(copy_width)(2 * FL_LANES, width, k, source, ld, panel);
    else if (width == FL_TILE_W)
        FL_NAME(copy_width)(FL_TILE_W, width, k, source, ld, panel);
    else
        FL_NAME(copy_width)(0, width, k, source, ld, panel);
}

/* Lines [first, width) by scalars: what no square of FL_TURN lines covers. */
static void FL_NAME(turn_lines)(size_t first, size_t width, size_t k, const FL_REAL *source,
                                size_t ld, FL_REAL *panel)
{
    for (size_t i = first; i < width; i++)
        for (size_t step = 0; step < k; step++)
            panel[step * width + i] = source[i * ld + step];
}

static void FL_NAME(pack_transpose)(size_t width, size_t k, const FL_REAL *source, size_t ld,
                                    FL_REAL *panel)
{
    const size_t lines = width - width % FL_TURN, steps = k - k % FL_TURN;

    for (size_t i = 0; i < lines; i += FL_TURN)
        for (size_t step = 0; step < steps; step += FL_TURN)
            FL_TRANSPOSE(source + i * ld + step, ld, panel + step * width + i, width);
    if (steps < k)
        FL_NAME(turn_lines)(0, width, k - steps, source + steps, ld, panel + steps * width);
    FL_NAME(turn_lines)(lines, width, steps, source, ld, panel);
}

/* The table of this instruction set and type. */
#define FL_MICRO(isa_value)                                                                        \
    {                                                                                              \
        .isa = isa_value, .lanes = FL_LANES, .mr = FL_TILE_V * FL_LANES, .nr = FL_TILE_W,          \
        .tile = FL_NAME(tile), .pack_copy = FL_NAME(pack_copy),                                    \
        .pack_transpose = FL_NAME(pack_transpose),                                                 \
    }
