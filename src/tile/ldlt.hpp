#ifndef TESSERA_TILE_LDLT_HPP
#define TESSERA_TILE_LDLT_HPP
// provisional scalar version
#include "factor/options.hpp"
#include <algorithm>
#include <cmath>
namespace tessera {
struct PivotCounts { Offset one = 0, two = 0, perturbed = 0, negative = 0, positive = 0; bool nonfinite = false; };
inline void provisional_ldlt(int W, double *a, int k, Pivoting pv, double delta, double *inv, double *d, double *e, PivotCounts &n)
{
  double L[32 * 32]; int p[32];
  for (int i = 0; i < k * k; ++i) L[i] = 0;
  for (int i = 0; i < k; ++i) { p[i] = i; e[i] = 0; }
  auto at = [&](int r, int c) -> double & { return a[r + W * c]; };
  for (int c = 0; c < k; ++c) for (int r = 0; r < c; ++r) at(r, c) = at(c, r);
  for (int c = 0; c < k; ++c) for (int r = 0; r < k; ++r) if (!std::isfinite(at(r, c))) { n.nonfinite = true; for (int i = 0; i < k * k; ++i) inv[i] = 0; for (int i = 0; i < k; ++i) d[i] = 1; return; }
  auto swp = [&](int x, int y) { if (x == y) return; for (int r = 0; r < k; r++) std::swap(at(r, x), at(r, y)); for (int r = 0; r < k; r++) std::swap(at(x, r), at(y, r)); std::swap(p[x], p[y]); for (int r = 0; r < k; r++) std::swap(L[x + k * r], L[y + k * r]); };
  const double al = 0.6403882032022076;
  for (int s = 0; s < k;) {
    int two = 0;
    if (pv != Pivoting::None) {
      int i = s, j = s; double om = 0;
      for (int r = s + 1; r < k; r++) if (std::fabs(at(r, s)) > om) { om = std::fabs(at(r, s)); j = r; }
      if (!(om == 0 || std::fabs(at(s, s)) >= al * om)) {
        for (int it = 0; it <= k; it++) {
          double omj = 0; int l = -1;
          for (int r = s; r < k; r++) if (r != j && std::fabs(at(r, j)) > omj) { omj = std::fabs(at(r, j)); l = r; }
          if (std::fabs(at(j, j)) >= al * omj) { swp(s, j); two = 0; break; }
          if (omj <= om || it == k) { swp(s, i); swp(s + 1, j == s ? i : j); two = 1; break; }
          i = j; j = l; om = omj;
        }
      }
    }
    if (!two) {
      double dd = at(s, s);
      if (std::fabs(dd) < delta) { dd = dd < 0 ? -delta : delta; n.perturbed++; }
      d[s] = dd; (dd < 0 ? n.negative : n.positive)++; n.one++;
      L[s + k * s] = 1;
      for (int r = s + 1; r < k; r++) L[r + k * s] = at(r, s) / dd;
      for (int c = s + 1; c < k; c++) { double y = at(c, s); for (int r = s + 1; r < k; r++) at(r, c) -= L[r + k * s] * y; }
      s++;
    } else {
      double x = at(s, s), b = at(s + 1, s), c = at(s + 1, s + 1), det = x * c - b * b;
      d[s] = x; d[s + 1] = c; e[s] = b; n.two++;
      if (det < 0) { n.negative++; n.positive++; } else if (x < 0) n.negative += 2; else n.positive += 2;
      L[s + k * s] = 1; L[s + 1 + k * (s + 1)] = 1;
      for (int r = s + 2; r < k; r++) { double f = at(r, s), h = at(r, s + 1); L[r + k * s] = (c * f - b * h) / det; L[r + k * (s + 1)] = (x * h - b * f) / det; }
      for (int q = s + 2; q < k; q++) { double f = at(q, s), h = at(q, s + 1); for (int r = s + 2; r < k; r++) at(r, q) -= L[r + k * s] * f + L[r + k * (s + 1)] * h; }
      s += 2;
    }
  }
  for (int c = 0; c < k; c++) {
    double x[32] = {0}; x[c] = 1;
    for (int s = c; s < k; s++) for (int r = s + 1; r < k; r++) x[r] -= L[r + k * s] * x[s];
    for (int r = 0; r < k; r++) inv[r + k * p[c]] = x[r];
  }
}
} // namespace tessera
#endif
