#ifndef TESSERA_HOST_FRONT_SOLVE_KRYLOV_VECTORS_HPP
#define TESSERA_HOST_FRONT_SOLVE_KRYLOV_VECTORS_HPP

#include "base/scalar.hpp"
#include "base/symmetry.hpp"
#include "base/types.hpp"
#include "host/front/parallel_chunks.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace tessera {

constexpr Index krylov_chunk = 4096; ///< rows that a sum takes together, for the same bits with any number of threads

/// f(chunk, begin, end) for all rows, a chunk at a time.
template <class F>
void for_krylov_chunks(Index n, const F &f)
{
  for_each_chunk((n + krylov_chunk - 1) / krylov_chunk, n > parallel_numbers,
                 [&](Index chunk) { f(chunk, chunk * krylov_chunk, std::min(n, (chunk + 1) * krylov_chunk)); });
}

/// xᴴ y.
template <class T>
T inner_product(Index n, const T *x, const T *y)
{
  std::vector<T> part((n + krylov_chunk - 1) / krylov_chunk);
  for_krylov_chunks(n, [&](Index chunk, Index begin, Index end) {
    T sum = 0;
    for (Index i = begin; i < end; ++i)
      sum += product(conjugate(x[i]), y[i]);
    part[chunk] = sum;
  });
  T sum = 0;
  for (const T &x : part)
    sum += x;
  return sum;
}

/// y += a x.
template <class T>
void add_multiple(Index n, T a, const T *x, T *y)
{
  for_krylov_chunks(n, [&](Index, Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      y[i] += product(a, x[i]);
  });
}

/// The vectors of flexible_gmres() on the host.
template <class T>
class KrylovVectors {
public:
  using Apply = std::function<void(const T *from, T *to)>;

  /// residual: of `solution`, of this norm, which is not 0. solve: with the factor; multiply: with A.
  KrylovVectors(const std::vector<T> &residual, double norm, const Apply &solve, const Apply &multiply,
                std::vector<T> &solution)
      : n_(Index(residual.size())), solve_(solve), multiply_(multiply), solution_(solution), v_{residual}
  {
    divide(v_[0], norm);
  }

  void apply(Index j)
  {
    z_.emplace_back(n_);
    solve_(v_[j].data(), z_[j].data());
    v_.emplace_back(n_);
    multiply_(z_[j].data(), v_[j + 1].data());
    product_.assign(j + 2, 0);
  }

  void project(Index j)
  {
    std::vector<T> product(j + 1);
    T *const w = v_[j + 1].data();
    for (Index i = 0; i <= j; ++i)
      product[i] = inner_product(n_, v_[i].data(), w);
    for (Index i = 0; i <= j; ++i) {
      add_multiple(n_, -product[i], v_[i].data(), w);
      product_[i] += product[i];
    }
  }

  std::vector<T> products(Index j)
  {
    const T *const w = v_[j + 1].data();
    product_[j + 1] = std::sqrt(std::abs(inner_product(n_, w, w)));
    return product_;
  }

  void divide(Index j, double norm) { divide(v_[j + 1], norm); }

  void add(const std::vector<T> &y)
  {
    for (std::size_t j = 0; j < y.size(); ++j)
      add_multiple(n_, y[j], z_[j].data(), solution_.data());
  }

private:
  void divide(std::vector<T> &x, double by) const
  {
    for (T &y : x)
      y /= by;
  }

  const Index n_;
  const Apply solve_, multiply_;
  std::vector<T> &solution_;
  std::vector<std::vector<T>> v_, z_;
  std::vector<T> product_; ///< of the last of v_ with the others, see flexible_gmres()
};

} // namespace tessera
#endif
