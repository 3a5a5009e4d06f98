#include "support/complex_cases.hpp"

#include "support/random_matrix.hpp"

#include <algorithm>
#include <cmath>

extern "C" void zheev_(const char *jobz, const char *uplo, const int *n, tessera::Complex *a, const int *lda, double *w,
                       tessera::Complex *work, const int *lwork, double *rwork, int *info);

namespace tessera::test {
namespace {

/// Place of entry (j, i) for entry p = (i, j).
Offset mirror_of(const Pattern &pattern, Index i, Offset p)
{
  const Index j = pattern.column[p];
  return std::lower_bound(pattern.column.begin() + pattern.start[j], pattern.column.begin() + pattern.start[j + 1], i) -
         pattern.column.begin();
}

} // namespace

template <Symmetry S>
MatrixOf<Complex> with_arguments_of_pairs(const Matrix &a)
{
  MatrixOf<Complex> result{a.pattern, std::vector<Complex>(a.value.size())};
  Random random(19);
  for (Index i = 0; i < a.pattern.rows; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p) {
      if (a.pattern.column[p] < i)
        continue;
      const Complex x = a.value[p] * std::polar(1.0, random.between(-3, 3));
      const bool stays = a.pattern.column[p] == i && S == Symmetry::Hermitian;
      result.value[p] = stays ? a.value[p] : x;
      if (a.pattern.column[p] != i)
        result.value[mirror_of(a.pattern, i, p)] = mirrored<S>(x);
    }
  return result;
}

template <Symmetry S>
MatrixOf<Complex> turned_pairs(const Matrix &a)
{
  const Complex power[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  Random random(20);
  std::vector<Index> turn(a.pattern.rows);
  for (Index &t : turn)
    t = random.below(4);
  MatrixOf<Complex> result{a.pattern, {}};
  for (Index i = 0; i < a.pattern.rows; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p) {
      const Index j = a.pattern.column[p];
      const Complex x = S == Symmetry::Hermitian ? power[(turn[i] - turn[j] + 4) % 4]
                                                 : power[(turn[i] + turn[j]) % 4] * Complex(1, 1);
      result.value.push_back(a.value[p] * x);
    }
  return result;
}

template <Symmetry S>
StoredOf<Complex> store_upper(const MatrixOf<Complex> &a)
{
  StoredOf<Complex> stored;
  stored.source.resize(a.value.size());
  Offset next = 0;
  for (Index i = 0; i < a.pattern.rows; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p) {
      if (a.pattern.column[p] < i)
        continue;
      stored.source[mirror_of(a.pattern, i, p)] = S == Symmetry::Hermitian ? ~next : next;
      stored.source[p] = next++; // on the diagonal the one that counts
      stored.value.push_back(a.value[p]);
    }
  return stored;
}

Inertia inertia_of(const MatrixOf<Complex> &a)
{
  const int n = a.pattern.rows, size = std::max(1, 4 * n);
  if (n == 0)
    return {};
  std::vector<Complex> dense(std::size_t(n) * n), work(size);
  std::vector<double> value(n), real_work(std::max(1, 3 * n));
  for (Index i = 0; i < n; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      dense[std::size_t(a.pattern.column[p]) * n + i] = a.value[p];
  int info = 0;
  zheev_("N", "L", &n, dense.data(), &n, value.data(), work.data(), &size, real_work.data(), &info);
  return count_signs(value, 1e-12);
}

template MatrixOf<Complex> with_arguments_of_pairs<Symmetry::Symmetric>(const Matrix &);
template MatrixOf<Complex> with_arguments_of_pairs<Symmetry::Hermitian>(const Matrix &);
template MatrixOf<Complex> turned_pairs<Symmetry::Symmetric>(const Matrix &);
template MatrixOf<Complex> turned_pairs<Symmetry::Hermitian>(const Matrix &);
template StoredOf<Complex> store_upper<Symmetry::Symmetric>(const MatrixOf<Complex> &);
template StoredOf<Complex> store_upper<Symmetry::Hermitian>(const MatrixOf<Complex> &);

} // namespace tessera::test
