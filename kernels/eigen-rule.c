/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Eigen's block sizes.
 *
 * kc is bounded so that a micro-panel of each operand fits the first-level cache; nc so that kc x
 * nc fits half of the second; and only where neither cut anything, mc is cut. A dimension that must
 * be cut is divided into sweeps of nearly equal size. All divisions truncate: where one sweep would
 * be smaller by a scalar, so would Eigen's.
 */
#include "eigen-rule.h"

#define SMALL_MAX      48      /* products below it in all dimensions are not blocked */
#define K_STEP         8       /* kc is a multiple of it */
#define L2_IN_3_4      1572864 /* release 3.4 assumes 1.5 MiB, whatever the machine has */
#define L1_PROBLEM_3_4 32768

/* Sizes while they are being cut. */
struct sizes {
    long long k, m, n;
};

static long long min_ll(long long a, long long b)
{
    return a < b ? a : b;
}

static long long max_ll(long long a, long long b)
{
    return a > b ? a : b;
}

/* Largest multiple of 8 steps of k whose two micro-panels fit `l1`, at least `least`. */
static long long k_limit(const struct fl_eigen_rule *rule, long long l1, long long scalar,
                         long long least)
{
    const long long room = l1 - rule->mr * rule->nr * scalar;
    const long long limit = room / ((rule->mr + rule->nr) * scalar) / K_STEP * K_STEP;

    return max_ll(limit, least);
}

/* k cut into sweeps of at most `limit`, the last as large as can be. */
static long long cut_k(long long k, long long limit)
{
    if (k % limit == 0)
        return limit;
    return limit - K_STEP * ((limit - 1 - k % limit) / (K_STEP * (k / limit + 1)));
}

/* The same for m and n, in units of the micro-kernel. */
static long long cut_in_units(long long size, long long limit, long long unit)
{
    if (size % limit == 0)
        return limit;
    return limit - unit * ((limit - size % limit) / (unit * (size / limit + 1)));
}

/* Whether the micro-kernel is one of AVX-512: three registers of 64 bytes. */
static bool is_avx512(const struct fl_eigen_rule *rule, long long scalar)
{
    return rule->mr * scalar == 3 * 64;
}

/*
 * With AVX-512 the first-level cache counts four times; the newer kernels, 8 columns wide, then
 * bound kc by 85 % of the real one.
 */
static long long choose_kc(const struct fl_eigen_rule *rule, long long l1, long long k,
                           long long scalar, long long *limit)
{
    long long kc = k;

    *limit = k_limit(rule, l1, scalar, 1);
    if (k > *limit)
        kc = cut_k(k, *limit);
    if (is_avx512(rule, scalar) && (rule->master || rule->nr == 8)) {
        const long long real = k_limit(rule, rule->l1 * 85 / 100, scalar, K_STEP);

        if (real < kc)
            kc = cut_k(k, real);
    }
    return kc;
}

/* The second level as the rule counts it: for columns of B. */
static long long second_level(const struct fl_eigen_rule *rule, bool columns)
{
    const long long l2 = rule->master ? rule->l2 * 3 / 2 : L2_IN_3_4;

    return rule->master && columns ? max_ll(l2, rule->l3) : l2;
}

static long long choose_nc_limit(const struct fl_eigen_rule *rule, long long l1,
                                 const struct sizes *s, long long scalar, long long k_max)
{
    const long long l2 = second_level(rule, true);
    const long long left = l1 - rule->mr * rule->nr * scalar - s->m * s->k * scalar;
    const long long per_column = s->k * scalar;
    long long limit;

    if (left >= rule->nr * per_column)
        limit = left / per_column;
    else
        limit = 3 * l2 / (4 * scalar * (rule->master ? s->k : k_max));
    limit = min_ll(l2 / (2 * per_column), limit);
    return max_ll(limit - limit % rule->nr, rule->nr);
}

static long long choose_mc(const struct fl_eigen_rule *rule, long long l1, const struct sizes *s,
                           long long scalar)
{
    const long long b_bytes = s->k * s->n * scalar;
    long long cache = second_level(rule, false), limit = s->m;

    if (b_bytes <= 1024) {
        cache = l1;
    } else if (rule->l3 != 0 && b_bytes <= (rule->master ? l1 : L1_PROBLEM_3_4)) {
        cache = rule->l2;
        limit = min_ll(576, limit);
    }
    limit = min_ll(cache / (3 * s->k * scalar), limit);
    if (limit > rule->mr)
        limit -= limit % rule->mr;
    return limit == 0 ? s->m : cut_in_units(s->m, limit, rule->mr);
}

static void cut(const struct fl_eigen_rule *rule, struct sizes *s, long long scalar)
{
    const long long l1 = is_avx512(rule, scalar) ? 4 * rule->l1 : rule->l1, k = s->k;
    long long k_max, limit;

    if (max_ll(s->k, max_ll(s->m, s->n)) < SMALL_MAX)
        return;
    s->k = choose_kc(rule, l1, k, scalar, &k_max);
    limit = choose_nc_limit(rule, l1, s, scalar, k_max);
    if (s->n > limit)
        s->n = cut_in_units(s->n, limit, rule->nr);
    else if (s->k == k)
        s->m = choose_mc(rule, l1, s, scalar);
}

/* One of Eigen's vectors: a third of its micro-kernel's column, in whole powers of two. */
static size_t vector_bytes(const struct fl_eigen_rule *rule, size_t scalar)
{
    size_t align = 16;

    while (3 * align < (size_t)rule->mr * scalar && align < 64)
        align *= 2;
    return align;
}

struct fl_blocking fl_eigen_blocking(const struct fl_eigen_rule *rule,
                                     const struct fl_blocking_input *input)
{
    struct sizes s = {(long long)input->k, (long long)input->m, (long long)input->n};

    cut(rule, &s, (long long)input->scalar);
    if (input->syrk) {
        s.n = (long long)input->n;
        if (s.m > rule->nr)
            s.m -= s.m % rule->nr;
    }
    return (struct fl_blocking){
        .kc = (size_t)s.k,
        .mc = (size_t)s.m,
        .nc = (size_t)s.n,
        .align = vector_bytes(rule, input->scalar),
    };
}
