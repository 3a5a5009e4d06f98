#include "host/front/eliminate_ldlt.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

/// One pivot after the other of a front, right-looking.
class CarefulElimination {
public:
  CarefulElimination(FrontColumns &front, const DirectOptions &options) : f_(front), options_(options) {}

  void run()
  {
    while (f_.eliminated < f_.columns) {
      bool found = false;
      for (Index c = f_.eliminated; c < f_.columns && !found; ++c)
        found = try_pivot(c);
      if (!found)
        return;
    }
  }

private:
  /// Entry of what is left, from the lower triangle. j may be eliminated for no i.
  double entry(Index i, Index j) const { return i >= j ? *f_.at(i, j) : *f_.at(j, i); }

  struct Largest {
    double all = 0;      ///< largest magnitude of the column outside its diagonal
    double eligible = 0; ///< of those in rows that may be pivots
    Index row = -1;      ///< of that
    bool finite = true;
  };

  /// Of column c outside rows c and `beside`.
  Largest largest_of(Index c, Index beside) const
  {
    Largest found;
    double sum = 0; // finite only if all entries are
    for (Index i = f_.eliminated; i < f_.columns; ++i) {
      if (i == c || i == beside)
        continue;
      const double x = std::abs(entry(i, c));
      sum += x * 0;
      if (x > found.eligible) {
        found.eligible = x;
        found.row = i;
      }
    }
    found.all = found.eligible;
    const double *below = f_.at(0, c);
    for (Index i = f_.columns; i < f_.rows; ++i) {
      sum += below[i] * 0;
      found.all = std::max(found.all, std::abs(below[i]));
    }
    found.finite = sum == 0;
    return found;
  }

  /// Whether all entries of column c outside its diagonal may be nothing but rounding.
  bool is_rounding(Index c) const
  {
    bool rounding = true;
    for (Index i = f_.eliminated; i < f_.rows && rounding; ++i)
      rounding = i == c || std::abs(entry(i, c)) <= options_.zero * std::sqrt(f_.mass[c] * f_.mass_of(i));
    return rounding;
  }

  bool try_pivot(Index c)
  {
    if (f_.pair[c] && c + 1 < f_.columns && try_pair(c, c + 1))
      return true;
    const Largest of_c = largest_of(c, c);
    const double own = std::abs(*f_.at(c, c));
    if (!of_c.finite || !std::isfinite(own))
      return false;
    if (own <= options_.zero * f_.mass[c] && is_rounding(c)) {
      eliminate_zero(c);
      return true;
    }
    if (own >= options_.threshold * of_c.all) {
      eliminate_single(c);
      return true;
    }
    return of_c.row >= 0 && try_pair(c, of_c.row);
  }

  /// A 2x2 pivot is taken if no entry of its two columns of L exceeds 1 / threshold.
  bool try_pair(Index c, Index t)
  {
    const double b = entry(t, c);
    if (b == 0)
      return false;
    const double p = *f_.at(c, c) / b, q = *f_.at(t, t) / b;
    const Largest of_c = largest_of(c, t), of_t = largest_of(t, c);
    const double det = std::abs(p * q - 1) * std::abs(b) / options_.threshold;
    if (!of_c.finite || !of_t.finite || !std::isfinite(det) || !(std::abs(q) * of_c.all + of_t.all <= det) ||
        !(of_c.all + std::abs(p) * of_t.all <= det))
      return false;
    eliminate_pair(std::min(c, t), std::max(c, t));
    return true;
  }

  void eliminate_zero(Index c)
  {
    const Index k = f_.eliminated;
    exchange(f_, k, c);
    std::fill(f_.at(k, k), f_.at(0, k) + f_.rows, 0.0);
    *f_.at(k, k) = 1;
    f_.d[k] = f_.off[k] = 0;
    ++f_.zero;
    note_uncertain(f_, k, f_.mass[k], 0, options_.uncertain);
    ++f_.eliminated;
  }

  void eliminate_single(Index c)
  {
    const Index k = f_.eliminated;
    exchange(f_, k, c);
    const double d = *f_.at(k, k), inverse = 1 / d;
    first_.assign(f_.at(k + 1, k), f_.at(0, k) + f_.rows);
    for (Index i = k + 1; i < f_.rows; ++i)
      add_mass(i, *f_.at(i, k) *= inverse, std::abs(d));
    for (Index j = k + 1; j < f_.columns; ++j) {
      const double x = first_[j - k - 1];
      const double *l = f_.at(0, k);
      double *a = f_.at(0, j);
      for (Index i = j; i < f_.rows; ++i)
        a[i] -= l[i] * x;
    }
    *f_.at(k, k) = 1;
    f_.d[k] = d;
    f_.off[k] = 0;
    note_uncertain(f_, k, f_.mass[k], 0, options_.uncertain);
    ++f_.eliminated;
  }

  void eliminate_pair(Index c, Index t)
  {
    const Index k = f_.eliminated;
    exchange(f_, k, c);
    exchange(f_, k + 1, t);
    const double a = *f_.at(k, k), b = *f_.at(k + 1, k), d = *f_.at(k + 1, k + 1);
    const InversePair inverse(a, b, d);
    const double size = InversePair::size(a, b, d);
    first_.assign(f_.at(k + 2, k), f_.at(0, k) + f_.rows);
    second_.assign(f_.at(k + 2, k + 1), f_.at(0, k + 1) + f_.rows);
    for (Index i = k + 2; i < f_.rows; ++i) {
      const double x = first_[i - k - 2], y = second_[i - k - 2];
      add_mass(i, *f_.at(i, k) = inverse.own_first * x + inverse.other * y, size);
      add_mass(i, *f_.at(i, k + 1) = inverse.other * x + inverse.own_second * y, size);
    }
    for (Index j = k + 2; j < f_.columns; ++j) {
      const double x = first_[j - k - 2], y = second_[j - k - 2];
      const double *l = f_.at(0, k), *l_two = f_.at(0, k + 1);
      double *s = f_.at(0, j);
      for (Index i = j; i < f_.rows; ++i)
        s[i] -= l[i] * x + l_two[i] * y;
    }
    *f_.at(k, k) = *f_.at(k + 1, k + 1) = 1;
    *f_.at(k + 1, k) = 0;
    f_.d[k] = a;
    f_.d[k + 1] = d;
    f_.off[k] = b;
    f_.off[k + 1] = 0;
    note_uncertain(f_, k, f_.mass[k], f_.mass[k + 1], options_.uncertain);
    f_.eliminated += 2;
  }

  /// What a pivot of this size adds to the mass of row i by an entry of L.
  void add_mass(Index i, double l, double size) { f_.mass_of(i) += l * l * size; }

  FrontColumns &f_;
  const DirectOptions &options_;
  std::vector<double> first_, second_; ///< columns of a pivot before they are divided
};

} // namespace

void eliminate_carefully(FrontColumns &front, const DirectOptions &options)
{
  CarefulElimination(front, options).run();
}

} // namespace tessera
