#ifndef TESSERA_TESTS_SUPPORT_RANDOM_MATRIX_HPP
#define TESSERA_TESTS_SUPPORT_RANDOM_MATRIX_HPP

#include "base/random.hpp"
#include "support/matrix_market.hpp"

namespace tessera::test {

/// The numbers that tests draw: the same on every machine.
class Random : public SplitMix64 {
public:
  using SplitMix64::SplitMix64;

  Index below(Index n) { return static_cast<Index>(bits() % static_cast<std::uint64_t>(n)); }
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * uniform(); }
};

/// n numbers in -1 .. 1.
inline std::vector<double> random_vector(Index n, std::uint64_t seed)
{
  Random random(seed);
  std::vector<double> x(n);
  for (double &v : x)
    v = random.between(-1, 1);
  return x;
}

/// A dense symmetric matrix with entries in -1 .. 1, on its diagonal in 20 .. 30.
inline Matrix dense_symmetric(Index n, std::uint64_t seed)
{
  Random random(seed);
  std::vector<Triplet> triplets;
  for (Index i = 0; i < n; ++i) {
    triplets.push_back({i, i, random.between(20, 30)});
    for (Index j = i + 1; j < n; ++j) {
      const double x = random.between(-1, 1);
      triplets.push_back({i, j, x});
      triplets.push_back({j, i, x});
    }
  }
  return assemble(n, n, triplets);
}

/// A symmetric matrix, some of whose columns have a small pivot and a large entry far below it, which only a test of
/// the whole column notices.
Matrix small_pivots();

/// How the values of a random matrix are drawn.
enum class Values {
  small_whole, ///< -3 .. 3, zeros included and stored: many ties
  graded,      ///< +- 10^x, x uniform in -300 .. 300
  uniform      ///< -1 .. 1
};

double random_value(Random &random, Values values);

/// With either sign: ones, which tie, zero, the ends of the range of doubles, denormals, numbers at the edge of
/// rounding beside 1, or any power of two.
double extreme_value(Random &random);

/// n x n with about `entries` entries at random places, symmetric if asked.
Matrix random_matrix(Random &random, Index n, Index entries, Values values, bool symmetric);

/// [H A^T; A 0] with a positive diagonal H of `variables` rows and `constraints` rows A of `per_row` entries each.
Matrix random_kkt(Random &random, Index variables, Index constraints, Index per_row);

/// [H A^T; A 0] as random_kkt, but with entries 1 in A, `per_col` a variable, and the variables' diagonal between 2^-20
/// and 1: the constraint matrices of combinatorial programs.
Matrix combinatorial_kkt(Random &random, Index variables, Index constraints, Index per_col);

/// [H Aᵀ; A 0] with variables of either sign that cancel each other in A H⁻¹ Aᵀ, but for rounding.
Matrix cancelling_kkt(Index pairs, Index constraints);

/// Singular blocks of rows k and k + blocks, all entries 1, whose second rows are coupled densely by entries
/// of 1.5e-16. Each of these may be rounding beside the blocks; all together have an eigenvalue of blocks - 1 times as
/// much, which is more than that.
Matrix singular_blocks_with_coupling(Index blocks);

/// [0 0 Bᵀ; 0 4 I -I; B -I 0] with m rows (1 4 1) / 6 in B, which has two null vectors; without column `empty` a third
/// one but for what goes down from it by a factor of 3.7 from row to row, and of its size nothing is left of that.
/// Elimination along the rows finds good pivots for it.
Matrix cut_chain(Index m, Index empty);

/// [D Aᵀ; A 0] with D between 1e-6 and 1 and the constraints A of a transportation problem with three indices: the sums
/// of x_ijk over each index. 3 n - 1 of the 3 n² rows of A are sums of others.
Matrix redundant_program(Index n, unsigned seed);

} // namespace tessera::test
#endif
