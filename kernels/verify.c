/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verifies a product by integers that no order of summation can round.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "verify.h"

#define X_BITS  9    /* of the random vector: odd numbers up to 255 */
#define PADDING 1234 /* what stands in C's rows beyond the matrix */
#define PROBES  12   /* random elements, besides the corners */

/* Seeds of the operands and of the vector, far apart in both halves. */
enum operand { OPERAND_A = 1, OPERAND_B, OPERAND_C, OPERAND_X, OPERAND_PROBE };

static uint64_t seed_of(const struct fl_verify *v, enum operand operand)
{
    return (v->seed + operand) * 0x9e3779b97f4a7c15u;
}

static struct fl_matrix matrix_a(const struct fl_verify *v)
{
    const struct fl_product *p = v->product;

    return (struct fl_matrix){
        .at = (void *)(uintptr_t)p->a,
        .rows = p->trans_a ? p->k : p->m,
        .cols = p->trans_a ? p->m : p->k,
        .ld = p->lda,
        .seed = seed_of(v, OPERAND_A),
    };
}

/* Of syrk this is A again. */
static struct fl_matrix matrix_b(const struct fl_verify *v)
{
    const struct fl_product *p = v->product;

    return (struct fl_matrix){
        .at = (void *)(uintptr_t)p->b,
        .rows = p->trans_b ? p->n : p->k,
        .cols = p->trans_b ? p->k : p->n,
        .ld = p->ldb,
        .seed = seed_of(v, p->syrk ? OPERAND_A : OPERAND_B),
    };
}

static struct fl_matrix matrix_c(const struct fl_verify *v)
{
    const struct fl_product *p = v->product;

    return (struct fl_matrix){
        .at = p->c, .rows = p->m, .cols = p->n, .ld = p->ldc, .seed = seed_of(v, OPERAND_C)};
}

/* Bits that hold `count` values. */
static int log2_up(size_t count)
{
    int bits = 0;

    while (((size_t)1 << bits) < count)
        bits++;
    return bits;
}

/*
 * Bits of the operands: k products and C's own value stay below the significand of the type, and
 * C * x below that of double.
 */
static int operand_bits(const struct fl_verify *v)
{
    const struct fl_product *p = v->product;
    const int in_c = v->scalar->digits - 2 - log2_up(p->k);
    const int in_x = 53 - 2 - log2_up(p->k) - log2_up(p->n) - (X_BITS - 1);

    return (in_c < in_x ? in_c : in_x) / 2 + 1;
}

static void fill(const struct fl_verify *v, int bits)
{
    const struct fl_matrix a = matrix_a(v), b = matrix_b(v), c = matrix_c(v);

    v->scalar->fill(&a, bits, (double)NAN);
    if (!v->product->syrk)
        v->scalar->fill(&b, bits, (double)NAN);
    v->scalar->fill(&c, bits, PADDING);
}

void fl_verify_fill(const struct fl_verify *verify)
{
    fill(verify, 0);
}

/* beta = 0 must overwrite what C holds: its diagonal is not a number then. */
void fl_verify_prepare(const struct fl_verify *verify)
{
    const struct fl_matrix c = matrix_c(verify);

    fill(verify, operand_bits(verify));
    for (size_t i = 0; verify->product->beta == 0 && i < c.rows && i < c.cols; i++)
        verify->scalar->set(&c, i, i, (double)NAN);
}

size_t fl_verify_vectors(const struct fl_product *p)
{
    return p->n + p->k + 3 * p->m;
}

/* Whether a call may change this element of C. */
static bool is_touched(const struct fl_product *p, size_t row, size_t col)
{
    return !p->syrk || (p->lower ? row >= col : row <= col);
}

static double c_before(const struct fl_verify *v, int bits, size_t row, size_t col)
{
    return fl_draw_integer(seed_of(v, OPERAND_C), row, col, bits);
}

/*
 * How far one element may be off. Nothing rounds while alpha and beta keep integers and at most
 * double them, for which operand_bits() leaves room; otherwise each update of C rounds at most 3
 * times, each time by half a unit of at most `largest`.
 */
static double allowed(const struct fl_verify *v, int bits)
{
    const struct fl_product *p = v->product;
    const double value = ldexp(1, bits - 1);
    const double largest = fabs(p->alpha) * (double)p->k * value * value + fabs(p->beta) * value;

    if (p->alpha == (double)(int)p->alpha && p->beta == (double)(int)p->beta &&
        fabs(p->alpha) <= 2 && fabs(p->beta) <= 2)
        return 0;
    return 3 * (double)(v->roundings + 1) * ldexp(largest, -v->scalar->digits);
}

/* alpha and beta as the kernel's type holds them. */
static double as_scalar(const struct fl_verify *v, double value)
{
    return v->scalar->bytes == sizeof(float) ? (double)(float)value : value;
}

/* got = C * x and before = C0 * x of a gemm; what beta = 0 drops is not asked for. */
static void rows_of_gemm(const struct fl_verify *v, int bits, const double *x, double *got,
                         double *before)
{
    const struct fl_product *p = v->product;
    const struct fl_matrix c = matrix_c(v);

    v->scalar->times(&c, x, got);
    for (size_t col = 0; p->beta != 0 && col < p->n; col++)
        for (size_t row = 0; row < p->m; row++)
            before[row] += x[col] * c_before(v, bits, row, col);
}

/* The same of a syrk: the symmetric matrices that the triangles stand for. */
static void rows_of_syrk(const struct fl_verify *v, int bits, const double *x, double *got,
                         double *before)
{
    const struct fl_product *p = v->product;
    const struct fl_matrix c = matrix_c(v);

    for (size_t col = 0; col < p->n; col++) {
        for (size_t row = 0; row < p->m; row++) {
            if (!is_touched(p, row, col))
                continue;
            const double after = v->scalar->get(&c, row, col);
            const double then = c_before(v, bits, row, col);

            got[row] += x[col] * after;
            before[row] += x[col] * then;
            if (row != col) {
                got[col] += x[row] * after;
                before[col] += x[row] * then;
            }
        }
    }
}

static int verify_rows(const struct fl_verify *v, int bits, struct fl_err *err)
{
    const struct fl_product *p = v->product;
    const struct fl_matrix a = matrix_a(v), b = matrix_b(v);
    double *x = v->vectors, *y = x + p->n, *z = y + p->k, *got = z + p->m, *before = got + p->m;
    double weight = 0;

    memset(v->vectors, 0, fl_verify_vectors(p) * sizeof(double));
    for (size_t i = 0; i < p->n; i++) {
        x[i] = 2 * fl_draw_integer(seed_of(v, OPERAND_X), i, 0, X_BITS - 1) + 1;
        weight += fabs(x[i]);
    }
    (p->trans_b ? v->scalar->times_transposed : v->scalar->times)(&b, x, y);
    (p->trans_a ? v->scalar->times_transposed : v->scalar->times)(&a, y, z);
    (p->syrk ? rows_of_syrk : rows_of_gemm)(v, bits, x, got, before);
    for (size_t row = 0; row < p->m; row++) {
        const double want = as_scalar(v, p->alpha) * z[row] + as_scalar(v, p->beta) * before[row];

        if (!(fabs(got[row] - want) <= weight * allowed(v, bits)))
            return fl_fail(err, -EBADMSG,
                           "row %zu of the result differs from the reference by %g, allowed %g",
                           row, got[row] - want, weight * allowed(v, bits));
    }
    return 0;
}

static int verify_element(const struct fl_verify *v, int bits, size_t row, size_t col,
                          struct fl_err *err)
{
    const struct fl_product *p = v->product;
    const struct fl_matrix a = matrix_a(v), b = matrix_b(v), c = matrix_c(v);
    double sum = 0;

    if (!is_touched(p, row, col))
        return 0;
    for (size_t k = 0; k < p->k; k++)
        sum += (p->trans_a ? v->scalar->get(&a, k, row) : v->scalar->get(&a, row, k)) *
               (p->trans_b ? v->scalar->get(&b, col, k) : v->scalar->get(&b, k, col));

    const double want =
        as_scalar(v, p->alpha) * sum + as_scalar(v, p->beta) * c_before(v, bits, row, col);
    const double got = v->scalar->get(&c, row, col);

    if (!(fabs(got - want) <= allowed(v, bits)))
        return fl_fail(err, -EBADMSG,
                       "element (%zu, %zu) of the result is %.17g, want %.17g within %g", row, col,
                       got, want, allowed(v, bits));
    return 0;
}

static int verify_elements(const struct fl_verify *v, int bits, struct fl_err *err)
{
    const struct fl_product *p = v->product;
    const uint64_t seed = seed_of(v, OPERAND_PROBE);
    int rc = 0;

    for (size_t i = 0; i < 4 && !rc; i++)
        rc = verify_element(v, bits, i & 1 ? p->m - 1 : 0, i & 2 ? p->n - 1 : 0, err);
    for (size_t i = 0; i < PROBES && !rc; i++)
        rc = verify_element(v, bits, fl_draw(seed, i, 0) % p->m, fl_draw(seed, i, 1) % p->n, err);
    return rc;
}

/* Rows [first, last) of a column: none may differ from what was filled in. */
static int verify_kept(const struct fl_verify *v, int bits, size_t col, size_t first, size_t last,
                       struct fl_err *err)
{
    const struct fl_matrix c = matrix_c(v);

    for (size_t row = first; row < last; row++) {
        const double want = row < c.rows ? c_before(v, bits, row, col) : PADDING;

        if (v->scalar->get(&c, row, col) != want)
            return fl_fail(err, -EBADMSG,
                           "the call changed element (%zu, %zu), which is not part of its result",
                           row, col);
    }
    return 0;
}

/* The other triangle and the rows beyond the matrix. */
static int verify_untouched(const struct fl_verify *v, int bits, struct fl_err *err)
{
    const struct fl_product *p = v->product;
    int rc = 0;

    for (size_t col = 0; col < p->n && !rc; col++) {
        const size_t first = !p->syrk ? p->m : p->lower ? 0 : col + 1;
        const size_t last = p->syrk && p->lower ? col : p->m;

        rc = verify_kept(v, bits, col, first, last, err);
        if (!rc)
            rc = verify_kept(v, bits, col, p->m, p->ldc, err);
    }
    return rc;
}

int fl_verify(const struct fl_verify *verify, struct fl_err *err)
{
    const int bits = operand_bits(verify);
    int rc = verify_rows(verify, bits, err);

    if (!rc)
        rc = verify_elements(verify, bits, err);
    if (!rc)
        rc = verify_untouched(verify, bits, err);
    return rc;
}

int fl_verify_run(const struct fl_verify_run *all, const struct fl_workspace *workspace,
                  struct fl_err *err)
{
    const size_t bytes = fl_verify_vectors(all->products[0].product) * sizeof(double);
    double *vectors = fl_arena_alloc(all->arena, bytes, sizeof(double));
    int rc;

    if (!vectors)
        return fl_fail(err, -ENOMEM, "cannot check the product: out of memory");
    for (size_t i = 0; i < all->count; i++) {
        all->products[i].vectors = vectors;
        fl_verify_prepare(&all->products[i]);
    }
    rc = all->run(all->state, workspace);
    if (rc)
        return fl_fail(err, rc, "cannot make the call that is checked: no workspace");
    for (size_t i = 0; i < all->count && !rc; i++)
        rc = fl_verify(&all->products[i], err);
    return rc;
}
