#ifndef TESSERA_FACTOR_FRONT_OPTIONS_HPP
#define TESSERA_FACTOR_FRONT_OPTIONS_HPP

#include "base/types.hpp"
#include "factor/front/singular_distance.hpp"

#include <limits>

namespace tessera {

/// Which factors a direct factorization computes.
enum class FactorKind {
  LDLT, ///< symmetric: P A Pᵀ = L D Lᵀ with 1x1 and 2x2 pivots
  LLT   ///< symmetric positive definite: P A Pᵀ = L Lᵀ
};

/// Pivots of at most this times DirectOptions::zero times their mass are uncertain.
constexpr double uncertain_factor = 64;

/// Largest of thresholds: for a larger one there may be no pivot.
constexpr double largest_threshold = 0.5;
/// Of pivots among the columns of their front where pivoting is static, see DirectOptions::threshold.
constexpr double static_threshold = 0.01;
/// Smallest pivot of static pivoting, over the largest entry of the scaled matrix: the root of a unit of rounding.
constexpr double static_least_pivot = 1.5e-8;

struct DirectOptions {
  /// Entries of L are at most 1 / threshold, over whole columns; 0 < threshold <= 1/2. 0: static pivoting (Li & Demmel,
  /// "Making sparse Gaussian elimination scalable by static pivoting", 1998). Pivots are chosen in their front alone,
  /// whatever L is below it, so no column is delayed. Those that are too small there are replaced and counted: a factor
  /// of another matrix, for refinement. CUDA: among 32 columns of their front.
  double threshold = 0.01;
  /// CUDA: where pivots fail, the host searches others by this threshold, if it is the larger one, so that they pass
  /// for longer with other values.
  double search_threshold = 0;
  /// Host, static pivoting: magnitude of the smallest pivot. A factorization sets it, from static_least_pivot.
  double least_pivot = 0;
  /// Entry (i, j) of a Schur complement is 0 as far as the factorization can tell when its magnitude is at most this
  /// times the square root of mass_i mass_j. mass_i is |a_ii| and the sum of l_ik² ||D_k|| over the pivots D_k so far,
  /// so that the root bounds all that was added to the entry beside a_ij. A column of such entries gives a zero pivot:
  /// what is left of it is rounding.
  double zero = 1.4e-14; // 64 units of rounding
  /// Pivots of at most this times their mass are uncertain: their sign may be another, or they may be zero. A unit of
  /// rounding for each row is taken where that is more. These pivots are measured again.
  double uncertain = uncertain_factor * zero;
  /// Host: zero and uncertain pivots wait for the roots of their trees, to be measured together there. A factorization
  /// sets it.
  bool leaves_out = false;
  /// Host, LDLᵀ: uncertain pivots are measured. A search for pivots needs no more than their order.
  bool measures = true;
  /// CUDA: where pivots fail, plans with at least so many operations have columns delayed; of others the host searches
  /// the pivots.
  double least_delay_flops = 1e8;
  /// Host: the pivots that a factorization finds become those of the plan for the next ones, see make_keeping_direct().
  bool keep_pivots = false;
  /// The matrix has other values than those that were analysed, and the caller can analyse it anew. A factorization on
  /// the host that comes to much more than its analysis led to ends with DirectReport::Cascade; so does LDLᵀ on a
  /// device where pivots fail and others would take longer to find than a new analysis. On the host LDLᵀ renews its
  /// scale factors.
  bool other_values = false;
  /// Host: a factorization whose DirectReport::work is going to be more than this ends with DirectReport::Cascade.
  double most_work = std::numeric_limits<double>::infinity();

  /// Pivots of at most this times their mass are not taken.
  double refused() const { return leaves_out ? uncertain : zero; }
  bool is_static() const { return threshold == 0; }
  /// As `threshold`, of the entries of L in the own columns of their front.
  double own_threshold() const { return is_static() ? static_threshold : threshold; }
};

/// Refinement of a solution x of A x = b: another solve with the residual, while the scaled backward error
/// ||b - A x|| / (||A|| ||x|| + ||b||), in the maximum norm, is above the target and falls to half or less; and then,
/// as long as it is above the target, steps of FGMRES with the factor, see flexible_gmres().
struct RefinementOptions {
  double target = 1e-14;
  Index most = 10; ///< steps of both; 0: none, and the error is not measured
};

/// What became of a solve. Of several right-hand sides the worst.
struct SolveReport {
  double backward_error = -1; ///< -1: not measured
  Index steps = 0;            ///< of refinement
  Index at_a_time = 0;        ///< CUDA: right-hand sides that the solve did at a time for lack of memory; 0: no lack
  SingularDistance singular;  ///< of the matrix
};

/// What a direct factorization did. Counts are exact.
struct DirectReport {
  enum Status {
    Complete,
    NonFinite,    ///< an entry of A, or of the factor by overflow, is an infinity or a NaN
    NotSymmetric, ///< of a plan that says where mirror images are, see FrontPlan: an entry is not equal to its own;
                  ///< `failed_row`, and no factor
    NotDefinite,  ///< LLᵀ: a pivot is not positive; `failed_row`
    NeedsHost,    ///< CUDA: pivots are needed that the backend cannot take. Another factorization of the same plan, on
                  ///< the host, can; this one has no factor
    Cascade ///< delayed columns make it take more than DirectOptions::most_work, or see other_values there: it has
            ///< no factor
  } status = Complete;
  Index failed_row = -1;                 ///< row of the matrix
  Offset one_by_one = 0, two_by_two = 0; ///< pivots; a 2x2 counts once
  Offset zero = 0;                       ///< 1x1 pivots that are 0: rows less the rank, as far as the factor tells
  Offset negative = 0, positive = 0;     ///< eigenvalues of D by sign
  Offset uncertain = 0;                  ///< pivots so close to rounding that the sign of an eigenvalue may be wrong,
                                         ///< and those of `zero` that may not be zero
  Offset delayed = 0;                    ///< columns handed to a parent, counted each time
  Index searches = 0;         ///< CUDA: times that the host has searched the pivots, as those of the plan failed
  Index delay_rounds = 0;     ///< CUDA: times that the plan had columns delayed, as pivots failed
  Offset searched_panels = 0; ///< CUDA: of up to 32 columns, whose pivots were not where they were looked for first
  Index reorders = 0;         ///< CUDA: times that the order in which pivots were found in panels was taken,
  Index forgotten_orders = 0; ///< LU: and that it was given up, as pivots failed in it
  Offset measured = 0;        ///< zero and uncertain pivots that were measured together, on the host those of a tree,
  Offset bordered = 0;        ///< and their eigenvalues, or singular values, that are not zero
  Index again = 0;            ///< host: times that the matrix was factored again for such pivots
  bool asked_host = false;    ///< CUDA: the host has measured zero and uncertain pivots that the device could not
  Index rescales = 0;         ///< times that scale factors were renewed for the values; CUDA: as pivots failed
  Offset entries = 0;         ///< of L, diagonal blocks included
  double flops = 0;           ///< additions and multiplications done
  double work = 0;        ///< host: the same of all columns of every front, delayed ones in each front that tries them
  Index replans = 0;      ///< kept pivots: plans made of found pivots so far
  double planned = 0;     ///< kept pivots: additions and multiplications of the plan in use
  Offset perturbed = 0;   ///< static pivoting: pivots that were replaced, all of them 1x1
  bool tightened = false; ///< host, LDLᵀ: factored again with largest_threshold, as L may have hidden zero pivots
  double largest = 0;     ///< entry of D, by magnitude, over the largest one of the scaled A

  /// Of a factorization that failed at a row of the matrix.
  static DirectReport of_failure(Status status, Index row)
  {
    DirectReport r;
    r.status = status;
    r.failed_row = row;
    return r;
  }
};

} // namespace tessera
#endif
