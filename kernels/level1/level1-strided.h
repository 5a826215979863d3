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

/* Both parts of a complex element, at any address of a scalar. */
typedef FL_REAL FL_NAME(pair) __attribute__((vector_size(2 * sizeof(FL_REAL))));
typedef FL_PART FL_NAME(pair_ints) __attribute__((vector_size(2 * sizeof(FL_REAL))));

FL_INLINE FL_NAME(pair) FL_NAME(pair_at)(const FL_REAL *p)
{
    FL_NAME(pair) v;

    __builtin_memcpy(&v, p, sizeof(v));
    return v;
}

FL_INLINE FL_NAME(pair) FL_NAME(swapped)(FL_NAME(pair) v)
{
    return __builtin_shufflevector(v, v, 1, 0);
}

/* `absolute`: without their signs. */
FL_INLINE FL_NAME(pair) FL_NAME(pair_weight)(const FL_REAL *p, const bool absolute)
{
    const FL_NAME(pair) v = FL_NAME(pair_at)(p);

    if (!absolute)
        return v;
    return (FL_NAME(pair))((FL_NAME(pair_ints))v & ~((FL_NAME(pair_ints)){0} + FL_SIGN));
}

FL_INLINE FL_REAL FL_NAME(sum_strided)(const struct fl_level1_slice *s, const bool absolute)
{
    const ptrdiff_t step = s->stride_x;
    const FL_REAL *x = s->x;
    FL_REAL acc[4] = {0};
    size_t i = 0;

    for (; i + 4 <= s->n; i += 4, x += 4 * step)
        FL_UNROLL for (size_t u = 0; u < 4; u++)
        {
            const FL_REAL v = x[(ptrdiff_t)u * step];

            acc[u] += absolute ? FL_ABS(v) : v;
        }
    for (; i < s->n; i++, x += step)
        acc[0] += absolute ? FL_ABS(x[0]) : x[0];
    return (acc[0] + acc[1]) + (acc[2] + acc[3]);
}

FL_INLINE FL_REAL FL_NAME(sum_pairs_strided)(const struct fl_level1_slice *s, const bool absolute)
{
    const ptrdiff_t step = 2 * s->stride_x;
    const FL_REAL *x = s->x;
    FL_NAME(pair) acc[4] = {{0}};
    size_t i = 0;

    for (; i + 4 <= s->n; i += 4, x += 4 * step)
        FL_UNROLL for (size_t u = 0; u < 4; u++) acc[u] +=
            FL_NAME(pair_weight)(x + (ptrdiff_t)u * step, absolute);
    for (; i < s->n; i++, x += step)
        acc[0] += FL_NAME(pair_weight)(x, absolute);
    acc[0] = (acc[0] + acc[1]) + (acc[2] + acc[3]);
    return acc[0][0] + acc[0][1];
}

FL_INLINE void FL_NAME(copy_strided)(const struct fl_level1_slice *s, const size_t parts)
{
    const ptrdiff_t step_x = s->stride_x * (ptrdiff_t)parts;
    const ptrdiff_t step_y = s->stride_y * (ptrdiff_t)parts;
    const FL_REAL *restrict x = s->x;
    FL_REAL *restrict y = s->y;
    size_t i = 0;

    for (; i + 4 <= s->n; i += 4, x += 4 * step_x, y += 4 * step_y)
        FL_UNROLL for (size_t u = 0; u < 4; u++) __builtin_memcpy(
            y + (ptrdiff_t)u * step_y, x + (ptrdiff_t)u * step_x, parts * sizeof(*y));
    for (; i < s->n; i++, x += step_x, y += step_y)
        __builtin_memcpy(y, x, parts * sizeof(*y));
}

FL_INLINE FL_REAL FL_NAME(dot_strided)(const struct fl_level1_slice *s)
{
    const FL_REAL *x = s->x, *y = s->y;
    FL_REAL acc[8] = {0};
    size_t i = 0;

    for (; i + 8 <= s->n; i += 8, x += 8 * s->stride_x, y += 8 * s->stride_y)
        FL_UNROLL for (size_t u = 0; u < 8; u++) acc[u] +=
            x[(ptrdiff_t)u * s->stride_x] * y[(ptrdiff_t)u * s->stride_y];
    for (; i < s->n; i++, x += s->stride_x, y += s->stride_y)
        acc[0] += x[0] * y[0];
    return ((acc[0] + acc[4]) + (acc[1] + acc[5])) + ((acc[2] + acc[6]) + (acc[3] + acc[7]));
}

/* As pairs_unit(). */
FL_INLINE void FL_NAME(pairs_strided)(const struct fl_level1_slice *s, FL_REAL sums[4])
{
    const ptrdiff_t step_x = 2 * s->stride_x, step_y = 2 * s->stride_y;
    const FL_REAL *x = s->x, *y = s->y;
    FL_NAME(pair) same[4] = {{0}}, cross[4] = {{0}};
    size_t i = 0;

    for (; i + 4 <= s->n; i += 4, x += 4 * step_x, y += 4 * step_y)
        FL_UNROLL for (size_t u = 0; u < 4; u++)
        {
            const FL_NAME(pair) a = FL_NAME(pair_at)(x + (ptrdiff_t)u * step_x);
            const FL_NAME(pair) b = FL_NAME(pair_at)(y + (ptrdiff_t)u * step_y);

            same[u] += a * b;
            cross[u] += a * FL_NAME(swapped)(b);
        }
    for (; i < s->n; i++, x += step_x, y += step_y) {
        same[0] += FL_NAME(pair_at)(x) * FL_NAME(pair_at)(y);
        cross[0] += FL_NAME(pair_at)(x) * FL_NAME(swapped)(FL_NAME(pair_at)(y));
    }
    same[0] = (same[0] + same[1]) + (same[2] + same[3]);
    cross[0] = (cross[0] + cross[1]) + (cross[2] + cross[3]);
    for (size_t part = 0; part < 2; part++) {
        sums[part] = same[0][part];
        sums[2 + part] = cross[0][part];
    }
}

FL_INLINE void FL_NAME(axpy_strided)(const struct fl_level1_slice *s)
{
    const ptrdiff_t step_x = s->stride_x, step_y = s->stride_y;
    const FL_REAL a = (FL_REAL)s->alpha[0];
    const FL_REAL *restrict x = s->x;
    FL_REAL *restrict y = s->y;
    size_t i = 0;

    for (; step_y != 0 && i + 8 <= s->n; i += 8, x += 8 * step_x, y += 8 * step_y) {
        FL_REAL sum[8];

        FL_UNROLL for (size_t u = 0; u < 8; u++) sum[u] =
            y[(ptrdiff_t)u * step_y] + a * x[(ptrdiff_t)u * step_x];
        FL_UNROLL for (size_t u = 0; u < 8; u++) y[(ptrdiff_t)u * step_y] = sum[u];
    }
    for (; i < s->n; i++, x += step_x, y += step_y)
        y[0] += a * x[0];
}

FL_INLINE void FL_NAME(axpy_pairs_strided)(const struct fl_level1_slice *s)
{
    const ptrdiff_t step_x = 2 * s->stride_x, step_y = 2 * s->stride_y;
    const FL_NAME(pair) a = {(FL_REAL)s->alpha[0], (FL_REAL)s->alpha[0]};
    const FL_NAME(pair) b = {(FL_REAL)-s->alpha[1], (FL_REAL)s->alpha[1]};
    const FL_REAL *restrict x = s->x;
    FL_REAL *restrict y = s->y;

    for (size_t i = 0; i < s->n; i++, x += step_x, y += step_y) {
        const FL_NAME(pair) v = FL_NAME(pair_at)(x);
        FL_NAME(pair) sum = FL_NAME(pair_at)(y);

        sum += a * v;
        sum += b * FL_NAME(swapped)(v);
        __builtin_memcpy(y, &sum, sizeof(sum));
    }
}

/* |x| or |re| + |im|. */
FL_INLINE FL_REAL FL_NAME(size_at)(const FL_REAL *p, const size_t parts)
{
    return parts == 1 ? FL_ABS(p[0]) : FL_ABS(p[0]) + FL_ABS(p[1]);
}

/* Four at a time against the largest so far, which seldom loses; NaN never wins. */
FL_INLINE FL_REAL FL_NAME(iamax_strided)(const struct fl_level1_slice *s, size_t *index,
                                         const size_t parts)
{
    const ptrdiff_t step = s->stride_x * (ptrdiff_t)parts;
    const FL_REAL *x = s->x;
    FL_REAL best = -1;
    size_t i = 0;

    *index = 0;
    while (i < s->n) {
        if (i + 4 <= s->n) {
            FL_REAL most = best;

            FL_UNROLL for (size_t u = 0; u < 4; u++)
            {
                const FL_REAL size = FL_NAME(size_at)(x + (ptrdiff_t)u * step, parts);

                most = size > most ? size : most;
            }
            if (!(most > best)) {
                i += 4;
                x += 4 * step;
                continue;
            }
        }
        for (size_t end = i + 4 < s->n ? i + 4 : s->n; i < end; i++, x += step) {
            const FL_REAL size = FL_NAME(size_at)(x, parts);

            if (size > best) {
                best = size;
                *index = i;
            }
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
                     : parts == 1     ? FL_NAME(sum_strided)(s, true)
                                      : FL_NAME(sum_pairs_strided)(s, true));
}

FL_INLINE void FL_NAME(sum_any)(const struct fl_level1_slice *s, struct fl_level1_value *v,
                                const size_t parts)
{
    v->re = (double)(s->stride_x == 1 ? FL_NAME(sum_unit)(parts * s->n, s->x)
                     : parts == 1     ? FL_NAME(sum_strided)(s, false)
                                      : FL_NAME(sum_pairs_strided)(s, false));
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
    if (!FL_NAME(both_unit)(s) && parts == 1)
        FL_NAME(axpy_strided)(s);
    else if (!FL_NAME(both_unit)(s))
        FL_NAME(axpy_pairs_strided)(s);
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
