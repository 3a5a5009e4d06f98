#include "factor/block_factorization.hpp"
#include "host/block_solve.hpp"

#include <algorithm>
#include <unistd.h>

namespace tessera {
namespace {

template <class T>
class HostFactorization : public BlockFactorization {
public:
  explicit HostFactorization(const Analysis &analysis)
      : analysis_(analysis), schedule_(make_host_schedule(analysis.structure)),
        solve_schedule_(analysis.structure, schedule_), factor_(analysis.structure), x_(analysis.structure.rows)
  {
  }

  FactorReport factor(const double *values, Place, const FactorOptions &options) override
  {
    const FactorReport report = factor_on_host(analysis_.structure, schedule_, values, options, factor_);
    pivots_known_ = false;
    return report;
  }

  void apply(const double *r, Place, double *z, Place, bool definite) override { solve(1, r, 0, z, 0, definite); }

  void apply_to_columns(Index columns, const double *r, Offset r_leading, Place, double *z, Offset z_leading, Place,
                        bool definite) override
  {
    for (Index j = 0; j < columns; j += vectors_at_once)
      solve(std::min(columns - j, vectors_at_once), r + j * r_leading, r_leading, z + j * z_leading, z_leading,
            definite);
  }

  Place place() const override { return Place::Host; }

  Offset bytes() const override
  {
    return factor_.bytes() + Offset(x_.size() + d_inverse_.size() + e_inverse_.size()) * 8;
  }

  double machine_bytes() const override { return double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE)); }

  FactorCopy copy() override { return copy_of(analysis_.structure, factor_.view()); }

private:
  static constexpr Index vectors_at_once = 8;

  void solve(Index vectors, const double *r, Offset r_leading, double *z, Offset z_leading, bool definite)
  {
    const std::vector<Index> &perm = analysis_.structure.perm;
    const std::vector<double> &scale = analysis_.scale;
    const Index n = analysis_.structure.rows;
    if (!pivots_known_ || pivots_definite_ != definite) {
      invert_pivots(analysis_.structure, factor_, definite, d_inverse_, e_inverse_);
      pivots_known_ = true;
      pivots_definite_ = definite;
    }
    if (x_.size() < std::size_t(vectors) * n)
      x_.resize(std::size_t(vectors) * n);
    for (Index j = 0; j < vectors; ++j) {
#pragma omp parallel for schedule(static) if (worth_sharing(n))
      for (Index i = 0; i < n; ++i)
        x_[j * Offset(n) + i] = r[j * r_leading + perm[i]] * scale[perm[i]];
    }
    solve_on_host(analysis_.structure, solve_schedule_, factor_, d_inverse_, e_inverse_, x_.data(), vectors);
    for (Index j = 0; j < vectors; ++j) {
#pragma omp parallel for schedule(static) if (worth_sharing(n))
      for (Index i = 0; i < n; ++i)
        z[j * z_leading + perm[i]] = x_[j * Offset(n) + i] * scale[perm[i]];
    }
  }

  const Analysis &analysis_;
  Schedule schedule_;
  SolveSchedule solve_schedule_;
  HostBlockFactor<T> factor_;
  std::vector<double> d_inverse_, e_inverse_; ///< of D, or of |D| if pivots_definite_
  bool pivots_known_ = false, pivots_definite_ = false;
  std::vector<double> x_; ///< the vectors being solved for, in the order of the factor
};

} // namespace

std::unique_ptr<BlockFactorization> make_host_factorization(const Analysis &analysis, Precision precision)
{
  if (precision == Precision::Single)
    return std::make_unique<HostFactorization<float>>(analysis);
  return std::make_unique<HostFactorization<double>>(analysis);
}

} // namespace tessera
