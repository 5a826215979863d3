/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Template of the level-1 operations with any stride, and of the functions of the table, which
 * choose between these and the contiguous ones. Included after level1-unit.h, with the same macros.
 *
 * One element at a time: below a stride of a few elements a cache line is shared, but putting a
 * vector together costs as much as its elements do. Several accumulators hide the latency of the
 * additions. A stride of y of 0 means that each element builds on the one before, so those loops
 * keep their order.
 */

/* Distance of two elements in scalars, and where element i lies. `parts`: scalars of an element. */
FL_INLINE ptrdiff_t FL_NAME(step)(ptrdiff_t stride, const size_t parts)
{
    return stride * (ptrdiff_t)parts;
}

/* One element's contribution to a sum. */
FL_INLINE FL_REAL FL_NAME(weight)(const FL_REAL *x, const size_t parts, const bool absolute)
{
    FL_REAL w = absolute ? FL_ABS(x[0]) : x[0];

    if (parts == 2)
        w += absolute ? FL_ABS(x[1]) : x[1];
    return w;
}

FL_INLINE FL_REAL FL_NAME(sum_strided)(const struct fl_level1_slice *s, const size_t parts,
                                       const bool absolute)
{
    const ptrdiff_t step = FL_NAME(step)(s->stride_x, parts);
    const FL_REAL *x = s->x;
    FL_REAL acc[4] = {0};
    size_t i = 0;

    for (; i + 4 <= s->n; i += 4, x += 4 * step)
        FL_UNROLL for (size_t u = 0; u < 4; u++) acc[u] +=
            FL_NAME(weight)(x + (ptrdiff_t)u * step, parts, absolute);
    for (; i < s->n; i++, x += step)
        acc[0] += FL_NAME(weight)(x, parts, absolute);
    return (acc[0] + acc[1]) + (acc[2] + acc[3]);
}

FL_INLINE void FL_NAME(copy_strided)(const struct fl_level1_slice *s, const size_t parts)
{
    const ptrdiff_t step_x = FL_NAME(step)(s->stride_x, parts);
    const ptrdiff_t step_y = FL_NAME(step)(s->stride_y, parts);
    const FL_REAL *restrict x = s->x;
    FL_REAL *restrict y = s->y;

    for (size_t i = 0; i < s->n; i++, x += step_x, y += step_y)
        __builtin_memcpy(y, x, parts * sizeof(*y));
}

FL_INLINE FL_REAL FL_NAME(dot_strided)(const struct fl_level1_slice *s)
{
    const FL_REAL *x = s->x, *y = s->y;
    FL_REAL acc[4] = {0};
    size_t i = 0;

    for (; i + 4 <= s->n; i += 4, x += 4 * s->stride_x, y += 4 * s->stride_y)
        FL_UNROLL for (size_t u = 0; u < 4; u++) acc[u] +=
            x[(ptrdiff_t)u * s->stride_x] * y[(ptrdiff_t)u * s->stride_y];
    for (; i < s->n; i++, x += s->stride_x, y += s->stride_y)
        acc[0] += x[0] * y[0];
    return (acc[0] + acc[1]) + (acc[2] + acc[3]);
}

/* As pairs_unit(). */
FL_INLINE void FL_NAME(pairs_strided)(const struct fl_level1_slice *s, FL_REAL sums[4])
{
    const ptrdiff_t step_x = FL_NAME(step)(s->stride_x, 2);
    const ptrdiff_t step_y = FL_NAME(step)(s->stride_y, 2);
    const FL_REAL *x = s->x, *y = s->y;
    FL_REAL acc[2][4] = {{0}};

    for (size_t i = 0; i < s->n; i++, x += step_x, y += step_y) {
        FL_REAL *to = acc[i & 1];

        to[0] += x[0] * y[0];
        to[1] += x[1] * y[1];
        to[2] += x[0] * y[1];
        to[3] += x[1] * y[0];
    }
    for (size_t i = 0; i < 4; i++)
        sums[i] = acc[0][i] + acc[1][i];
}

FL_INLINE void FL_NAME(axpy_strided)(const struct fl_level1_slice *s, const size_t parts)
{
    const ptrdiff_t step_x = FL_NAME(step)(s->stride_x, parts);
    const ptrdiff_t step_y = FL_NAME(step)(s->stride_y, parts);
    const FL_REAL a = (FL_REAL)s->alpha[0], b = (FL_REAL)s->alpha[1];
    const FL_REAL *restrict x = s->x;
    FL_REAL *restrict y = s->y;

    for (size_t i = 0; i < s->n; i++, x += step_x, y += step_y) {
        if (parts == 1) {
            y[0] += a * x[0];
            continue;
        }
        const FL_REAL re = y[0] + a * x[0], im = y[1] + a * x[1];

        y[0] = re - b * x[1];
        y[1] = im + b * x[0];
    }
}

FL_INLINE FL_REAL FL_NAME(iamax_strided)(const struct fl_level1_slice *s, size_t *index,
                                         const size_t parts)
{
    const ptrdiff_t step = FL_NAME(step)(s->stride_x, parts);
    const FL_REAL *x = s->x;
    FL_REAL best = -1;

    *index = 0;
    for (size_t i = 0; i < s->n; i++, x += step) {
        const FL_REAL size = FL_NAME(weight)(x, parts, true);

        if (size > best) {
            best = size;
            *index = i;
        }
    }
    return best;
}

/* ---- what the table holds, for elements of one and of two parts ---- */

FL_INLINE bool FL_NAME(both_unit)(const struct fl_level1_slice *s)
{
    return s->stride_x == 1 && s->stride_y == 1;
}

FL_INLINE void FL_NAME(asum_any)(const struct fl_level1_slice *s, struct fl_level1_value *v,
                                 const size_t parts)
{
    v->re = (double)(s->stride_x == 1 ? FL_NAME(asum_unit)(parts * s->n, s->x)
                                      : FL_NAME(sum_strided)(s, parts, true));
}

FL_INLINE void FL_NAME(sum_any)(const struct fl_level1_slice *s, struct fl_level1_value *v,
                                const size_t parts)
{
    v->re = (double)(s->stride_x == 1 ? FL_NAME(sum_unit)(parts * s->n, s->x)
                                      : FL_NAME(sum_strided)(s, parts, false));
}

FL_INLINE void FL_NAME(copy_any)(const struct fl_level1_slice *s, struct fl_level1_value *v,
                                 const size_t parts)
{
    (void)v;
    if (FL_NAME(both_unit)(s))
        FL_NAME(copy_unit)(parts * s->n, s->x, s->y);
    else
        FL_NAME(copy_strided)(s, parts);
}

FL_INLINE void FL_NAME(dot_any)(const struct fl_level1_slice *s, struct fl_level1_value *v,
                                const size_t parts)
{
    FL_REAL sums[4];

    if (parts == 1) {
        v->re = (double)(FL_NAME(both_unit)(s) ? FL_NAME(dot_unit)(s->n, s->x, s->y)
                                               : FL_NAME(dot_strided)(s));
        return;
    }
    if (FL_NAME(both_unit)(s))
        FL_NAME(pairs_unit)(2 * s->n, s->x, s->y, sums);
    else
        FL_NAME(pairs_strided)(s, sums);
    v->re = (double)(s->conjugate_x ? sums[0] + sums[1] : sums[0] - sums[1]);
    v->im = (double)(s->conjugate_x ? sums[2] - sums[3] : sums[2] + sums[3]);
}

FL_INLINE void FL_NAME(axpy_any)(const struct fl_level1_slice *s, struct fl_level1_value *v,
                                 const size_t parts)
{
    (void)v;
    if (!FL_NAME(both_unit)(s))
        FL_NAME(axpy_strided)(s, parts);
    else if (parts == 1)
        FL_NAME(axpy_unit)(s->n, s->alpha, s->x, s->y);
    else
        FL_NAME(axpy_pairs_unit)(2 * s->n, s->alpha, s->x, s->y);
}

FL_INLINE void FL_NAME(iamax_any)(const struct fl_level1_slice *s, struct fl_level1_value *v,
                                  const size_t parts)
{
    FL_REAL best;

    if (s->stride_x != 1)
        best = FL_NAME(iamax_strided)(s, &v->index, parts);
    else if (parts == 1)
        best = FL_NAME(iamax_unit)(s->n, s->x, &v->index);
    else
        best = FL_NAME(iamax_pairs_unit)(2 * s->n, s->x, &v->index);
    v->re = (double)best;
}

#define FL_OF_PARTS(op)                                                                            \
    static void FL_NAME(op##_1)(const struct fl_level1_slice *s, struct fl_level1_value *v)        \
    {                                                                                              \
        FL_NAME(op##_any)(s, v, 1);                                                                \
    }                                                                                              \
    static void FL_NAME(op##_2)(const struct fl_level1_slice *s, struct fl_level1_value *v)        \
    {                                                                                              \
        FL_NAME(op##_any)(s, v, 2);                                                                \
    }

FL_OF_PARTS(asum)
FL_OF_PARTS(sum)
FL_OF_PARTS(copy)
FL_OF_PARTS(dot)
FL_OF_PARTS(axpy)
FL_OF_PARTS(iamax)

/* Rows of the table, in the order of enum fl_level1_op; `suffix` is the type's. */
#ifndef FL_LEVEL1_ROW
#define FL_LEVEL1_ROW(suffix, parts)                                                               \
    {                                                                                              \
        asum_##parts##_##suffix, sum_##parts##_##suffix, copy_##parts##_##suffix,                  \
            dot_##parts##_##suffix, axpy_##parts##_##suffix, iamax_##parts##_##suffix,             \
    }
#define FL_LEVEL1_ROWS                                                                             \
    {                                                                                              \
        FL_LEVEL1_ROW(f32, 1), FL_LEVEL1_ROW(f64, 1), FL_LEVEL1_ROW(f32, 2), FL_LEVEL1_ROW(f64, 2) \
    }
#endif
