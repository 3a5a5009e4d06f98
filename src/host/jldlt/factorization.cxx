#include "factor/jldlt/factorization.hpp"
#include "base/memory.hpp"
#include "factor/jldlt/level_solve.hpp"
#include "host/bildlt/block_solve.hpp"
#include "host/jldlt/backend.hpp"

namespace tessera {
namespace {

/// Solves by levels with a published factor, as LevelSolve wants them.
struct LevelSolver {
  Schedule schedule;
  HostSolver<double> solver;

  LevelSolver(const BlockStructure &structure, const std::vector<double> &, HostBackend &)
      : schedule(make_host_schedule(structure)), solver(structure, schedule)
  {
  }

  void renew(const PublishedFactor<HostBackend> &, HostBackend &) { solver.forget_pivots(); }
  Offset bytes() const { return schedule.bytes() + solver.bytes(); }
};

class HostJacobi : public JacobiFactorization {
public:
  explicit HostJacobi(const Analysis &analysis)
      : analysis_(analysis), factor_(analysis.structure, backend_), solve_(backend_, analysis.structure, analysis.scale)
  {
  }

  JacobiReport factor(const double *values, Place, const JacobiOptions &options) override
  {
    const ValueMap &map = analysis_.structure.values;
    JacobiReport report = factor_.factor(
        {values, map.start.data(), map.source.data(), map.column.data(), map.row.data(), map.scale.data()}, options);
    solve_.forget(report, factor_);
    return report;
  }

  void set_apply_sweeps(Index sweeps) override { apply_sweeps_ = sweeps; }

  void prepare_apply() override
  {
    if (apply_sweeps_ == 0) {
      solve_.renew(factor_);
      return;
    }
    for (std::vector<double> *x : {&rhs_, &x_, &work_})
      x->resize(analysis_.structure.rows);
  }

  void apply(const double *r, Place, double *z, Place, bool definite) override
  {
    apply_to_columns(1, r, 0, Place::Host, z, 0, Place::Host, definite);
  }

  void apply_to_columns(Index columns, const double *r, Offset r_leading, Place, double *z, Offset z_leading, Place,
                        bool definite) override
  {
    if (apply_sweeps_ == 0) {
      solve_.renew(factor_);
      solve_.solver().solver.apply(solve_.view(), factor_.entries(), analysis_.scale, definite, columns, r, r_leading,
                                   z, z_leading);
      return;
    }
    for (Index j = 0; j < columns; ++j)
      apply_by_sweeps(r + j * r_leading, z + j * z_leading, definite);
  }

  Place place() const override { return Place::Host; }

  Offset bytes() const override
  {
    return factor_.bytes() + factor_.host_bytes() + solve_.bytes() + solve_.host_bytes() +
           bytes_of_all(rhs_, x_, work_);
  }

  double share_of_memory(int processes) const override { return process_memory(processes); }

  FactorCopy copy() override
  {
    solve_.renew(factor_);
    return solve_.copy(factor_);
  }

private:
  const Analysis &analysis_;
  HostBackend backend_;
  JacobiFactor<HostBackend> factor_;
  LevelSolve<HostBackend, LevelSolver> solve_;
  Index apply_sweeps_ = 0;
  std::vector<double> rhs_, x_, work_;

  void apply_by_sweeps(const double *r, double *z, bool definite)
  {
    const Index rows = analysis_.structure.rows;
    const Index *perm = analysis_.structure.perm.data();
    prepare_apply();
    backend_.each(rows, PermuteIn{perm, analysis_.scale.data(), r, rhs_.data()});
    factor_.substitute(apply_sweeps_, definite, rhs_.data(), x_.data(), work_.data());
    backend_.each(rows, PermuteOut{perm, analysis_.scale.data(), rhs_.data(), z});
  }
};

} // namespace

std::unique_ptr<JacobiFactorization> make_host_jacobi(const Analysis &analysis)
{
  return std::make_unique<HostJacobi>(analysis);
}

} // namespace tessera
