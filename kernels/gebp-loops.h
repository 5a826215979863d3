/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Template of gebp.h for one type. Included once each by gebp-f64.c and gebp-f32.c, which include
 * gebp.h and define FL_REAL and FL_NAME(x).
 *
 * One block is kc steps of mc rows and nc columns. Of the two loop orders that fit the buffers, the
 * one that packs less is taken: where nc covers all columns, B is packed once for each kc and A
 * block by block; where mc covers all rows, the other way round.
 */
#define FL_TMP_MAX                                                                                 \
    (48 * 8 + 16) /* scalars of the largest tile of any micro-kernel, and a vector                 \
                   */

/* What every level of the loops needs. */
struct loops {
    const struct fl_product *p;
    const struct FL_NAME(fl_micro) * micro;
    FL_REAL *a, *b; /* packed blocks */
};

/* A rectangle of C and the steps of k that are being added to it. */
struct block {
    size_t i, rows, j, cols, k, steps;
};

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/*
 * Rows of the next panel of A. A last panel of one vector would run at the latency of the
 * multiply-add, not at its rate, so 4 vectors are cut 2 + 2 and not 3 + 1.
 */
static size_t panel_rows(const struct FL_NAME(fl_micro) * micro, size_t left)
{
    const size_t vectors = (left + micro->lanes - 1) / micro->lanes;

    if (micro->mr == 3 * micro->lanes && vectors == 4)
        return 2 * micro->lanes;
    return min_size(left, micro->mr);
}

/* Full panels that are packed together: several cache lines of each column of the source. */
#define TOGETHER 4

/* Packs the panels of A that cover `rows` rows from row i of a block on: of one width. */
static void pack_a_panels(const struct loops *l, const struct block *at, size_t i, size_t rows)
{
    const struct fl_product *p = l->p;
    const FL_REAL *a = p->a;
    const size_t width = panel_rows(l->micro, at->rows - i);
    const struct fl_panels panels = {width, rows / width, at->steps, p->lda};

    a += p->trans_a ? at->k + (at->i + i) * p->lda : at->i + i + at->k * p->lda;
    if (p->trans_a)
        l->micro->pack_transpose(&panels, a, l->a + i * at->steps);
    else
        l->micro->pack_copy(&panels, a, l->a + i * at->steps);
}

static void pack_a(const struct loops *l, const struct block *at)
{
    const size_t mr = l->micro->mr;

    for (size_t i = 0, rows; i < at->rows; i += rows) {
        rows = at->rows - i >= (TOGETHER + 2) * mr ? TOGETHER * mr
                                                   : panel_rows(l->micro, at->rows - i);
        pack_a_panels(l, at, i, rows);
    }
}

static void pack_b(const struct loops *l, const struct block *at)
{
    const struct fl_product *p = l->p;
    struct fl_panels panels = {.k = at->steps, .ld = p->ldb};
    const FL_REAL *b = p->b;
    FL_REAL *panel = l->b;

    b += p->trans_b ? at->j + at->k * p->ldb : at->k + at->j * p->ldb;
    for (size_t j = 0, cols; j < at->cols; j += cols) {
        panels.width = min_size(l->micro->nr, at->cols - j);
        panels.count = at->cols - j >= TOGETHER * l->micro->nr ? TOGETHER : 1;
        cols = panels.width * panels.count;
        if (p->trans_b)
            l->micro->pack_copy(&panels, b + j, panel);
        else
            l->micro->pack_transpose(&panels, b + j * p->ldb, panel);
        panel += cols * at->steps;
    }
}

/* The tile at the corner of a block; its caller moves it. beta belongs to the first steps of k. */
static struct FL_NAME(fl_tile) first_tile(const struct loops *l, const struct block *at)
{
    const struct fl_product *p = l->p;
    const struct FL_NAME(fl_tile) tile = {
        .k = at->steps,
        .a = l->a,
        .b = l->b,
        .next = l->a,
        .c = (FL_REAL *)p->c + at->i + at->j * p->ldc,
        .ldc = p->ldc,
        .alpha = (FL_REAL)p->alpha,
        .beta = at->k == 0 ? (FL_REAL)p->beta : 1,
    };

    return tile;
}

/*
 * C's block += A * packed B. A's panel stays in the first-level cache, B's stream by. With `pack`
 * each panel of A is packed just before it is used, and found there.
 */
static void multiply(const struct loops *l, const struct block *at, bool pack)
{
    const struct FL_NAME(fl_tile) corner = first_tile(l, at);
    struct FL_NAME(fl_tile) tile = corner;

    for (size_t i = 0; i < at->rows; i += tile.rows) {
        tile.rows = tile.a_step = panel_rows(l->micro, at->rows - i);
        if (pack)
            pack_a_panels(l, at, i, tile.rows);
        tile.b = corner.b;
        tile.next = tile.a + tile.rows * at->steps;
        for (size_t j = 0; j < at->cols; j += tile.cols) {
            tile.cols = tile.b_step = min_size(l->micro->nr, at->cols - j);
            tile.c = corner.c + i + j * tile.ldc;
            l->micro->tile(&tile);
            tile.b += tile.cols * at->steps;
            tile.next += at->steps / 8 * (64 / sizeof(FL_REAL));
        }
        tile.a += tile.rows * at->steps;
    }
}

/* Columns outermost: B is packed once for each kc. */
static void gemm_by_columns(const struct loops *l)
{
    const struct fl_product *p = l->p;
    struct block at;

    for (at.j = 0; at.j < p->n; at.j += at.cols) {
        at.cols = min_size(p->blocking.nc, p->n - at.j);
        for (at.k = 0; at.k < p->k; at.k += at.steps) {
            at.steps = min_size(p->blocking.kc, p->k - at.k);
            pack_b(l, &at);
            for (at.i = 0; at.i < p->m; at.i += at.rows) {
                at.rows = min_size(p->blocking.mc, p->m - at.i);
                multiply(l, &at, true);
            }
        }
    }
}

/* Rows outermost: A is packed once for each kc. */
static void gemm_by_rows(const struct loops *l)
{
    const struct fl_product *p = l->p;
    struct block at;

    for (at.i = 0; at.i < p->m; at.i += at.rows) {
        at.rows = min_size(p->blocking.mc, p->m - at.i);
        for (at.k = 0; at.k < p->k; at.k += at.steps) {
            at.steps = min_size(p->blocking.kc, p->k - at.k);
            pack_a(l, &at);
            for (at.j = 0; at.j < p->n; at.j += at.cols) {
                at.cols = min_size(p->blocking.nc, p->n - at.j);
                pack_b(l, &at);
                multiply(l, &at, false);
            }
        }
    }
}

/* Scalars packed by the two orders are k times these. */
static int columns_pack_less(const struct fl_product *p)
{
    const size_t column_blocks = (p->n + p->blocking.nc - 1) / p->blocking.nc;
    const size_t row_blocks = (p->m + p->blocking.mc - 1) / p->blocking.mc;

    return p->n + p->m * column_blocks <= p->m + p->n * row_blocks;
}

/* Adds the triangle's part of a tile that lies across the diagonal; (i, j) is its corner in C. */
static void add_across(const struct loops *l, const struct FL_NAME(fl_tile) * tile, size_t i,
                       size_t j)
{
    _Alignas(64) FL_REAL tmp[FL_TMP_MAX];
    struct FL_NAME(fl_tile) local = *tile;

    local.c = tmp;
    local.ldc = l->micro->mr;
    local.beta = 0;
    l->micro->tile(&local);
    l->micro->add_triangle(tile, tmp, (ptrdiff_t)j - (ptrdiff_t)i, l->p->lower);
}

/*
 * One tile of the triangle: in full, across the diagonal, or not at all. Whole vectors of rows
 * outside the triangle are left out.
 */
static void triangle_tile(const struct loops *l, struct FL_NAME(fl_tile) tile, size_t i, size_t j)
{
    const size_t i_end = i + tile.rows, j_end = j + tile.cols;

    if (l->p->lower ? j_end <= i + 1 : j + 1 >= i_end) {
        l->micro->tile(&tile);
        return;
    }
    if (l->p->lower && j > i) {
        const size_t skip = (j - i) - (j - i) % l->micro->lanes;

        tile.a += skip;
        tile.c += skip;
        tile.rows -= skip;
        i += skip;
    }
    if (!l->p->lower && j_end < i_end)
        tile.rows = j_end - i;
    add_across(l, &tile, i, j);
}

/*
 * As multiply(), for the tiles of the triangle between columns `from` and `to`, multiples of nr or
 * the end; `at` spans all columns.
 */
static void multiply_triangle(const struct loops *l, const struct block *at, size_t from, size_t to)
{
    const struct FL_NAME(fl_tile) corner = first_tile(l, at);
    struct FL_NAME(fl_tile) tile = corner;
    const size_t nr = l->micro->nr;

    for (size_t i = 0; i < at->rows; i += tile.rows) {
        const size_t row = at->i + i;

        tile.rows = tile.a_step = panel_rows(l->micro, at->rows - i);
        const size_t first = l->p->lower || row < from ? from : row - row % nr;
        const size_t last = l->p->lower ? min_size(row + tile.rows, to) : to;

        tile.next = tile.a + tile.rows * at->steps;
        for (size_t j = first; j < last; j += nr) {
            tile.cols = tile.b_step = min_size(nr, at->cols - j);
            tile.b = corner.b + j * at->steps;
            tile.c = corner.c + i + j * tile.ldc;
            triangle_tile(l, tile, row, j);
            tile.next += at->steps / 8 * (64 / sizeof(FL_REAL));
        }
        tile.a += tile.rows * at->steps;
    }
}

static void syrk(const struct loops *l)
{
    const struct fl_product *p = l->p;
    const size_t nr = l->micro->nr, width = (p->blocking.nc + nr - 1) / nr * nr;
    struct block at = {.cols = p->n};

    for (at.k = 0; at.k < p->k; at.k += at.steps) {
        at.steps = min_size(p->blocking.kc, p->k - at.k);
        pack_b(l, &at);
        for (at.i = 0; at.i < p->n; at.i += at.rows) {
            at.rows = min_size(p->blocking.mc, p->n - at.i);
            pack_a(l, &at);
            for (size_t j = 0; j < p->n; j += width)
                multiply_triangle(l, &at, j, min_size(j + width, p->n));
        }
    }
}

/* alpha = 0: C is scaled and nothing else is read. */
static void scale(const struct fl_product *p)
{
    const FL_REAL beta = (FL_REAL)p->beta;

    for (size_t j = 0; j < p->n; j++) {
        const size_t first = p->syrk && p->lower ? j : 0;
        const size_t last = p->syrk && !p->lower ? j + 1 : p->m;
        FL_REAL *c = (FL_REAL *)p->c + j * p->ldc;

        for (size_t i = first; i < last; i++)
            c[i] = beta != 0 ? beta * c[i] : 0;
    }
}

void FL_NAME(fl_gebp)(const struct fl_product *product, const struct FL_NAME(fl_micro) * micro,
                      void *const *buffers)
{
    const struct loops loops = {product, micro, buffers[0], buffers[1]};

    if (product->alpha == 0)
        scale(product);
    else if (product->syrk)
        syrk(&loops);
    else if (columns_pack_less(product))
        gemm_by_columns(&loops);
    else
        gemm_by_rows(&loops);
}
