/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Eigen behind the Fortran BLAS names, compiled once for each instruction set.
 *
 * Each function is the statement that a user of Eigen writes (`C.noalias() += alpha * A * B`,
 * `C.selfadjointView<Lower>().rankUpdate(A, alpha)`) on maps over the caller's operands, so that
 * Eigen blocks, packs and allocates just as it does in that user's program. Nothing is copied:
 * transposition is part of the expression, and beta = 1 adds no work. Arguments are trusted.
 */
#include <Eigen/Core>

/* BLAS fixes the number of parameters; a type in a macro takes no parentheses. */
/* NOLINTBEGIN(readability-function-size, bugprone-macro-parentheses) */

namespace
{

template <typename T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;
template <typename T>
using In = Eigen::Map<const Matrix<T>, Eigen::Unaligned, Eigen::OuterStride<>>;
template <typename T> using Out = Eigen::Map<Matrix<T>, Eigen::Unaligned, Eigen::OuterStride<>>;

bool is(const char *flag, char upper)
{
    return (*flag & ~0x20) == upper;
}

/* Transposed for real matrices is 'T' or 'C'. */
bool transposed(const char *flag)
{
    return !is(flag, 'N');
}

template <typename T, typename View> void scale(View view, T beta)
{
    if (beta == T(0))
        view.setZero();
    else if (beta != T(1))
        view *= beta;
}

/* NOLINTBEGIN(readability-function-size): BLAS calls have this many parameters */
template <typename T>
void gemm(const char *transa, const char *transb, const int *m, const int *n, const int *k,
          const T *alpha, const T *a, const int *lda, const T *b, const int *ldb, const T *beta,
          T *c, const int *ldc)
{
    const bool ta = transposed(transa), tb = transposed(transb);
    const In<T> A(a, ta ? *k : *m, ta ? *m : *k, Eigen::OuterStride<>(*lda));
    const In<T> B(b, tb ? *n : *k, tb ? *k : *n, Eigen::OuterStride<>(*ldb));
    Out<T> C(c, *m, *n, Eigen::OuterStride<>(*ldc));
    scale<T, Out<T> &>(C, *beta);
    if (*alpha == T(0) || *k == 0)
        return;
    if (!ta && !tb)
        C.noalias() += *alpha * A * B;
    else if (ta && !tb)
        C.noalias() += *alpha * A.transpose() * B;
    else if (!ta)
        C.noalias() += *alpha * A * B.transpose();
    else
        C.noalias() += *alpha * A.transpose() * B.transpose();
}

template <typename T, unsigned Triangle>
void syrk(bool trans, Out<T> &C, const In<T> &A, T alpha, T beta)
{
    scale(C.template triangularView<Triangle>(), beta);
    if (alpha == T(0) || A.size() == 0)
        return;
    if (trans)
        C.template selfadjointView<Triangle>().rankUpdate(A.transpose(), alpha);
    else
        C.template selfadjointView<Triangle>().rankUpdate(A, alpha);
}

template <typename T>
void syrk(const char *uplo, const char *trans, const int *n, const int *k, const T *alpha,
          const T *a, const int *lda, const T *beta, T *c, const int *ldc)
{
    const bool t = transposed(trans);
    const In<T> A(a, t ? *k : *n, t ? *n : *k, Eigen::OuterStride<>(*lda));
    Out<T> C(c, *n, *n, Eigen::OuterStride<>(*ldc));
    if (is(uplo, 'L'))
        syrk<T, Eigen::Lower>(t, C, A, *alpha, *beta);
    else
        syrk<T, Eigen::Upper>(t, C, A, *alpha, *beta);
}

} // namespace

#define EXPORT     extern "C" __attribute__((visibility("default")))
#define TEXT(x)    TEXT_OF(x)
#define TEXT_OF(x) #x

#define GEMM(name, T)                                                                              \
    EXPORT void name(const char *transa, const char *transb, const int *m, const int *n,           \
                     const int *k, const T *alpha, const T *a, const int *lda, const T *b,         \
                     const int *ldb, const T *beta, T *c, const int *ldc);                         \
    void name(const char *transa, const char *transb, const int *m, const int *n, const int *k,    \
              const T *alpha, const T *a, const int *lda, const T *b, const int *ldb,              \
              const T *beta, T *c, const int *ldc)                                                 \
    {                                                                                              \
        gemm<T>(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                     \
    }

#define SYRK(name, T)                                                                              \
    EXPORT void name(const char *uplo, const char *trans, const int *n, const int *k,              \
                     const T *alpha, const T *a, const int *lda, const T *beta, T *c,              \
                     const int *ldc);                                                              \
    void name(const char *uplo, const char *trans, const int *n, const int *k, const T *alpha,     \
              const T *a, const int *lda, const T *beta, T *c, const int *ldc)                     \
    {                                                                                              \
        syrk<T>(uplo, trans, n, k, alpha, a, lda, beta, c, ldc);                                   \
    }

GEMM(dgemm_, double)
GEMM(sgemm_, float)
SYRK(dsyrk_, double)
SYRK(ssyrk_, float)
/* NOLINTEND(readability-function-size) */

EXPORT const char *fl_eigen_version(void);
const char *fl_eigen_version(void)
{
    return "Eigen " TEXT(EIGEN_WORLD_VERSION) "." TEXT(EIGEN_MAJOR_VERSION) "." TEXT(
        EIGEN_MINOR_VERSION);
}

/* The instruction set it was compiled for: a level of the factor `isa`. */
EXPORT const char *fl_eigen_isa(void);
const char *fl_eigen_isa(void)
{
    return FL_SHIM_ISA;
}
/* NOLINTEND(readability-function-size, bugprone-macro-parentheses) */
