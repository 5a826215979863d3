/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Template of scalar.h for one type. Included once each by scalar-f64.c and scalar-f32.c, which
 * define FL_REAL and FL_DIGITS. Loops run down the columns, so that the compiler can vectorise
 * them.
 */
#include "scalar.h"

static FL_REAL *column(const struct fl_matrix *m, size_t col)
{
    return (FL_REAL *)m->at + col * m->ld;
}

static void fill(const struct fl_matrix *m, int bits, double padding)
{
    const int shift = bits > 0 ? 32 - bits : 0;
    const FL_REAL unit = bits > 0 ? 1 : (FL_REAL)0x1p-31;

    for (size_t col = 0; col < m->cols; col++) {
        FL_REAL *to = column(m, col);

        for (size_t row = 0; row < m->rows; row++)
            to[row] = unit * (FL_REAL)((int32_t)fl_draw(m->seed, row, col) >> shift);
        for (size_t row = m->rows; row < m->ld; row++)
            to[row] = (FL_REAL)padding;
    }
}

static void times(const struct fl_matrix *m, const double *x, double *out)
{
    for (size_t col = 0; col < m->cols; col++) {
        const FL_REAL *from = column(m, col);

        for (size_t row = 0; row < m->rows; row++)
            out[row] += x[col] * (double)from[row];
    }
}

/* Four sums side by side: the order is free, since the check's sums are exact. */
static void times_transposed(const struct fl_matrix *m, const double *x, double *out)
{
    for (size_t col = 0; col < m->cols; col++) {
        const FL_REAL *from = column(m, col);
        double sums[4] = {0};
        size_t row = 0;

        for (; row + 4 <= m->rows; row += 4)
            for (size_t i = 0; i < 4; i++)
                sums[i] += x[row + i] * (double)from[row + i];
        for (; row < m->rows; row++)
            sums[0] += x[row] * (double)from[row];
        out[col] += (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
}

static double get(const struct fl_matrix *m, size_t row, size_t col)
{
    return (double)column(m, col)[row];
}

static void set(const struct fl_matrix *m, size_t row, size_t col, double value)
{
    column(m, col)[row] = (FL_REAL)value;
}

#define FL_SCALAR                                                                                  \
    {                                                                                              \
        .bytes = sizeof(FL_REAL), .digits = FL_DIGITS, .fill = fill, .times = times,               \
        .times_transposed = times_transposed, .get = get, .set = set,                              \
    }
