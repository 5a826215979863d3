/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of small integers are exact in every order, so the reference must be met to the bit;
 * only an alpha or beta with a fraction rounds, each time C is updated.
 */
#include "product-cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gebp.h"
#include "scalar.h"

#define BITS 4

/* Operands, result and packing buffers, each of exactly the size that is allowed to be touched. */
struct setting {
    const struct fl_scalar *scalar;
    struct fl_matrix a, b, c, before;
    void *buffers[2];
};

static void *exactly(size_t count, size_t bytes)
{
    void *at = malloc(count * bytes);

    if (!at)
        abort();
    return at;
}

static struct fl_matrix matrix(const struct fl_scalar *scalar, size_t rows, size_t cols, size_t ld,
                               uint64_t seed)
{
    const struct fl_matrix m = {exactly(ld * cols, scalar->bytes), rows, cols, ld, seed};

    scalar->fill(&m, BITS, (double)NAN);
    return m;
}

static void set_up(struct setting *s, bool single, struct fl_product *p, size_t pad)
{
    s->scalar = single ? &fl_scalar_f32 : &fl_scalar_f64;
    p->lda = (p->trans_a ? p->k : p->m) + pad;
    p->ldb = (p->trans_b ? p->n : p->k) + pad;
    p->ldc = p->m + pad;
    s->a = matrix(s->scalar, p->lda - pad, p->trans_a ? p->m : p->k, p->lda, 1);
    if (p->syrk)
        s->b = s->a;
    else
        s->b = matrix(s->scalar, p->ldb - pad, p->trans_b ? p->k : p->n, p->ldb, 2);
    s->c = matrix(s->scalar, p->m, p->n, p->ldc, 3);
    s->before = matrix(s->scalar, p->m, p->n, p->ldc, 3);
    for (size_t i = 0; p->beta == 0 && i < p->m && i < p->n; i++)
        s->scalar->set(&s->c, i, i, (double)NAN);
    p->a = s->a.at;
    p->b = s->b.at;
    p->c = s->c.at;
    s->buffers[0] = exactly(fl_product_packed_a(p), s->scalar->bytes);
    s->buffers[1] = exactly(fl_product_packed_b(p), s->scalar->bytes);
}

static void tear_down(const struct setting *s, const struct fl_product *p)
{
    free(s->buffers[1]);
    free(s->buffers[0]);
    free(s->before.at);
    free(s->c.at);
    if (!p->syrk)
        free(s->b.at);
    free(s->a.at);
}

static double expected(const struct setting *s, const struct fl_product *p, size_t row, size_t col)
{
    const double before = s->scalar->get(&s->before, row, col);
    double sum = 0;

    if (p->syrk && (p->lower ? row < col : row > col))
        return p->beta == 0 && row == col ? (double)NAN : before;
    for (size_t k = 0; k < p->k; k++)
        sum += (p->trans_a ? s->scalar->get(&s->a, k, row) : s->scalar->get(&s->a, row, k)) *
               (p->trans_b ? s->scalar->get(&s->b, col, k) : s->scalar->get(&s->b, k, col));
    return p->alpha * sum + p->beta * before;
}

static int compare(const struct setting *s, const struct fl_product *p)
{
    const bool exact = p->alpha == floor(p->alpha) && p->beta == floor(p->beta);
    const double allowed = exact ? 0 : ldexp((double)(p->k + 2) * 64, 5 - s->scalar->digits);

    for (size_t col = 0; col < p->n; col++) {
        for (size_t row = 0; row < p->ldc; row++) {
            const double got = s->scalar->get(&s->c, row, col);
            const bool beyond = row >= p->m;
            const double want = beyond ? 0 : expected(s, p, row, col);

            if (beyond ? isnan(got) : fabs(got - want) <= allowed)
                continue;
            fprintf(stderr, "element (%zu, %zu) is %g, want %g\n", row, col, got, want);
            return -1;
        }
    }
    return 0;
}

int product_case(enum fl_isa isa, bool single, struct fl_product p, size_t pad)
{
    struct setting s;
    int rc;

    set_up(&s, single, &p, pad);
    if (single)
        fl_gebp_f32(&p, fl_micro_f32(isa), s.buffers);
    else
        fl_gebp_f64(&p, fl_micro_f64(isa), s.buffers);
    rc = compare(&s, &p);
    if (rc)
        fprintf(
            stderr,
            "  in %s of %s on %s: m %zu, n %zu, k %zu, trans %d %d, lower %d, pad %zu, alpha %g, "
            "beta %g, blocking %zux%zux%zu\n",
            p.syrk ? "syrk" : "gemm", single ? "floats" : "doubles", fl_isa_name(isa), p.m, p.n,
            p.k, p.trans_a, p.trans_b, p.lower, pad, p.alpha, p.beta, p.blocking.kc, p.blocking.mc,
            p.blocking.nc);
    tear_down(&s, &p);
    return rc;
}

/* A number in [1, limit] from a place in a sequence. */
static size_t pick(size_t place, size_t what, size_t limit)
{
    return 1 + fl_draw(0x5eed5eed5eedull, place, what) % limit;
}

/* alpha and beta: every pair of these comes up. */
static double scale(size_t place, size_t what)
{
    static const double values[] = {1, 0, -1, 1, 0.3, 2, 1, -1.7};

    return values[pick(place, what, sizeof(values) / sizeof(values[0])) - 1];
}

static struct fl_product random_product(size_t i, size_t limit)
{
    struct fl_product p = {
        .syrk = i % 3 == 0,
        .lower = i % 2 == 0,
        .trans_a = pick(i, 0, 2) == 1,
        .trans_b = pick(i, 1, 2) == 1,
        .m = pick(i, 2, limit),
        .n = pick(i, 3, limit),
        .k = pick(i, 4, limit),
        .alpha = scale(i, 5),
        .beta = scale(i, 6),
    };

    if (p.syrk) {
        p.m = p.n;
        p.trans_b = !p.trans_a;
    }
    p.blocking = (struct fl_blocking){
        .kc = pick(i, 7, p.k),
        .mc = pick(i, 8, p.m),
        .nc = pick(i, 9, p.n),
    };
    return p;
}

int product_cases(enum fl_isa isa, bool single, size_t limit, size_t count)
{
    int rc = 0;

    for (size_t i = 0; i < count && !rc; i++)
        rc = product_case(isa, single, random_product(i, limit), pick(i, 10, 4) - 1);
    return rc;
}

int product_edges(enum fl_isa isa, bool single, size_t limit)
{
    int rc = 0;

    for (size_t m = 1; m <= limit && !rc; m++) {
        for (size_t n = 1; n <= limit && !rc; n++) {
            struct fl_product p = {.m = m, .n = n, .k = 1 + (m + n) % 11, .alpha = 1, .beta = 1};

            p.trans_a = (m + n) % 2;
            p.trans_b = n / 2 % 2;
            p.blocking = (struct fl_blocking){.kc = p.k, .mc = m, .nc = n};
            rc = product_case(isa, single, p, 0);
        }
    }
    return rc;
}
