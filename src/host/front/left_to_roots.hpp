#ifndef TESSERA_HOST_FRONT_LEFT_TO_ROOTS_HPP
#define TESSERA_HOST_FRONT_LEFT_TO_ROOTS_HPP

#include "factor/front/options.hpp"
#include "host/front/solve/measure_left_out.hpp"

#include <limits>

namespace tessera {

/// Whether zero and uncertain pivots are left to the roots of their trees, which factors of one matrix after another
/// find out: where a factor has such pivots, the matrix is factored once more without them, and where they could be
/// measured at the roots, the next ones leave them there at once.
class LeftToRoots {
public:
  /// factor(leaves_out, report): factors the matrix, and returns whether the factor can stay, with its report; without
  /// leaving out, DirectReport::measured are pivots of a tree that are to be measured, the most of any. finish(report):
  /// completes one that has left out nothing. allowed: whether anything may be left out.
  template <class Factor, class Finish>
  DirectReport run(bool allowed, const Factor &factor, const Finish &finish)
  {
    DirectReport r;
    double flops = 0; // of all factorizations
    const auto factors = [&](bool leaves_out) {
      const bool good = factor(leaves_out, r);
      flops += r.flops;
      r.flops = flops;
      return good;
    };
    const bool before = leaves_out_;
    leaves_out_ = allowed && before && factors(true);
    if (leaves_out_ || !factors(false))
      return r;
    const Offset pivots = r.measured;
    if (allowed && !before && pivots > 0 && pivots <= most_left_to_root && pivots < unmeasured_) {
      leaves_out_ = factors(true);
      if (leaves_out_)
        return r;
      unmeasured_ = pivots;
      factors(false);
    }
    finish(r);
    r.flops = flops;
    return r;
  }

private:
  bool leaves_out_ = false;                                ///< the last factor has
  Offset unmeasured_ = std::numeric_limits<Offset>::max(); ///< of a tree, so many at least, that could not be measured
};

} // namespace tessera
#endif
