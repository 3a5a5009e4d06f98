#ifndef TESSERA_HOST_FRONT_LEFT_TO_ROOTS_HPP
#define TESSERA_HOST_FRONT_LEFT_TO_ROOTS_HPP

#include "factor/front/options.hpp"
#include "host/front/solve/measure_left_out.hpp"

namespace tessera {

/// Where zero and uncertain pivots are measured: one by one where they were found, or together at the roots of their
/// trees, which takes another factorization, without them. The next one leaves them to the roots at once; where they
/// would have been too many then, what comes of it may depend on that.
class LeftToRoots {
public:
  /// Kept pivots stay where they were found.
  static bool is_allowed(const DirectOptions &options) { return !options.is_static() && !options.keep_pivots; }

  /// factor(leaves_out, report): factors the matrix, and returns whether the factor can stay, with its report.
  /// together(): whether there are pivots to be measured together, after a factorization that has left out nothing.
  /// finish(report): measures them as they are. allowed: whether anything may be left out.
  template <class Factor, class Together, class Finish>
  DirectReport run(bool allowed, const Factor &factor, const Together &together, const Finish &finish)
  {
    DirectReport r;
    double flops = 0; // of all factorizations
    Index again = -1; // after the first one
    const auto tell_all = [&] {
      r.flops = flops;
      r.again = again;
    };
    const auto factors = [&](bool leaves_out) {
      const bool good = factor(leaves_out, r);
      flops += r.flops;
      ++again;
      tell_all();
      return good;
    };
    const bool before = leaves_out_;
    leaves_out_ = allowed && before && factors(true);
    if (leaves_out_ || !factors(false))
      return r;
    if (allowed && !before && together()) {
      leaves_out_ = factors(true);
      if (leaves_out_ || !factors(false))
        return r;
    }
    finish(r);
    tell_all();
    return r;
  }

private:
  bool leaves_out_ = false; ///< the last factor has
};

} // namespace tessera
#endif
