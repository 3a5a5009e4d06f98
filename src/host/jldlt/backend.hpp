#ifndef TESSERA_HOST_JLDLT_BACKEND_HPP
#define TESSERA_HOST_JLDLT_BACKEND_HPP

#include "factor/jldlt/factor.hpp"
#include "host/jldlt/sweep.hpp"

#include <algorithm>
#include <numeric>

namespace tessera {

/// A group of lanes that does items by itself, as factor/jldlt/contract.hpp wants it.
template <int W>
struct HostLanes : HostTeam<W> {
  static auto load_kept(std::uint32_t mask, const double *p)
  {
    double x[W] = {};
    for (; mask; mask &= mask - 1)
      x[__builtin_ctz(mask)] = *p++;
    return HostTeam<W>::load(x);
  }
  static void invert_lower(const double *L, int ld, int n, const std::int32_t *perm, double *X, int ldx)
  {
    inverse_lower(HostTeam<W>{}, L, ld, n, perm, X, ldx);
  }
  static TileRows by_rows(const double *p, int stride, int, int) { return {p, stride}; }
};

/// The host as a backend (factor/jldlt/contract.hpp).
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

  template <class Kernel>
  void run_by_width(const WidthRanges &items, const Kernel &kernel)
  {
    each_width_class([&](auto w) {
      parallel(items.end[w] - items.begin[w], [&](Offset i) { kernel(HostLanes<(4 << w())>{}, items.begin[w] + i); });
    });
  }

  template <class Step>
  void sweep(const WidthRanges &ranges, const typename Step::Item *items, const JacobiView &v, Index)
  {
    each_width_class([&](auto w) {
      parallel(ranges.end[w] - ranges.begin[w], [&](Offset i) {
        const auto &item = items[ranges.begin[w] + i];
        if (!v.active[item.block])
          return;
        SweepCore<(4 << w())> core(v);
        Step::run(core, item);
      });
    });
  }

private:
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
