/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Template of the micro-kernels. Included once per instruction set and type by the micro-*.c files,
 * which define before it
 *   FL_REAL          double or float
 *   FL_NAME(x)       x with the suffix of the type
 *   FL_VEC           vector type; FL_LANES scalars in it
 *   FL_TILE_V        vectors in a tile's column, FL_TILE_W columns in a tile
 *   FL_KEEP(v)       keeps a vector in a register: loaded once, not again by each product
 *   FL_LOAD_PART(p, lanes), FL_STORE_PART(p, lanes, v)  the first `lanes` scalars only
 *   FL_STORE_RANGE(p, first, last, v)  the scalars from `first` to before `last` only
 *   FL_TRANSPOSE(source, ld, panel, width)  a square of FL_TURN x FL_TURN scalars: its lines, `ld`
 *                    apart, become columns, `width` apart
 *
 * Everything is always_inline with constant sizes, so that each tile shape is a straight loop with
 * its accumulators in registers. Vectors are GCC's portable ones: products contract to fused
 * multiply-adds by -ffp-contract=fast, which the build sets for these files.
 */
#include <stdbool.h>
#include <stddef.h>

#define FL_INLINE static inline __attribute__((always_inline))
#define FL_UNROLL _Pragma("GCC unroll 16")
#define FL_AHEAD  8                      /* steps of k that packing looks ahead */
#define FL_LINE   (64 / sizeof(FL_REAL)) /* scalars in a cache line */

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

/* Brings one column of C's tile near. */
FL_INLINE void FL_NAME(fetch_column)(const size_t V, const FL_REAL *c)
{
    FL_UNROLL for (size_t i = 0; i < V * FL_LANES; i += FL_LINE) __builtin_prefetch(c + i, 1);
    __builtin_prefetch(c + V * FL_LANES - 1, 1);
}

/* Where a tile stands in its panels. */
struct FL_NAME(cursor) {
    const FL_REAL *a, *b;
    size_t a_step, b_step;
};

/* sum += A * B over `count` steps of k. */
FL_INLINE void FL_NAME(steps)(const size_t V, const size_t W, size_t lanes, size_t count,
                              struct FL_NAME(cursor) * at, FL_VEC (*restrict sum)[FL_TILE_W])
{
    FL_VEC x[FL_TILE_V];

    for (; count > 0; count--, at->a += at->a_step, at->b += at->b_step) {
        FL_UNROLL for (size_t v = 0; v + 1 < V; v++) x[v] = FL_NAME(load)(at->a + v * FL_LANES);
        x[V - 1] = lanes == FL_LANES ? FL_NAME(load)(at->a + (V - 1) * FL_LANES)
                                     : FL_LOAD_PART(at->a + (V - 1) * FL_LANES, lanes);
        FL_UNROLL for (size_t v = 0; v < V; v++) FL_KEEP(x[v]);
        FL_UNROLL for (size_t w = 0; w < W; w++)
        {
            FL_UNROLL for (size_t v = 0; v < V; v++) sum[v][w] += x[v] * at->b[w];
        }
    }
}

/*
 * sum = A * B. On the way the tile of C is brought near column by column, and a line of what comes
 * next every 8 steps: all at once they would hold every line buffer and stall the panels.
 */
FL_INLINE void FL_NAME(sum_shape)(const size_t V, const size_t W, size_t lanes,
                                  const struct FL_NAME(fl_tile) * t,
                                  FL_VEC (*restrict sum)[FL_TILE_W])
{
    struct FL_NAME(cursor) at = {t->a, t->b, t->a_step, t->b_step};
    const FL_REAL *c = t->c, *next = t->next;
    size_t columns = W, chunks = t->k / 8;

    FL_UNROLL for (size_t w = 0; w < W; w++)
    {
        FL_UNROLL for (size_t v = 0; v < V; v++) sum[v][w] = (FL_VEC){0};
    }
    for (; columns > chunks; columns--, c += t->ldc)
        FL_NAME(fetch_column)(V, c);
    for (; columns > 0; columns--, chunks--, c += t->ldc, next += FL_LINE) {
        FL_NAME(fetch_column)(V, c);
        __builtin_prefetch(next, 0, 2);
        FL_NAME(steps)(V, W, lanes, 8, &at, sum);
    }
    for (; chunks > 0; chunks--, next += FL_LINE) {
        __builtin_prefetch(next, 0, 2);
        FL_NAME(steps)(V, W, lanes, 8, &at, sum);
    }
    FL_NAME(steps)(V, W, lanes, t->k % 8, &at, sum);
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

/*
 * Rows [first, last) of one column: to = beta * to + from. Both may be read, not written, to the
 * end of the vectors that hold these rows; `from` starts at row 0 like `to`.
 */
FL_INLINE void FL_NAME(add_rows)(size_t first, size_t last, FL_REAL beta, const FL_REAL *from,
                                 FL_REAL *to)
{
    for (size_t at = first - first % FL_LANES; at < last; at += FL_LANES) {
        const size_t low = first > at ? first - at : 0;
        const size_t high = last - at < FL_LANES ? last - at : FL_LANES;
        FL_VEC v = FL_NAME(load)(from + at);

        if (beta != 0)
            v += beta * FL_LOAD_PART(to + at, high);
        FL_STORE_RANGE(to + at, low, high, v);
    }
}

/* The part of a tile that lies on one side of the diagonal, which it meets at row `diagonal` of its
 * first column. */
static void FL_NAME(add_triangle)(const struct FL_NAME(fl_tile) * t, const FL_REAL *from,
                                  ptrdiff_t diagonal, bool lower)
{
    FL_REAL *to = t->c;

    for (size_t col = 0; col < t->cols; col++, from += FL_TILE_V * FL_LANES, to += t->ldc) {
        const ptrdiff_t on = diagonal + (ptrdiff_t)col;
        const size_t rows = t->rows, at = on < 0 ? 0 : (size_t)on;

        if (lower)
            FL_NAME(add_rows)(at < rows ? at : rows, rows, t->beta, from, to);
        else if (on >= 0)
            FL_NAME(add_rows)(0, at < rows ? at + 1 : rows, t->beta, from, to);
    }
}

/*
 * One step of `count` panels that lie side by side in the source; WIDTH = 0: any width. The same
 * lines of a later step are asked for: columns a page apart are beyond the hardware's prefetchers.
 */
FL_INLINE void FL_NAME(copy_step)(const size_t WIDTH, const struct fl_panels *p,
                                  const FL_REAL *source, FL_REAL *panel)
{
    const size_t width = WIDTH > 0 ? WIDTH : p->width;
    const size_t full = width / FL_LANES, lanes = width % FL_LANES;

    for (size_t i = 0; i < p->count * width; i += FL_LINE)
        __builtin_prefetch(source + FL_AHEAD * p->ld + i);
    for (size_t n = p->count; n > 0; n--, source += width, panel += width * p->k) {
        FL_UNROLL for (size_t v = 0; v < full; v++)
            FL_NAME(store)(panel + v * FL_LANES, FL_NAME(load)(source + v * FL_LANES));
        if (lanes > 0)
            FL_STORE_PART(panel + full * FL_LANES, lanes,
                          FL_LOAD_PART(source + full * FL_LANES, lanes));
    }
}

static void FL_NAME(pack_copy)(const struct fl_panels *p, const FL_REAL *source, FL_REAL *panel)
{
    for (size_t k = p->k; k > 0; k--, source += p->ld, panel += p->width) {
        if (p->width == FL_TILE_V * FL_LANES)
            FL_NAME(copy_step)(FL_TILE_V * FL_LANES, p, source, panel);
        else if (p->width == FL_TILE_W)
            FL_NAME(copy_step)(FL_TILE_W, p, source, panel);
        else
            FL_NAME(copy_step)(0, p, source, panel);
    }
}

/* Lines [first, width) by scalars from step `begin` on: what no square of FL_TURN lines covers. */
static void FL_NAME(turn_lines)(size_t first, size_t begin, const struct fl_panels *p,
                                const FL_REAL *source, FL_REAL *panel)
{
    for (size_t i = first; i < p->width; i++)
        for (size_t step = begin; step < p->k; step++)
            panel[step * p->width + i] = source[i * p->ld + step];
}

static void FL_NAME(turn_panel)(const struct fl_panels *p, const FL_REAL *source, FL_REAL *panel)
{
    const size_t lines = p->width - p->width % FL_TURN, steps = p->k - p->k % FL_TURN;

    for (size_t i = 0; i < lines; i += FL_TURN) {
        for (size_t step = 0; step < steps; step += FL_TURN) {
            const FL_REAL *from = source + i * p->ld + step;

            FL_UNROLL for (size_t line = 0; line < FL_TURN; line++)
                __builtin_prefetch(from + (p->width + line) * p->ld);
            FL_TRANSPOSE(from, p->ld, panel + step * p->width + i, p->width);
        }
    }
    FL_NAME(turn_lines)(0, steps, p, source, panel);
    FL_NAME(turn_lines)(lines, 0, p, source, panel);
}

static void FL_NAME(pack_transpose)(const struct fl_panels *p, const FL_REAL *source,
                                    FL_REAL *panel)
{
    for (size_t n = p->count; n > 0; n--, source += p->width * p->ld, panel += p->width * p->k)
        FL_NAME(turn_panel)(p, source, panel);
}

/* The table of this instruction set and type. */
#define FL_MICRO(isa_value)                                                                        \
    {                                                                                              \
        .isa = (isa_value), .lanes = FL_LANES, .mr = FL_TILE_V * FL_LANES, .nr = FL_TILE_W,        \
        .tile = FL_NAME(tile), .add_triangle = FL_NAME(add_triangle),                              \
        .pack_copy = FL_NAME(pack_copy), .pack_transpose = FL_NAME(pack_transpose),                \
    }
