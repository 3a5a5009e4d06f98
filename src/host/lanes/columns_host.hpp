#ifndef TESSERA_HOST_LANES_COLUMNS_HOST_HPP
#define TESSERA_HOST_LANES_COLUMNS_HOST_HPP

#include "host/lanes/simd_host.hpp"

#include <cstddef>
#include <cstring>

namespace tessera {

/// The host half of the columns that group.hpp describes. Column j is a[j], and stays there.
template <int W, class T>
class HostColumns {
public:
  using Lane = Simd<T, W>;

  TESSERA_COLLECTIVE void load(const T *p, int ld, int n)
  {
    rows = n;
    at = 0;
    for (int j = 0; j < n; ++j)
      a[j] = Lane::make([&](auto c) __attribute__((always_inline)) {
        const auto row = Native::numbers(c);
        return Native::load((typename Native::Words)((row >= j) & (row < n)), p + std::ptrdiff_t(j) * ld + c * width);
      });
    a[n] = Lane(T(0));
  }

  TESSERA_COLLECTIVE const Lane &first() const { return a[at]; }
  TESSERA_COLLECTIVE const Lane &second() const { return a[at + 1]; }

  TESSERA_COLLECTIVE void share(int) {}

  template <int>
  TESSERA_COLLECTIVE void subtract(const Lane &l, bool keep)
  {
    constexpr int block = chunks < 2 ? chunks : 2; // rows that have left are passed over, so many registers at a time
    T shared[W];
    std::memcpy(shared, a[at].v, sizeof shared);
    ++at;
    for (int b = at / width / block * block; b < chunks; b += block)
      for (int j = at + keep; j < rows; ++j)
        for (int c = b; c < b + block; ++c)
          a[j].v[c] = Native::fma(-l.v[c], shared[j] - Vector{}, a[j].v[c]);
  }

  TESSERA_COLLECTIVE void record(int k, const Lane &l)
  {
    Lane::each([&](auto c) __attribute__((always_inline)) { Native::store(lower[k] + c * width, l.v[c]); });
  }

  TESSERA_COLLECTIVE void store(T *L, int ld, int n) const
  {
    for (int k = 0; k < n; ++k) {
      T *const column = L + std::ptrdiff_t(k) * ld;
      std::memset(column, 0, k * sizeof(T));
      column[k] = 1;
      std::memcpy(column + k + 1, lower[k] + k + 1, (n - k - 1) * sizeof(T));
    }
  }

private:
  using Native = typename Lane::Native;
  using Vector = typename Lane::vector;
  static constexpr int width = Native::width, chunks = Lane::chunks;

  Lane a[W + 1];
  alignas(32) T lower[W][W]; ///< columns of L
  int rows;
  int at; ///< the next column
};

} // namespace tessera
#endif
