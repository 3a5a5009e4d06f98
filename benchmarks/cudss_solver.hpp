#ifndef TESSERA_BENCHMARKS_CUDSS_SOLVER_HPP
#define TESSERA_BENCHMARKS_CUDSS_SOLVER_HPP

#include "base/types.hpp"
#include "cudss_factor.hpp"

#include <limits>
#include <vector>

namespace tessera {

/// A matrix with its factor, and vectors, in device memory. Members throw std::runtime_error when a call fails.
class CudssSolver {
public:
  /// Of a symmetric or definite matrix, which stores both triangles, cuDSS gets the upper one. Where the diagonal has
  /// no entry it gets a zero. There are no values yet. columns: right-hand sides of a solve.
  CudssSolver(const CudssLibrary &library, const Pattern &pattern, const CudssOptions &options, Index columns = 1)
      : handed_(hand_over(pattern, options.type)), start_(handed_.start), column_(handed_.column),
        value_(handed_.column.size()), right_(std::size_t(pattern.rows) * columns),
        solution_(std::size_t(pattern.rows) * columns),
        factor_(library, pattern.rows, std::int64_t(handed_.column.size()), start_.data(), column_.data(),
                value_.data(), options, columns)
  {
    factor_.set_vectors(right_.data(), solution_.data());
  }

  /// value: those of the pattern's entries.
  void set_values(const std::vector<double> &value)
  {
    std::vector<double> handed(handed_.source.size());
    std::transform(handed_.source.begin(), handed_.source.end(), handed.begin(),
                   [&](Offset p) { return p < 0 ? 0.0 : value[p]; });
    value_.set(handed);
  }
  /// [columns, rows]
  void set_right_hand_sides(const std::vector<double> &b) { right_.set(b); }
  std::vector<double> solutions() const { return solution_.on_host(); }

  void reorder() { factor_.reorder(); }
  void factor_symbolically() { factor_.factor_symbolically(); }
  void factor()
  {
    factor_.factor();
    check_info("factorization");
  }
  void refactor()
  {
    factor_.refactor();
    check_info("refactorization");
  }
  void solve() { factor_.solve(); }
  CudssReport report() const { return factor_.report(); }

private:
  /// Entries that cuDSS gets, and which of the matrix they are, -1 for a zero on the diagonal.
  struct Handed {
    std::vector<int> start = {0}, column;
    std::vector<Offset> source;
  };

  static Handed hand_over(const Pattern &pattern, CudssType type)
  {
    if (pattern.entries() > std::numeric_limits<int>::max() - pattern.rows)
      throw std::runtime_error("the matrix has too many entries for indices of 32 bits");
    Handed handed;
    const auto add = [&](Index j, Offset source) {
      handed.column.push_back(j);
      handed.source.push_back(source);
    };
    for (Index i = 0; i < pattern.rows; ++i) {
      bool past_diagonal = false;
      for (Offset p = pattern.start[i]; p < pattern.start[i + 1]; ++p) {
        const Index j = pattern.column[p];
        if (j > i && !past_diagonal)
          add(i, -1);
        past_diagonal = past_diagonal || j >= i;
        if (j >= i || type == CudssType::General)
          add(j, p);
      }
      if (!past_diagonal)
        add(i, -1);
      handed.start.push_back(int(handed.column.size()));
    }
    return handed;
  }

  void check_info(const char *name) const
  {
    if (const int info = factor_.info())
      throw std::runtime_error(std::string(name) + ": CUDSS_DATA_INFO is " + std::to_string(info));
  }

  Handed handed_;
  CudaArray<int> start_, column_;
  CudaArray<double> value_, right_, solution_;
  CudssFactor factor_;
};

} // namespace tessera
#endif
