#ifndef TESSERA_HOST_FRONT_LEFT_TO_ROOTS_HPP
#define TESSERA_HOST_FRONT_LEFT_TO_ROOTS_HPP

#include "factor/front/options.hpp"
#include "host/front/solve/measure_left_out.hpp"

namespace tessera {

/// Whether zero and uncertain pivots are left to the roots of their trees, which factors of one matrix after another
/// find out: where a factor has such pivots, the matrix is factored once more without them, and where they could be
/// measured at the roots, the next ones leave them there at once. What comes of a matrix does not depend on those
/// before, but for the operations that it takes.
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
    if (allowed && !before && r.measured > 0 && r.measured <= most_left_to_root) {
      leaves_out_ = factors(true);
      if (leaves_out_ || !factors(false))
        return r;
    }
    finish(r);
    r.flops = flops;
    return r;
  }

private:
  bool leaves_out_ = false; ///< the last factor has
};

} // namespace tessera
#endif
