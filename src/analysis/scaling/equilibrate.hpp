#ifndef TESSERA_ANALYSIS_SCALING_EQUILIBRATE_HPP
#define TESSERA_ANALYSIS_SCALING_EQUILIBRATE_HPP

#include "analysis/matching/costs.hpp"

namespace tessera {

struct EquilibrationOptions {
  int max_iterations = 20;
  double tolerance = 0.05; ///< stop when the base-2 logarithm of every row's largest entry is this close to 0
};

/// A symmetric scaling: row i and column i are multiplied by 2^log2_scale[i].
struct Equilibration {
  MatrixStatus status = MatrixStatus::usable; ///< if not usable, only faulty_row is set besides
  Index faulty_row = -1;                      ///< first row with an infinity or a NaN
  bool converged = false;                     ///< if not, the scaling reached is set all the same
  int iterations = 0;
  double deviation = 0;           ///< largest |log2(largest scaled entry)| of a row
  std::vector<double> log2_scale; ///< [rows], 0 for an empty row
};

/// Infinity-norm equilibration of a symmetric matrix, both triangles stored: every row's largest entry becomes about 1
/// (Ruiz 2001: every iteration divides rows and columns by the square roots of their norms, halving the logarithms).
/// Works on logarithms, so no value over- or underflows; a multiple of the matrix gets the same scaled matrix.
/// log2_start: [rows] the scaling to begin with; none: 1 everywhere.
Equilibration equilibrate(const Matrix &symmetric, const EquilibrationOptions &options = {},
                          const std::vector<double> &log2_start = {});

} // namespace tessera
#endif
