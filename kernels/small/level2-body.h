/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Template of the loops of level2-kernel.h for one type. Included once each by level2-f64.c and
 * level2-f32.c, which define FL_REAL and FL_NAME(x). Plain C: at these sizes the call decides.
 */
#include "level2-kernel.h"

#include <string.h>

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static const FL_REAL *stored_column(const struct fl_level2 *o, size_t col)
{
    return (const FL_REAL *)o->a.at + col * o->a.ld;
}

/* The block at the diagonal from its triangle, as a full square of `width` columns. */
static void expand(const struct fl_level2 *o, size_t at, size_t width, FL_REAL *square)
{
    for (size_t j = 0; j < width; j++) {
        const FL_REAL *from = stored_column(o, at + j) + at;
        const size_t first = o->lower ? j : 0, last = o->lower ? width : j + 1;

        for (size_t i = first; i < last; i++)
            square[i + j * FL_SYMV_BLOCK] = square[j + i * FL_SYMV_BLOCK] = from[i];
    }
}

static void add_square(const FL_REAL *square, size_t width, const FL_REAL *x, FL_REAL *y)
{
    for (size_t j = 0; j < width; j++)
        for (size_t i = 0; i < width; i++)
            y[i] += square[i + j * FL_SYMV_BLOCK] * x[j];
}

/* A panel off the diagonal stands for two: itself and its mirror image. */
static void add_panel(const struct fl_level2 *o, size_t at, size_t width, const FL_REAL *x,
                      FL_REAL *y)
{
    const size_t first = o->lower ? at + width : 0, last = o->lower ? o->n : at;

    for (size_t j = at; j < at + width; j++) {
        const FL_REAL *from = stored_column(o, j);
        FL_REAL sum = 0;

        for (size_t i = first; i < last; i++) {
            y[i] += from[i] * x[j];
            sum += from[i] * x[i];
        }
        y[j] += sum;
    }
}

void FL_NAME(fl_symv)(const struct fl_level2 *o, const void *in, void *out, void *scratch)
{
    const FL_REAL *x = in;
    FL_REAL *y = out;

    memset(y, 0, o->n * sizeof *y);
    for (size_t at = 0; at < o->n; at += FL_SYMV_BLOCK) {
        const size_t width = min_size(FL_SYMV_BLOCK, o->n - at);

        expand(o, at, width, scratch);
        add_square(scratch, width, x + at, y + at);
        add_panel(o, at, width, x, y);
    }
}

/* Column by column: what is solved leaves the rows that are not. */
static void solve_columns(const struct fl_level2 *o, FL_REAL *x)
{
    for (size_t step = 0; step < o->n; step++) {
        const size_t j = o->lower ? step : o->n - 1 - step;
        const FL_REAL *a = stored_column(o, j);
        const size_t first = o->lower ? j + 1 : 0, last = o->lower ? o->n : j;

        if (!o->unit)
            x[j] /= a[j];
        for (size_t i = first; i < last; i++)
            x[i] -= a[i] * x[j];
    }
}

/* Rows of the transposed matrix are columns of the stored one. */
static void solve_rows(const struct fl_level2 *o, FL_REAL *x)
{
    for (size_t step = 0; step < o->n; step++) {
        const size_t j = o->lower ? o->n - 1 - step : step;
        const FL_REAL *a = stored_column(o, j);
        const size_t first = o->lower ? j + 1 : 0, last = o->lower ? o->n : j;
        FL_REAL sum = 0;

        for (size_t i = first; i < last; i++)
            sum += a[i] * x[i];
        x[j] -= sum;
        if (!o->unit)
            x[j] /= a[j];
    }
}

void FL_NAME(fl_trsv)(const struct fl_level2 *o, const void *in, void *out, void *scratch)
{
    FL_REAL *x = scratch;

    memcpy(x, in, o->n * sizeof *x);
    if (o->trans)
        solve_rows(o, x);
    else
        solve_columns(o, x);
    memcpy(out, x, o->n * sizeof *x);
}
