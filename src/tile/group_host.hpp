#ifndef TESSERA_TILE_GROUP_HOST_HPP
#define TESSERA_TILE_GROUP_HOST_HPP

#include <cmath>
#include <cstdint>
#include <cstring>
#include <immintrin.h>

namespace tessera {

// provisional
template <int W>
struct HostLanes { typedef double V __attribute__((vector_size(32))); V v[W / 4]; };
template <int W> inline HostLanes<W> operator*(HostLanes<W> a, double b) { for (int i = 0; i < W / 4; ++i) a.v[i] *= b; return a; }
template <int W> inline HostLanes<W> operator*(HostLanes<W> a, const HostLanes<W> &b) { for (int i = 0; i < W / 4; ++i) a.v[i] *= b.v[i]; return a; }
inline __attribute__((vector_size(32))) double fma4(__attribute__((vector_size(32))) double a, __attribute__((vector_size(32))) double b, __attribute__((vector_size(32))) double c) { return (__attribute__((vector_size(32))) double)__builtin_ia32_vfmaddpd256(a, b, c); }
template <int W> inline HostLanes<W> fma(const HostLanes<W> &a, double b, HostLanes<W> c) { typename HostLanes<W>::V bb = {b, b, b, b}; for (int i = 0; i < W / 4; ++i) c.v[i] = fma4(a.v[i], bb, c.v[i]); return c; }
template <int W> inline HostLanes<W> fma(const HostLanes<W> &a, const HostLanes<W> &b, HostLanes<W> c) { for (int i = 0; i < W / 4; ++i) c.v[i] = fma4(a.v[i], b.v[i], c.v[i]); return c; }

template <int W>
struct HostGroup {
  static constexpr int width = W;
  using part = HostGroup<(W < 8 ? W : 8)>;
  static HostLanes<W> load(const double *p) { HostLanes<W> x; for (int i = 0; i < W / 4; ++i) x.v[i] = (typename HostLanes<W>::V)_mm256_loadu_pd(p + 4 * i); return x; }
  static void store(double *p, const HostLanes<W> &x) { for (int i = 0; i < W / 4; ++i) _mm256_storeu_pd(p + 4 * i, (__m256d)x.v[i]); }
  static int first_item() { return 0; }
  static int item_step() { return 1; }
  static void sync() {}
  static double max_abs(const HostLanes<W> &x) { double m = 0; const double *p = (const double *)&x; for (int i = 0; i < W; ++i) { double a = std::fabs(p[i]); m = a > m || a != a ? a : m; } return m; }
};

} // namespace tessera
#endif
