/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Factors of the products, and the product that a cell asks for.
 */
#include <errno.h>
#include <string.h>

#include "isa.h"
#include "product-kernel.h"

#define DIMENSION_MAX 65536
#define SCALE_MAX     1e6 /* of alpha and beta */

static const char *const word_n[] = {"n", NULL};
static const char *const word_min[] = {"min", NULL};
static const char *const gemm_trans_words[] = {"NN", "NT", "TN", "TT", NULL};
static const char *const syrk_trans_words[] = {"N", "T", NULL};
static const char *const uplo_words[] = {"L", "U", NULL};

#define DIMENSION(factor, text, otherwise, accepted)                                               \
    {                                                                                              \
        .name = (factor), .summary = (text), .type = FL_FACTOR_INT, .fallback = (otherwise),       \
        .min = 1, .max = DIMENSION_MAX, .words = (accepted),                                       \
    }
#define SCALE(factor, text)                                                                        \
    {                                                                                              \
        .name = (factor), .summary = (text), .type = FL_FACTOR_REAL, .fallback = "1",              \
        .min = -SCALE_MAX, .max = SCALE_MAX,                                                       \
    }
#define WORD(factor, text, otherwise, accepted)                                                    \
    {                                                                                              \
        .name = (factor), .summary = (text), .type = FL_FACTOR_WORD, .fallback = (otherwise),      \
        .words = (accepted),                                                                       \
    }

static const struct fl_factor n =
    DIMENSION("n", "columns of C, and every dimension that is not named", NULL, NULL);
static const struct fl_factor m = DIMENSION("m", "rows of C; n: as many as columns", "n", word_n);
static const struct fl_factor k =
    DIMENSION("k", "length of the sums; n: as many as columns", "n", word_n);
static const struct fl_factor lda =
    DIMENSION("lda", "leading dimension of A in scalars; min: no padding", "min", word_min);
static const struct fl_factor ldb =
    DIMENSION("ldb", "leading dimension of B in scalars; min: no padding", "min", word_min);
static const struct fl_factor ldc =
    DIMENSION("ldc", "leading dimension of C in scalars; min: no padding", "min", word_min);
static const struct fl_factor alpha = SCALE("alpha", "factor of the product");
static const struct fl_factor beta = SCALE("beta", "factor of what C held before; 0 overwrites it");
static const struct fl_factor gemm_trans =
    WORD("trans", "transposition of A and of B: N as stored, T transposed", "NN", gemm_trans_words);
static const struct fl_factor syrk_trans =
    WORD("trans", "N: C += A * A'; T: C += A' * A", "N", syrk_trans_words);
static const struct fl_factor uplo =
    WORD("uplo", "triangle of C: L lower, U upper", "L", uplo_words);
const struct fl_factor fl_factor_isa = WORD(
    "isa",
    "instruction set of the kernel; auto: the widest that runs here, or the library's own choice",
    "auto", fl_isa_words);

const struct fl_factor fl_factor_blocking = {
    .name = "blocking",
    .summary = "packed blocks: auto, KCxMCxNC, or eigen-3.4: or eigen-master: with caches and tile",
    .type = FL_FACTOR_TEXT,
    .fallback = "auto",
    .check = fl_blocking_check,
};

/* What the operations take, whoever computes them. */
#define GEMM &n, &m, &k, &gemm_trans, &alpha, &beta, &lda, &ldb, &ldc
#define SYRK &n, &k, &syrk_trans, &uplo, &alpha, &beta, &lda, &ldc

const struct fl_factor *const fl_gemm_factors[] = {GEMM, &fl_factor_blocking, &fl_factor_isa, NULL};
const struct fl_factor *const fl_syrk_factors[] = {SYRK, &fl_factor_blocking, &fl_factor_isa, NULL};
const struct fl_factor *const fl_foreign_gemm_factors[] = {GEMM, &fl_factor_isa, NULL};
const struct fl_factor *const fl_foreign_syrk_factors[] = {SYRK, &fl_factor_isa, NULL};

static size_t dimension(const struct fl_cell *cell, const char *factor, size_t otherwise)
{
    return (size_t)fl_cell_number(cell, factor, (double)otherwise);
}

/* 0, or -EINVAL where a leading dimension is below the rows that are stored. */
static int read_leading(const struct fl_cell *cell, const char *factor, size_t rows, size_t *ld,
                        struct fl_err *err)
{
    *ld = dimension(cell, factor, rows);
    if (*ld < rows)
        return fl_fail(err, -EINVAL, "cannot use %s=%zu: the matrix has %zu rows; want %zu or more",
                       factor, *ld, rows, rows);
    return 0;
}

int fl_product_read(const struct fl_product_kind *kind, const struct fl_cell *cell,
                    struct fl_product *p, struct fl_err *err)
{
    const char *trans = fl_cell_get(cell, "trans");
    int rc;

    memset(p, 0, sizeof(*p));
    p->syrk = kind->syrk;
    p->n = dimension(cell, "n", 1);
    p->m = p->syrk ? p->n : dimension(cell, "m", p->n);
    p->k = dimension(cell, "k", p->n);
    p->alpha = fl_cell_number(cell, "alpha", 1);
    p->beta = fl_cell_number(cell, "beta", 1);
    p->trans_a = trans[0] == 'T';
    p->trans_b = p->syrk ? !p->trans_a : trans[1] == 'T';
    p->lower = p->syrk && fl_cell_get(cell, "uplo")[0] == 'L';
    rc = read_leading(cell, "lda", p->trans_a ? p->k : p->m, &p->lda, err);
    p->ldb = p->lda;
    if (!rc && !p->syrk)
        rc = read_leading(cell, "ldb", p->trans_b ? p->n : p->k, &p->ldb, err);
    return rc ? rc : read_leading(cell, "ldc", p->m, &p->ldc, err);
}

int fl_product_cost(const struct fl_product_kind *kind, const struct fl_cell *cell,
                    struct fl_cost *cost, struct fl_err *err)
{
    const double scalar = kind->single ? sizeof(float) : sizeof(double);
    struct fl_product p;
    int rc = fl_product_read(kind, cell, &p, err);

    if (rc)
        return rc;
    const double rows = (double)p.m, cols = (double)p.n, steps = (double)p.k;
    const double in_c = p.syrk ? cols * (cols + 1) / 2 : rows * cols;
    const double inputs = p.syrk ? cols * steps : (rows + cols) * steps;

    cost->flops = 2 * in_c * steps;
    cost->bytes = scalar * (inputs + (p.beta != 0 ? 2 : 1) * in_c);
    return 0;
}
