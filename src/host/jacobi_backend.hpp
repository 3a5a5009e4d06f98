#ifndef TESSERA_HOST_JACOBI_BACKEND_HPP
#define TESSERA_HOST_JACOBI_BACKEND_HPP

#include "host/team_host.hpp" // before the kernels

#include "factor/jacobi_factor.hpp"

#include <algorithm>
#include <numeric>

namespace tessera {

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

  static constexpr Index columns_per_item = max_block_rows;

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

  /// Returns the last of the sums.
  Offset sum(Array<Offset> &array)
  {
    Offset total = 0;
    for (Offset &x : array.values_)
      total += std::exchange(x, total);
    return array.values_.back();
  }

  template <int W, class Kernel>
  void run(Offset n, const Kernel &kernel)
  {
#pragma omp parallel for schedule(dynamic, 16) if (n > 64)
    for (Offset i = 0; i < n; ++i)
      kernel(HostTeam<W>{}, i);
  }
};

} // namespace tessera
#endif
