#include "host/front/eliminate/eliminate_ldlt.hpp"
#include "host/front/eliminate/inverse_pair.hpp"
#include "host/front/least_pivot.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

/// One pivot after the other of a front, right-looking.
template <class T, Symmetry S>
class CarefulElimination {
public:
  CarefulElimination(FrontColumns<T> &front, const DirectOptions &options) : f_(front), options_(options) {}

  void run()
  {
    while (f_.eliminated < f_.columns) {
      bool found = false;
      for (Index c = f_.eliminated; c < f_.columns && !found; ++c)
        found = try_pivot(c);
      if (!found && !(options_.is_static() && replace_pivot()))
        return;
    }
  }

private:
  /// Entry of what is left, from the lower triangle: where i < j its mirror image, which has the same magnitude. j may
  /// be eliminated for no i.
  T entry(Index i, Index j) const { return i >= j ? *f_.at(i, j) : *f_.at(j, i); }
  T diagonal(Index i) const { return on_diagonal<S>(*f_.at(i, i)); }

  struct Largest {
    double all = 0;      ///< largest magnitude of the column outside its diagonal
    double eligible = 0; ///< of those in rows that may be pivots
    Index row = -1;      ///< of that
    bool finite = true;

    /// What a pivot has to be large beside.
    double tested(const DirectOptions &options) const { return options.is_static() ? eligible : all; }
  };

  /// Of column c outside rows c and `beside`.
  Largest largest_of(Index c, Index beside) const
  {
    Largest found;
    double sum = 0; // finite only if all entries are
    for (Index i = f_.eliminated; i < f_.columns; ++i) {
      if (i == c || i == beside)
        continue;
      const double x = magnitude(entry(i, c));
      sum += x * 0;
      if (x > found.eligible) {
        found.eligible = x;
        found.row = i;
      }
    }
    found.all = found.eligible;
    const T *below = f_.at(0, c);
    for (Index i = f_.columns; i < f_.rows; ++i) {
      const double x = magnitude(below[i]);
      sum += x * 0;
      found.all = std::max(found.all, x);
    }
    found.finite = sum == 0;
    return found;
  }

  /// Whether all entries of column c outside its diagonal may be nothing but rounding.
  bool is_rounding(Index c) const
  {
    bool rounding = true;
    const double own = options_.zero * std::sqrt(f_.mass[c]); // products of masses may overflow
    for (Index i = f_.eliminated; i < f_.rows && rounding; ++i)
      rounding = i == c || magnitude(entry(i, c)) <= own * std::sqrt(f_.mass_of(i));
    return rounding;
  }

  bool try_pivot(Index c)
  {
    if (f_.pair[c] && c + 1 < f_.columns && try_pair(c, c + 1))
      return true;
    const Largest of_c = largest_of(c, c);
    const double own = magnitude(diagonal(c));
    if (!of_c.finite || !std::isfinite(own))
      return false;
    const bool empty = own == 0 && of_c.all == 0; // whatever the masses are, which may overflow
    if (!options_.is_static() && (empty || (own <= options_.zero * f_.mass[c] && is_rounding(c)))) {
      if (options_.leaves_out && f_.mass[c] > 0)
        return false;
      eliminate_zero(c);
      return true;
    }
    const bool refused = options_.leaves_out && own <= options_.uncertain * f_.mass[c];
    if (own >= options_.own_threshold() * of_c.tested(options_) && own >= options_.least_pivot && !refused) {
      eliminate_single(c);
      return true;
    }
    return of_c.row >= 0 && try_pair(c, of_c.row);
  }

  /// Static pivoting, where no column has a pivot: the first one gets one that is large enough. Returns whether the
  /// column is finite.
  bool replace_pivot()
  {
    const Index c = f_.eliminated;
    const T d = diagonal(c);
    if (!largest_of(c, c).finite || !is_finite(d))
      return false;
    if (magnitude(d) < options_.least_pivot) {
      *f_.at(c, c) = pivot_of_size(d, options_.least_pivot);
      ++f_.perturbed;
    }
    eliminate_single(c);
    return true;
  }

  /// A 2x2 pivot is taken if no entry of its two columns of L exceeds 1 / threshold, and if it is regular: where
  /// nothing is left of the other rows, the test of L alone would take any. Of a singular one the larger diagonal entry
  /// is a pivot, and the other is judged for itself. Static pivoting tests L in the own columns alone, and wants
  /// singular values that are large enough.
  bool try_pair(Index c, Index t)
  {
    const T b = without_argument<S>(entry(t, c));
    if (b == T(0))
      return false;
    const T p = quotient(diagonal(c), b), q = quotient(diagonal(t), b);
    const Largest of_c = largest_of(c, t), of_t = largest_of(t, c);
    const double regular = magnitude(product(p, q) - T(1)), det = regular * magnitude(b) / options_.own_threshold();
    const double x = of_c.tested(options_), y = of_t.tested(options_);
    if (regular <= options_.zero || !of_c.finite || !of_t.finite || !std::isfinite(det) ||
        !is_large_pair(regular, magnitude(b), magnitude(p), magnitude(q), options_.least_pivot) ||
        !(magnitude(q) * x + y <= det) || !(x + magnitude(p) * y <= det))
      return false;
    if (options_.leaves_out &&
        is_uncertain<S>(diagonal(c), entry(t, c), diagonal(t), f_.mass[c], f_.mass[t], options_.uncertain))
      return false;
    eliminate_pair(std::min(c, t), std::max(c, t));
    return true;
  }

  void eliminate_zero(Index c)
  {
    const Index k = f_.eliminated;
    exchange<S>(f_, k, c);
    std::fill(f_.at(k, k), f_.at(0, k) + f_.rows, T(0));
    *f_.at(k, k) = 1;
    f_.d[k] = f_.off[k] = 0;
    ++f_.zero;
    note_uncertain<S>(f_, k, f_.mass[k], 0, options_.uncertain);
    ++f_.eliminated;
  }

  void eliminate_single(Index c)
  {
    const Index k = f_.eliminated;
    exchange<S>(f_, k, c);
    const T d = diagonal(k), inverse = quotient(T(1), d);
    first_.assign(f_.at(k + 1, k), f_.at(0, k) + f_.rows);
    for (Index i = k + 1; i < f_.rows; ++i)
      add_mass(i, *f_.at(i, k) = product(*f_.at(i, k), inverse), magnitude(d));
    for (Index j = k + 1; j < f_.columns; ++j) {
      const T x = mirrored<S>(first_[j - k - 1]);
      const T *l = f_.at(0, k);
      T *a = f_.at(0, j);
      for (Index i = j; i < f_.rows; ++i)
        a[i] -= product(l[i], x);
    }
    *f_.at(k, k) = 1;
    f_.d[k] = d;
    f_.off[k] = 0;
    note_uncertain<S>(f_, k, f_.mass[k], 0, options_.uncertain);
    ++f_.eliminated;
  }

  void eliminate_pair(Index c, Index t)
  {
    const Index k = f_.eliminated;
    exchange<S>(f_, k, c);
    exchange<S>(f_, k + 1, t);
    const T a = diagonal(k), b = *f_.at(k + 1, k), d = diagonal(k + 1);
    const InversePair<T, S> inverse(a, b, d);
    const double size = inverse.size(a, b, d);
    first_.assign(f_.at(k + 2, k), f_.at(0, k) + f_.rows);
    second_.assign(f_.at(k + 2, k + 1), f_.at(0, k + 1) + f_.rows);
    for (Index i = k + 2; i < f_.rows; ++i) {
      const T x = first_[i - k - 2], y = second_[i - k - 2];
      add_mass(i, *f_.at(i, k) = inverse.first_of_row(x, y), size);
      add_mass(i, *f_.at(i, k + 1) = inverse.second_of_row(x, y), size);
    }
    for (Index j = k + 2; j < f_.columns; ++j) {
      const T x = mirrored<S>(first_[j - k - 2]), y = mirrored<S>(second_[j - k - 2]);
      const T *l = f_.at(0, k), *l_two = f_.at(0, k + 1);
      T *s = f_.at(0, j);
      for (Index i = j; i < f_.rows; ++i)
        s[i] -= product(l[i], x) + product(l_two[i], y);
    }
    *f_.at(k, k) = *f_.at(k + 1, k + 1) = 1;
    *f_.at(k + 1, k) = 0;
    f_.d[k] = a;
    f_.d[k + 1] = d;
    f_.off[k] = b;
    f_.off[k + 1] = 0;
    note_uncertain<S>(f_, k, f_.mass[k], f_.mass[k + 1], options_.uncertain);
    f_.eliminated += 2;
  }

  /// What a pivot of this size adds to the mass of row i by an entry of L.
  void add_mass(Index i, T l, double size) { f_.mass_of(i) += squared_magnitude(l) * size; }

  FrontColumns<T> &f_;
  const DirectOptions &options_;
  std::vector<T> first_, second_; ///< columns of a pivot before they are divided
};

} // namespace

template <Symmetry S, class T>
void eliminate_carefully(FrontColumns<T> &front, const DirectOptions &options)
{
  CarefulElimination<T, S>(front, options).run();
}

template <class T>
bool leave_out_rest(FrontColumns<T> &front)
{
  for (Index k = front.eliminated; k < front.columns; ++k) {
    if (!std::all_of(front.at(k, k), front.at(0, k) + front.rows, [](T x) { return is_finite(x); }))
      return false;
    std::fill(front.at(k, k), front.at(0, k) + front.rows, T(0));
    *front.at(k, k) = 1;
    front.d[k] = front.off[k] = 0;
  }
  front.left_out = front.columns - front.eliminated;
  front.zero += front.left_out;
  front.eliminated = front.columns;
  return true;
}

template bool leave_out_rest(FrontColumns<double> &);
template bool leave_out_rest(FrontColumns<Complex> &);

template void eliminate_carefully<Symmetry::Symmetric>(FrontColumns<double> &, const DirectOptions &);
template void eliminate_carefully<Symmetry::Symmetric>(FrontColumns<Complex> &, const DirectOptions &);
template void eliminate_carefully<Symmetry::Hermitian>(FrontColumns<Complex> &, const DirectOptions &);

} // namespace tessera
