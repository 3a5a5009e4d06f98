#ifndef TESSERA_HOST_FRONT_LEFT_TO_ROOTS_HPP
#define TESSERA_HOST_FRONT_LEFT_TO_ROOTS_HPP

#include "factor/front/options.hpp"
#include "host/front/solve/measure_left_out.hpp"

namespace tessera {

/// Where zero and uncertain pivots are measured: one by one where they were found, or together at the roots of their
/// trees, which takes another factorization, without them. The next one leaves them to the roots at once; where it has
/// nothing but zero pivots then, its last bits may depend on that.
class LeftToRoots {
public:
  /// Kept pivots stay where they were found.
  static bool is_allowed(const DirectOptions &options) { return !options.is_static() && !options.keep_pivots; }

  /// factor(leaves_out, report): factors the matrix, and returns whether the factor can stay, with its report.
  /// uncertain(): pivots of a tree that are to be measured together, the most of any, as some are uncertain after a
  /// factorization that has left out nothing; or 0. finish(report): measures its pivots one by one, and returns the
  /// same where they should be measured together after all. allowed: whether anything may be left out.
  template <class Factor, class Uncertain, class Finish>
  DirectReport run(bool allowed, const Factor &factor, const Uncertain &uncertain, const Finish &finish)
  {
    DirectReport r;
    double flops = 0; // of all factorizations
    const auto factors = [&](bool leaves_out) {
      const bool good = factor(leaves_out, r);
      flops += r.flops;
      r.flops = flops;
      return good;
    };
    const auto finishes = [&] {
      const Offset together = finish(r);
      r.flops = flops;
      return together;
    };
    const bool before = leaves_out_;
    leaves_out_ = allowed && before && factors(true);
    if (leaves_out_ || !factors(false))
      return r;
    Offset together = uncertain();
    const bool finished = together == 0;
    if (finished)
      together = finishes();
    if (allowed && !before && together > 0) {
      leaves_out_ = factors(true);
      if (!leaves_out_ && factors(false))
        finishes();
    } else if (!finished) {
      finishes();
    }
    return r;
  }

private:
  bool leaves_out_ = false; ///< the last factor has
};

} // namespace tessera
#endif
