#ifndef TESSERA_HOST_JACOBI_BACKEND_HPP
#define TESSERA_HOST_JACOBI_BACKEND_HPP

#include "host/jacobi_sweep.hpp" // before the kernels

#include "factor/jacobi_factor.hpp"

#include <algorithm>
#include <numeric>

namespace tessera {

/// A group of lanes that does items by itself, as the kernels of factor/jacobi_ldlt.hpp want it.
template <int W>
struct HostLanes : HostTeam<W> {
  static auto load_kept(std::uint32_t mask, const double *p, int stride = 1)
  {
    double x[W] = {};
    for (; mask; mask &= mask - 1, p += stride)
      x[__builtin_ctz(mask)] = *p;
    return HostTeam<W>::load(x);
  }
};

/// The host as a backend of push_back.hpp and jacobi_factor.hpp.
struct HostBackend {
  /// A vector whose values may be changed through a constant one, as those of a device array may.
  template <class T>
  class Array {
  public:
    Array() = default;
    explicit Array(std::vector<T> values) : values_(std::move(values)) {}
    T *data() const { return const_cast<T *>(values_.data()); }
    Offset size() const { return static_cast<Offset>(values_.size()); }

  private:
    std::vector<T> values_;
    friend struct HostBackend;
  };

  template <class T>
  Array<T> zeros(Offset n)
  {
    return Array<T>(std::vector<T>(static_cast<std::size_t>(n)));
  }
  template <class T>
  Array<T> upload(const std::vector<T> &values)
  {
    return Array<T>(values);
  }
  template <class T>
  std::vector<T> download(const Array<T> &array)
  {
    return array.values_;
  }
  template <class T>
  std::vector<T> download(const Array<T> &array, Offset n)
  {
    return std::vector<T>(array.values_.begin(), array.values_.begin() + n);
  }
  void finish() {}
  template <class T>
  void clear(Array<T> &array)
  {
    std::fill(array.values_.begin(), array.values_.end(), T());
  }

  template <class Function>
  void each(Offset n, const Function &f)
  {
#pragma omp parallel for schedule(static) if (n > 10000)
    for (Offset i = 0; i < n; ++i)
      f(i);
  }

  template <class K, class V>
  void sort(Array<K> &keys, Array<V> &values)
  {
    std::vector<Offset> order(keys.values_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](Offset a, Offset b) { return keys.values_[a] < keys.values_[b]; });
    std::vector<K> sorted_keys;
    std::vector<V> sorted_values;
    for (Offset i : order) {
      sorted_keys.push_back(keys.values_[i]);
      sorted_values.push_back(values.values_[i]);
    }
    keys.values_.swap(sorted_keys);
    values.values_.swap(sorted_values);
  }

  template <int W, class Kernel>
  void run(Offset n, const Kernel &kernel)
  {
    parallel(n, [&](Offset i) { kernel(HostLanes<W>{}, i); });
  }

  template <int W>
  void pull_parts(Offset n, const JacobiPart *parts, const JacobiView &v, Index)
  {
    sweep_active(n, parts, v, pull_part<W>);
  }
  template <int W>
  void pull_diagonals(Offset n, const JacobiPiece *pieces, const JacobiView &v, Index)
  {
    sweep_active(n, pieces, v, pull_diagonal<W>);
  }
  template <int W>
  void sweep_tiles(Offset n, const JacobiPiece *pieces, const JacobiView &v, Index)
  {
    sweep_active(n, pieces, v, tessera::sweep_tiles<W>);
  }

private:
  template <class Item>
  static void sweep_active(Offset n, const Item *items, const JacobiView &v,
                           void (*step)(const JacobiView &, const Item &))
  {
    parallel(n, [&](Offset i) {
      if (v.active[items[i].block])
        step(v, items[i]);
    });
  }
  template <class Function>
  static void parallel(Offset n, const Function &f)
  {
#pragma omp parallel for schedule(dynamic, 16) if (n > 64)
    for (Offset i = 0; i < n; ++i)
      f(i);
  }
};

} // namespace tessera
#endif
