#include "factor/block_factorization.hpp"
#include "host/block_solve.hpp"

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

  void apply(const double *r, Place, double *z, Place, bool definite) override
  {
    const std::vector<Index> &perm = analysis_.structure.perm;
    const std::vector<double> &scale = analysis_.scale;
    const Index n = analysis_.structure.rows;
    if (!pivots_known_ || pivots_definite_ != definite) {
      invert_pivots(analysis_.structure, factor_, definite, d_inverse_, e_inverse_);
      pivots_known_ = true;
      pivots_definite_ = definite;
    }
#pragma omp parallel for schedule(static) if (worth_sharing(n))
    for (Index i = 0; i < n; ++i)
      x_[i] = r[perm[i]] * scale[perm[i]];
    solve_on_host(analysis_.structure, solve_schedule_, factor_, d_inverse_, e_inverse_, x_.data());
#pragma omp parallel for schedule(static) if (worth_sharing(n))
    for (Index i = 0; i < n; ++i)
      z[perm[i]] = x_[i] * scale[perm[i]];
  }

  Place place() const override
  {
    return Place::Host;
  }

  Offset bytes() const override
  {
    return factor_.bytes() + Offset(x_.size() + d_inverse_.size() + e_inverse_.size()) * 8;
  }

  double machine_bytes() const override
  {
    return double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
  }

  FactorCopy copy() override
  {
    return copy_of(analysis_.structure, factor_.view());
  }

private:
  const Analysis &analysis_;
  Schedule schedule_;
  SolveSchedule solve_schedule_;
  HostBlockFactor<T> factor_;
  std::vector<double> d_inverse_, e_inverse_; ///< of D, or of |D| if pivots_definite_
  bool pivots_known_ = false, pivots_definite_ = false;
  std::vector<double> x_; ///< the vector being solved for, in the order of the factor
};

} // namespace

std::unique_ptr<BlockFactorization> make_host_factorization(const Analysis &analysis, Precision precision)
{
  if (precision == Precision::Single)
    return std::make_unique<HostFactorization<float>>(analysis);
  return std::make_unique<HostFactorization<double>>(analysis);
}

} // namespace tessera
