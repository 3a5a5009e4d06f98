#ifndef TESSERA_HOST_FRONT_BLAS_HPP
#define TESSERA_HOST_FRONT_BLAS_HPP

#include "base/types.hpp"

extern "C" {
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy);
void dtrsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m, const int *n,
            const double *alpha, const double *a, const int *lda, double *b, const int *ldb);
void dlacn2_(const int *n, double *v, double *x, int *isgn, double *est, int *kase, int *isave);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);
}

namespace tessera::blas {

/// C -= A B, A: m x k, B: k x n; or with B: n x k, C -= A Bᵀ.
inline void subtract_product(int m, int n, int k, const double *a, int lda, const double *b, int ldb, bool transposed,
                             double *c, int ldc)
{
  const double minus = -1, one = 1;
  if (m <= 0 || n <= 0 || k <= 0)
    return;
  const int step = 1;
  if (n == 1 && !transposed)
    dgemv_("N", &m, &k, &minus, a, &lda, b, &step, &one, c, &step);
  else
    dgemm_("N", transposed ? "T" : "N", &m, &n, &k, &minus, a, &lda, b, &ldb, &one, c, &ldc);
}

/// C -= Aᵀ B, A: k x m, B: k x n.
inline void subtract_transposed_product(int m, int n, int k, const double *a, int lda, const double *b, int ldb,
                                        double *c, int ldc)
{
  const double minus = -1, one = 1;
  if (m <= 0 || n <= 0 || k <= 0)
    return;
  const int step = 1;
  if (n == 1)
    dgemv_("T", &k, &m, &minus, a, &lda, b, &step, &one, c, &step);
  else
    dgemm_("T", "N", &m, &n, &k, &minus, a, &lda, b, &ldb, &one, c, &ldc);
}

enum class Side { left, right };
enum class Diagonal { unit, any };

/// B = L⁻¹ B (left), B L⁻¹ (right), or the same with Lᵀ, L lower triangular. B: m x n.
inline void solve_triangle(Side side, bool transposed, Diagonal diagonal, int m, int n, const double *l, int ldl,
                           double *b, int ldb)
{
  const double one = 1;
  if (m > 0 && n > 0)
    dtrsm_(side == Side::left ? "L" : "R", "L", transposed ? "T" : "N", diagonal == Diagonal::unit ? "U" : "N", &m, &n,
           &one, l, &ldl, b, &ldb);
}

/// B = U⁻¹ B (left), B U⁻¹ (right), or the same with Uᵀ, U upper triangular. B: m x n.
inline void solve_upper_triangle(Side side, bool transposed, int m, int n, const double *u, int ldu, double *b, int ldb)
{
  const double one = 1;
  if (m > 0 && n > 0)
    dtrsm_(side == Side::left ? "L" : "R", "U", transposed ? "T" : "N", "N", &m, &n, &one, u, &ldu, b, &ldb);
}

/// Overwrites the lower triangle of A: n x n with its Cholesky factor. Returns 0, or the number of the first column,
/// from 1, whose pivot is not positive.
inline int factor_definite(int n, double *a, int lda)
{
  int info = 0;
  if (n > 0)
    dpotrf_("L", &n, a, &lda, &info);
  return info;
}

} // namespace tessera::blas
#endif
