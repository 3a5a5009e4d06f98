#ifndef TESSERA_FACTOR_JLDLT_OPTIONS_HPP
#define TESSERA_FACTOR_JLDLT_OPTIONS_HPP

#include "factor/report.hpp"
#include "tile/pivoting.hpp"

#include <vector>

namespace tessera {

constexpr double automatic_epsilon = -1;

struct JacobiOptions {
  Pivoting pivoting = Pivoting::rook;
  Index sweeps = 5;                   ///< at most
  Index stages = 8;                   ///< of a sweep, each of which uses what those before it have computed
  double epsilon = automatic_epsilon; ///< pivots below epsilon ||A||_1 are replaced in the first sweep
  double decay = 0.95;                ///< factor of epsilon from a sweep to the next
  double stall = 0.01;                ///< stop when a sweep takes less than this part off the reconstruction error
  Index outer_levels = 0;             ///< first sweeps after which blocks with failed pivots are pushed back
  double failure = 1e-6;              ///< such a block has a pivot below this times ||A||_1
  bool warm_start = true;             ///< begin with the last factor of the same pattern
  bool watch = true;                  ///< measure the reconstruction error of every sweep
  Offset max_bytes = 0; ///< memory that the factorization may hold, without what applications need; 0: no limit
};

struct JacobiReport {
  FactorReport factor;
  double norm = 0;                     ///< ||A||_1 of the scaled matrix
  double epsilon = 0;                  ///< of the first sweep of the run that made the factor
  double last_epsilon = 0;             ///< of its last sweep
  std::vector<double> epsilons, tried; ///< of the automatic choice: candidates, and the error that each led to
  std::vector<double> error;           ///< after each sweep: estimate of ||UᵀJU - A|| / ||A|| in the Frobenius norm
  double final_error = 0;              ///< of the factor: of the last sweep that made it better
  Index sweeps = 0;                    ///< done
  Offset pushed = 0;                   ///< times that a block was pushed back
  bool warm = false;                   ///< began with the last factor
  bool stalled = false;                ///< stopped because sweeps no longer helped
};

} // namespace tessera
#endif
