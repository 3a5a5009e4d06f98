#ifndef TESSERA_HOST_FRONT_BLAS_HPP
#define TESSERA_HOST_FRONT_BLAS_HPP

#include "base/symmetry.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

extern "C" {
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy);
void dtrsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m, const int *n,
            const double *alpha, const double *a, const int *lda, double *b, const int *ldb);
void zgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const tessera::Complex *alpha, const tessera::Complex *a, const int *lda, const tessera::Complex *b,
            const int *ldb, const tessera::Complex *beta, tessera::Complex *c, const int *ldc);
void zgemv_(const char *trans, const int *m, const int *n, const tessera::Complex *alpha, const tessera::Complex *a,
            const int *lda, const tessera::Complex *x, const int *incx, const tessera::Complex *beta,
            tessera::Complex *y, const int *incy);
void ztrsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m, const int *n,
            const tessera::Complex *alpha, const tessera::Complex *a, const int *lda, tessera::Complex *b,
            const int *ldb);
void dlacn2_(const int *n, double *v, double *x, int *isgn, double *est, int *kase, int *isave);
void zlacn2_(const int *n, tessera::Complex *v, tessera::Complex *x, double *est, int *kase, int *isave);
void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work,
             const int *lwork, int *iwork, const int *liwork, int *info);
void zheevd_(const char *jobz, const char *uplo, const int *n, tessera::Complex *a, const int *lda, double *w,
             tessera::Complex *work, const int *lwork, double *rwork, const int *lrwork, int *iwork, const int *liwork,
             int *info);
void dgesdd_(const char *jobz, const int *m, const int *n, double *a, const int *lda, double *s, double *u,
             const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *iwork, int *info);
void zgesdd_(const char *jobz, const int *m, const int *n, tessera::Complex *a, const int *lda, double *s,
             tessera::Complex *u, const int *ldu, tessera::Complex *vt, const int *ldvt, tessera::Complex *work,
             const int *lwork, double *rwork, int *iwork, int *info);
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void zgetrf_(const int *m, const int *n, tessera::Complex *a, const int *lda, int *ipiv, int *info);
void dsytrf_(const char *uplo, const int *n, double *a, const int *lda, int *ipiv, double *work, const int *lwork,
             int *info);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);
void zpotrf_(const char *uplo, const int *n, tessera::Complex *a, const int *lda, int *info);
}

namespace tessera::blas {

/// The routines of the library for one kind of numbers.
template <class Scalar>
struct Routines;
template <>
struct Routines<double> {
  static constexpr auto gemm = &dgemm_;
  static constexpr auto gemv = &dgemv_;
  static constexpr auto trsm = &dtrsm_;
  static constexpr auto potrf = &dpotrf_;
  static constexpr auto getrf = &dgetrf_;
};
template <>
struct Routines<Complex> {
  static constexpr auto gemm = &zgemm_;
  static constexpr auto gemv = &zgemv_;
  static constexpr auto trsm = &ztrsm_;
  static constexpr auto potrf = &zpotrf_;
  static constexpr auto getrf = &zgetrf_;
};

/// How an operand is meant: M, Mᵀ or Mᴴ.
enum class Form { given, transposed, adjoint };
inline const char *letter(Form form)
{
  return form == Form::given ? "N" : form == Form::transposed ? "T" : "C";
}
/// What L has on the other side of L D Lᵀ, or L D Lᴴ.
template <Symmetry S>
constexpr Form mirror_image = S == Symmetry::Hermitian ? Form::adjoint : Form::transposed;

/// An entry of Mᵀ or Mᴴ from that of M.
template <class Scalar>
Scalar entry_of(Form form, Scalar x)
{
  return form == Form::adjoint ? conjugate(x) : x;
}

/// Products of fewer multiplications take a library longer to begin than loops to do.
constexpr double small_product = 500;

/// C -= A B, A: m x k, B: k x n; or with B: n x k, C -= A Bᵀ or A Bᴴ.
template <class Scalar>
void subtract_product(int m, int n, int k, const Scalar *a, int lda, const Scalar *b, int ldb, Form form, Scalar *c,
                      int ldc)
{
  const Scalar minus = -1, one = 1;
  if (m <= 0 || n <= 0 || k <= 0)
    return;
  if (double(m) * n * k <= small_product) {
    for (int j = 0; j < n; ++j)
      for (int p = 0; p < k; ++p) {
        const Scalar x =
            form == Form::given ? b[std::ptrdiff_t(j) * ldb + p] : entry_of(form, b[std::ptrdiff_t(p) * ldb + j]);
        for (int i = 0; i < m; ++i)
          c[std::ptrdiff_t(j) * ldc + i] -= product(a[std::ptrdiff_t(p) * lda + i], x);
      }
    return;
  }
  const int step = 1;
  if (n == 1 && form == Form::given)
    Routines<Scalar>::gemv("N", &m, &k, &minus, a, &lda, b, &step, &one, c, &step);
  else
    Routines<Scalar>::gemm("N", letter(form), &m, &n, &k, &minus, a, &lda, b, &ldb, &one, c, &ldc);
}

/// C -= Aᵀ B or Aᴴ B, A: k x m, B: k x n.
template <class Scalar>
void subtract_transposed_product(Form form, int m, int n, int k, const Scalar *a, int lda, const Scalar *b, int ldb,
                                 Scalar *c, int ldc)
{
  const Scalar minus = -1, one = 1;
  if (m <= 0 || n <= 0 || k <= 0)
    return;
  if (double(m) * n * k <= small_product) {
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        Scalar sum = 0;
        for (int p = 0; p < k; ++p)
          sum += product(entry_of(form, a[std::ptrdiff_t(i) * lda + p]), b[std::ptrdiff_t(j) * ldb + p]);
        c[std::ptrdiff_t(j) * ldc + i] -= sum;
      }
    return;
  }
  const int step = 1;
  if (n == 1)
    Routines<Scalar>::gemv(letter(form), &k, &m, &minus, a, &lda, b, &step, &one, c, &step);
  else
    Routines<Scalar>::gemm(letter(form), "N", &m, &n, &k, &minus, a, &lda, b, &ldb, &one, c, &ldc);
}

enum class Side { left, right };
enum class Triangle { lower, upper };
enum class Diagonal { unit, any };

/// B = T⁻¹ B for a triangular T of few rows, or T⁻ᵀ B or T⁻ᴴ B, n columns.
template <class Scalar>
void solve_small_triangle(Triangle triangle, Form form, Diagonal diagonal, int m, int n, const Scalar *t, int ldt,
                          Scalar *b, int ldb)
{
  const bool transposed = form != Form::given, ascending = (triangle == Triangle::lower) != transposed;
  for (int j = 0; j < n; ++j) {
    Scalar *x = b + std::ptrdiff_t(j) * ldb;
    for (int s = 0; s < m; ++s) {
      const int k = ascending ? s : m - 1 - s;
      const Scalar *column = t + std::ptrdiff_t(k) * ldt;
      const int begin = triangle == Triangle::lower ? k + 1 : 0, end = triangle == Triangle::lower ? m : k;
      if (transposed)
        for (int i = begin; i < end; ++i)
          x[k] -= product(entry_of(form, column[i]), x[i]);
      if (diagonal == Diagonal::any)
        x[k] = quotient(x[k], entry_of(form, column[k]));
      if (!transposed)
        for (int i = begin; i < end; ++i)
          x[i] -= product(column[i], x[k]);
    }
  }
}

/// B = T⁻¹ B (left), B T⁻¹ (right), or the same with Tᵀ or Tᴴ, T triangular. B: m x n.
template <class Scalar>
void solve_triangle(Side side, Triangle triangle, Form form, Diagonal diagonal, int m, int n, const Scalar *t, int ldt,
                    Scalar *b, int ldb)
{
  const Scalar one = 1;
  if (m <= 0 || n <= 0)
    return;
  if (side == Side::left && double(m) * m * n <= small_product)
    solve_small_triangle(triangle, form, diagonal, m, n, t, ldt, b, ldb);
  else
    Routines<Scalar>::trsm(side == Side::left ? "L" : "R", triangle == Triangle::lower ? "L" : "U", letter(form),
                           diagonal == Diagonal::unit ? "U" : "N", &m, &n, &one, t, &ldt, b, &ldb);
}

/// Overwrites the lower triangle of A: n x n, symmetric or Hermitian, with its Cholesky factor. Returns 0, or the
/// number of the first column, from 1, whose pivot is not positive.
template <class Scalar>
int factor_definite(int n, Scalar *a, int lda)
{
  int info = 0;
  if (n > 0)
    Routines<Scalar>::potrf("L", &n, a, &lda, &info);
  return info;
}

enum class Vectors { none, all };

/// Numbers of room for each row and column, for LAPACK's blocked algorithms.
constexpr int blocked_room = 70;

/// The room that LAPACK's divide and conquer takes for vectors, more than it needs without.
inline int room_to_divide(int n)
{
  return std::max(n * (blocked_room + 5 * n + 10), 1);
}

/// The eigenvalues of A: n x n, symmetric or Hermitian, in ascending order, by divide and conquer; A, of which the
/// lower triangle is read, is overwritten, by eigenvectors of norm 1 if they are wanted. Returns whether all were
/// found.
template <class Scalar>
bool eigenvalues(Vectors wanted, int n, Scalar *a, int lda, double *values)
{
  int info = 0;
  const int size = room_to_divide(n), integers = 5 * n + 3;
  const char *const job = wanted == Vectors::all ? "V" : "N";
  std::vector<Scalar> work(size);
  std::vector<int> integer_work(integers);
  if (n == 0)
    return true;
  if constexpr (std::is_same_v<Scalar, double>) {
    dsyevd_(job, "L", &n, a, &lda, values, work.data(), &size, integer_work.data(), &integers, &info);
  } else {
    std::vector<double> real_work(size);
    zheevd_(job, "L", &n, a, &lda, values, work.data(), &size, real_work.data(), &size, integer_work.data(), &integers,
            &info);
  }
  return info == 0;
}

/// The singular values of A: n x n, in descending order, by divide and conquer; if vectors are wanted, with the left
/// singular vectors in the columns of u and the right ones, conjugated, in the rows of vt, n x n as A, which is
/// overwritten. Returns whether all were found.
template <class Scalar>
bool singular_values(Vectors wanted, int n, Scalar *a, double *values, Scalar *u, Scalar *vt)
{
  int info = 0;
  const int size = room_to_divide(n);
  const char *const job = wanted == Vectors::all ? "A" : "N";
  std::vector<Scalar> work(size);
  std::vector<int> integer_work(8 * n);
  if (n == 0)
    return true;
  if constexpr (std::is_same_v<Scalar, double>) {
    dgesdd_(job, &n, &n, a, &n, values, u, &n, vt, &n, work.data(), &size, integer_work.data(), &info);
  } else {
    std::vector<double> real_work(size);
    zgesdd_(job, &n, &n, a, &n, values, u, &n, vt, &n, work.data(), &size, real_work.data(), integer_work.data(),
            &info);
  }
  return info == 0;
}

/// Overwrites A: n x n, by its factors L and U. row: [n] the row, from 1, that each row was exchanged with in its turn.
/// A zero pivot is left as it is. Returns whether there is none.
template <class Scalar>
bool factor_lu(int n, Scalar *a, int lda, int *row)
{
  int info = 0;
  if (n > 0)
    Routines<Scalar>::getrf(&n, &n, a, &lda, row, &info);
  return info == 0;
}

/// Overwrites the lower triangle of A: n x n, symmetric, by its factors L and D as LAPACK's sytrf has them, and row:
/// [n] by the exchanges. Returns whether no pivot is 0.
inline bool factor_symmetric(int n, double *a, int lda, int *row)
{
  int info = 0;
  std::vector<double> work(std::size_t(std::max(blocked_room * n, 1)));
  const int size = int(work.size());
  if (n > 0)
    dsytrf_("L", &n, a, &lda, row, work.data(), &size, &info);
  return info == 0;
}

} // namespace tessera::blas
#endif
