/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Template of the level-1 operations on contiguous vectors. Included once per instruction set and
 * real type by the level1-*.c files, which define before it
 *   FL_REAL          double or float
 *   FL_NAME(x)       x with the suffix of the type
 *   FL_VEC           vector type of FL_LANES scalars; FL_INTS the integers of its size
 *   FL_SIGN          integer with the sign bit of a scalar; FL_PART is its type
 *   FL_ABS(x)        of a scalar
 *   FL_SWAP(v)       neighbours exchanged: real and imaginary parts change places
 *   FL_MAX(a, b)     lane by lane; b where a is NaN
 *   FL_ANY(m)        whether some lane of a comparison holds
 *   FL_FOLD(v, sums) adds the even lanes into sums[0] and the odd ones into sums[1]
 *   FL_KEEP(v)       keeps a vector in a register: loaded once, not again for each use
 *   FL_LOAD_PART(p, lanes), FL_STORE_PART(p, lanes, v)  the first `lanes` scalars only
 *
 * Complex vectors are read as twice as many scalars. Products contract to fused multiply-adds by
 * -ffp-contract=fast, which the build sets for these files.
 */
#include <stddef.h>

#define FL_INLINE static inline __attribute__((always_inline))
#define FL_UNROLL _Pragma("GCC unroll 16")
#define FL_SUMS   8               /* accumulators: two additions a cycle, each done after four */
#define FL_DOTS   4               /* of them in each half of a complex dot */
#define FL_BLOCK  (32 * FL_LANES) /* scalars between two looks at the largest one so far */

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

FL_INLINE FL_VEC FL_NAME(magnitude)(FL_VEC v)
{
    return (FL_VEC)((FL_INTS)v & ~((FL_INTS){0} + FL_SIGN));
}

/* Accumulators are added up in so many words: loops over them come too late for the compiler to
 * keep them in registers. */
FL_INLINE FL_VEC FL_NAME(four)(FL_VEC a, FL_VEC b, FL_VEC c, FL_VEC d)
{
    return (a + c) + (b + d);
}

FL_INLINE FL_REAL FL_NAME(both_halves)(FL_VEC low, FL_VEC high)
{
    FL_REAL sums[2];

    FL_FOLD(low + high, sums);
    return sums[0] + sums[1];
}

FL_INLINE FL_REAL FL_NAME(sum_of)(size_t n, const FL_REAL *x, const bool absolute)
{
    FL_VEC acc[FL_SUMS] = {{0}}, v;
    size_t i = 0;

    for (; i + FL_SUMS * FL_LANES <= n; i += FL_SUMS * FL_LANES)
        FL_UNROLL for (size_t u = 0; u < FL_SUMS; u++)
        {
            v = FL_NAME(load)(x + i + u * FL_LANES);
            acc[u] += absolute ? FL_NAME(magnitude)(v) : v;
        }
    FL_UNROLL for (size_t u = 0; u + 1 < FL_SUMS; u++)
    {
        if (i + FL_LANES > n)
            break;
        v = FL_NAME(load)(x + i);
        acc[u] += absolute ? FL_NAME(magnitude)(v) : v;
        i += FL_LANES;
    }
    if (i < n) {
        v = FL_LOAD_PART(x + i, n - i);
        acc[FL_SUMS - 1] += absolute ? FL_NAME(magnitude)(v) : v;
    }
    return FL_NAME(both_halves)(FL_NAME(four)(acc[0], acc[1], acc[2], acc[3]),
                                FL_NAME(four)(acc[4], acc[5], acc[6], acc[7]));
}

static FL_REAL FL_NAME(asum_unit)(size_t n, const FL_REAL *x)
{
    return FL_NAME(sum_of)(n, x, true);
}

static FL_REAL FL_NAME(sum_unit)(size_t n, const FL_REAL *x)
{
    return FL_NAME(sum_of)(n, x, false);
}

static void FL_NAME(copy_unit)(size_t n, const FL_REAL *restrict x, FL_REAL *restrict y)
{
    size_t i = 0;

    for (; i + 4 * FL_LANES <= n; i += 4 * FL_LANES) {
        FL_VEC v[4];

        FL_UNROLL for (size_t u = 0; u < 4; u++) v[u] = FL_NAME(load)(x + i + u * FL_LANES);
        FL_UNROLL for (size_t u = 0; u < 4; u++) FL_NAME(store)(y + i + u * FL_LANES, v[u]);
    }
    for (; i + FL_LANES <= n; i += FL_LANES)
        FL_NAME(store)(y + i, FL_NAME(load)(x + i));
    if (i < n)
        FL_STORE_PART(y + i, n - i, FL_LOAD_PART(x + i, n - i));
}

static FL_REAL FL_NAME(dot_unit)(size_t n, const FL_REAL *x, const FL_REAL *y)
{
    FL_VEC acc[FL_SUMS] = {{0}};
    size_t i = 0;

    for (; i + FL_SUMS * FL_LANES <= n; i += FL_SUMS * FL_LANES)
        FL_UNROLL for (size_t u = 0; u < FL_SUMS; u++) acc[u] +=
            FL_NAME(load)(x + i + u * FL_LANES) * FL_NAME(load)(y + i + u * FL_LANES);
    FL_UNROLL for (size_t u = 0; u + 1 < FL_SUMS; u++)
    {
        if (i + FL_LANES > n)
            break;
        acc[u] += FL_NAME(load)(x + i) * FL_NAME(load)(y + i);
        i += FL_LANES;
    }
    if (i < n)
        acc[FL_SUMS - 1] += FL_LOAD_PART(x + i, n - i) * FL_LOAD_PART(y + i, n - i);
    return FL_NAME(both_halves)(FL_NAME(four)(acc[0], acc[1], acc[2], acc[3]),
                                FL_NAME(four)(acc[4], acc[5], acc[6], acc[7]));
}

/* Each operand is loaded once: the compiler would rather load it again for its second product. */
FL_INLINE void FL_NAME(pair_products)(FL_VEC a, FL_VEC b, FL_VEC *same, FL_VEC *cross)
{
    FL_KEEP(a);
    FL_KEEP(b);
    *same += a * b;
    *cross += a * FL_SWAP(b);
}

/* Sums of re*re, im*im, re*im and im*re; n scalars, which is twice the elements. */
static void FL_NAME(pairs_unit)(size_t n, const FL_REAL *x, const FL_REAL *y, FL_REAL sums[4])
{
    FL_VEC same[FL_DOTS] = {{0}}, cross[FL_DOTS] = {{0}};
    size_t i = 0;

    for (; i + FL_DOTS * FL_LANES <= n; i += FL_DOTS * FL_LANES)
        FL_UNROLL for (size_t u = 0; u < FL_DOTS; u++)
            FL_NAME(pair_products)(FL_NAME(load)(x + i + u * FL_LANES),
                                   FL_NAME(load)(y + i + u * FL_LANES), &same[u], &cross[u]);
    FL_UNROLL for (size_t u = 0; u + 1 < FL_DOTS; u++)
    {
        if (i + FL_LANES > n)
            break;
        FL_NAME(pair_products)(FL_NAME(load)(x + i), FL_NAME(load)(y + i), &same[u], &cross[u]);
        i += FL_LANES;
    }
    if (i < n)
        FL_NAME(pair_products)
    (FL_LOAD_PART(x + i, n - i), FL_LOAD_PART(y + i, n - i), &same[3], &cross[3]);
    FL_FOLD(FL_NAME(four)(same[0], same[1], same[2], same[3]), sums);
    FL_FOLD(FL_NAME(four)(cross[0], cross[1], cross[2], cross[3]), sums + 2);
}

/* y += a * x + b * x with neighbours exchanged; `pair` false: b is 0 and left out. */
FL_INLINE FL_VEC FL_NAME(added)(FL_VEC y, FL_VEC x, FL_VEC a, FL_VEC b, const bool pair)
{
    FL_KEEP(x);
    y += a * x;
    if (pair)
        y += b * FL_SWAP(x);
    return y;
}

FL_INLINE void FL_NAME(axpy_of)(size_t n, const double *alpha, const FL_REAL *restrict x,
                                FL_REAL *restrict y, const bool pair)
{
    const FL_VEC a = (FL_VEC){0} + (FL_REAL)alpha[0];
    FL_VEC b = {0};
    size_t i = 0;

    if (pair)
        FL_UNROLL for (size_t u = 0; u < FL_LANES; u++) b[u] =
            (FL_REAL)(u % 2 ? alpha[1] : -alpha[1]);
    for (; i + 4 * FL_LANES <= n; i += 4 * FL_LANES)
        FL_UNROLL for (size_t u = 0; u < 4; u++)
        {
            FL_REAL *at = y + i + u * FL_LANES;

            FL_NAME(store)
            (at,
             FL_NAME(added)(FL_NAME(load)(at), FL_NAME(load)(x + i + u * FL_LANES), a, b, pair));
        }
    for (; i + FL_LANES <= n; i += FL_LANES)
        FL_NAME(store)
    (y + i, FL_NAME(added)(FL_NAME(load)(y + i), FL_NAME(load)(x + i), a, b, pair));
    if (i < n) {
        const size_t lanes = n - i;
        const FL_VEC old = FL_LOAD_PART(y + i, lanes);

        FL_STORE_PART(y + i, lanes, FL_NAME(added)(old, FL_LOAD_PART(x + i, lanes), a, b, pair));
    }
}

static void FL_NAME(axpy_unit)(size_t n, const double *alpha, const FL_REAL *x, FL_REAL *y)
{
    FL_NAME(axpy_of)(n, alpha, x, y, false);
}

static void FL_NAME(axpy_pairs_unit)(size_t n, const double *alpha, const FL_REAL *x, FL_REAL *y)
{
    FL_NAME(axpy_of)(n, alpha, x, y, true);
}

/* |x|, or where elements are pairs |re| + |im| in the lanes of both. */
FL_INLINE FL_VEC FL_NAME(size)(FL_VEC v, const bool pair)
{
    FL_VEC m = FL_NAME(magnitude)(v);

    if (pair)
        m += FL_SWAP(m);
    return m;
}

/* The largest size of a block of n scalars, in its lane; never below `floor`. */
FL_INLINE FL_VEC FL_NAME(block_max)(size_t n, const FL_REAL *x, FL_VEC floor, const bool pair)
{
    FL_VEC most[4] = {floor, floor, floor, floor};
    size_t i = 0;

    for (; i + 4 * FL_LANES <= n; i += 4 * FL_LANES)
        FL_UNROLL for (size_t u = 0; u < 4; u++) most[u] =
            FL_MAX(FL_NAME(size)(FL_NAME(load)(x + i + u * FL_LANES), pair), most[u]);
    for (; i + FL_LANES <= n; i += FL_LANES)
        most[0] = FL_MAX(FL_NAME(size)(FL_NAME(load)(x + i), pair), most[0]);
    if (i < n)
        most[1] = FL_MAX(FL_NAME(size)(FL_LOAD_PART(x + i, n - i), pair), most[1]);
    most[0] = FL_MAX(most[1], most[0]);
    most[2] = FL_MAX(most[3], most[2]);
    return FL_MAX(most[2], most[0]);
}

/* The first scalar whose size is `best`, or n. */
FL_INLINE size_t FL_NAME(find)(size_t n, const FL_REAL *x, FL_REAL best, const bool pair)
{
    const FL_VEC wanted = (FL_VEC){0} + best;
    size_t i = 0;

    for (; i < n; i += FL_LANES) {
        const size_t lanes = n - i < FL_LANES ? n - i : FL_LANES;
        const FL_VEC v = lanes == FL_LANES ? FL_NAME(load)(x + i) : FL_LOAD_PART(x + i, lanes);

        if (FL_ANY(FL_NAME(size)(v, pair) == wanted))
            break;
    }
    for (; i < n; i++)
        if (FL_NAME(size)(FL_LOAD_PART(x + i, pair ? 2 : 1), pair)[0] == best)
            break;
    return i;
}

/*
 * Blocks are looked at once; only the one with the largest scalar is read again, from the cache, to
 * find where in it that is. NaN is no size at all: it never wins.
 */
FL_INLINE FL_REAL FL_NAME(iamax_of)(size_t n, const FL_REAL *x, size_t *index, const bool pair)
{
    FL_REAL best = -1;
    FL_VEC floor = (FL_VEC){0} + best;
    size_t block = 0, count;

    for (size_t i = 0; i < n; i += FL_BLOCK) {
        count = n - i < FL_BLOCK ? n - i : FL_BLOCK;
        const FL_VEC most = FL_NAME(block_max)(count, x + i, floor, pair);

        if (!FL_ANY(most > floor))
            continue;
        for (size_t lane = 0; lane < FL_LANES; lane++)
            best = most[lane] > best ? most[lane] : best;
        floor = (FL_VEC){0} + best;
        block = i;
    }
    count = n - block < FL_BLOCK ? n - block : FL_BLOCK;
    block = best < 0 ? n : block + FL_NAME(find)(count, x + block, best, pair);
    /* Nothing but NaN: what was found is the zeros behind the end. */
    if (block == n)
        best = -1;
    *index = block == n ? 0 : block / (pair ? 2 : 1);
    return best;
}

static FL_REAL FL_NAME(iamax_unit)(size_t n, const FL_REAL *x, size_t *index)
{
    return FL_NAME(iamax_of)(n, x, index, false);
}

static FL_REAL FL_NAME(iamax_pairs_unit)(size_t n, const FL_REAL *x, size_t *index)
{
    return FL_NAME(iamax_of)(n, x, index, true);
}
