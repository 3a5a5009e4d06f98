#include "base/memory.hpp"
#include "factor/bildlt/factorization.hpp"
#include "host/bildlt/block_solve.hpp"

namespace tessera {
namespace {

template <class T>
class HostFactorization : public BlockFactorization {
public:
  explicit HostFactorization(const Analysis &analysis)
      : analysis_(analysis), schedule_(make_host_schedule(analysis.structure)), solver_(analysis.structure, schedule_),
        factor_(analysis.structure)
  {
  }

  BlockFactorReport factor(const double *values, Place, const FactorOptions &options) override
  {
    const BlockFactorReport report = factor_on_host(analysis_.structure, schedule_, values, options, factor_);
    solver_.forget_pivots();
    return report;
  }

  void apply(const double *r, Place, double *z, Place, bool definite) override
  {
    solver_.apply(factor_.view(), factor_.entries, analysis_.scale, definite, 1, r, 0, z, 0);
  }

  void apply_to_columns(Index columns, const double *r, Offset r_leading, Place, double *z, Offset z_leading, Place,
                        bool definite) override
  {
    solver_.apply(factor_.view(), factor_.entries, analysis_.scale, definite, columns, r, r_leading, z, z_leading);
  }

  Place place() const override { return Place::Host; }

  Offset bytes() const override { return schedule_.bytes() + factor_.bytes() + solver_.bytes(); }

  double share_of_memory(int processes) const override { return process_memory(processes); }

  bool has_room(Offset bytes) const override { return can_allocate(static_cast<std::size_t>(bytes)); }

  FactorCopy copy() override { return copy_of(analysis_.structure, factor_.view()); }

private:
  const Analysis &analysis_;
  Schedule schedule_;
  HostSolver<T> solver_;
  HostBlockFactor<T> factor_;
};

} // namespace

std::unique_ptr<BlockFactorization> make_host_factorization(const Analysis &analysis, Precision precision)
{
  if (precision == Precision::Single)
    return std::make_unique<HostFactorization<float>>(analysis);
  return std::make_unique<HostFactorization<double>>(analysis);
}

} // namespace tessera
