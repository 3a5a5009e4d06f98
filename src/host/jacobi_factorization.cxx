#include "host/jacobi_backend.hpp" // before the kernels

#include "factor/jacobi_factorization.hpp"
#include "host/block_solve.hpp"
#include "host/memory.hpp"

#include <numeric>

namespace tessera {
namespace {

/// What a solve by levels needs besides the factor. Made once for an order of the blocks.
struct LevelSolve {
  BlockStructure structure;
  PublishedLayout layout;
  Schedule schedule;
  HostSolver<double> solver;
  std::vector<double> inverse, d, e;
  std::vector<double *> value;
  std::vector<std::uint8_t *> column;

  LevelSolve(BlockStructure &&s, const std::vector<Offset> &moved, const std::vector<std::uint32_t> &mask)
      : structure(std::move(s)), layout(structure, moved, mask), schedule(make_host_schedule(structure)),
        solver(structure, schedule), inverse(layout.inverse_start.back()), d(structure.rows), e(structure.rows),
        value(structure.blocks()), column(structure.blocks())
  {
  }

  void point_at(double *values)
  {
    for (Index b = 0; b < structure.blocks(); ++b) {
      value[b] = values + layout.row_place[b];
      column[b] = layout.column.data() + layout.column_place[b];
    }
  }

  FactorView<double> view()
  {
    return {inverse.data(), layout.inverse_start.data(), d.data(), e.data(), layout.first.data(), value.data(),
            column.data()};
  }
};

class HostJacobi : public JacobiFactorization {
public:
  explicit HostJacobi(const Analysis &analysis) : analysis_(analysis), factor_(analysis.structure, backend_) {}

  JacobiReport factor(const double *values, Place, const JacobiOptions &options) override
  {
    const ValueMap &map = analysis_.structure.values;
    JacobiReport report = factor_.factor(
        {values, map.start.data(), map.source.data(), map.column.data(), map.row.data(), map.scale.data()}, options);
    if (report.pushed > 0 || factor_.reordered() != solve_is_reordered_)
      solve_.reset();
    published_ = false;
    return report;
  }

  void set_apply_sweeps(Index sweeps) override { apply_sweeps_ = sweeps; }

  void apply(const double *r, Place, double *z, Place, bool definite) override
  {
    apply_to_columns(1, r, 0, Place::Host, z, 0, Place::Host, definite);
  }

  void apply_to_columns(Index columns, const double *r, Offset r_leading, Place, double *z, Offset z_leading, Place,
                        bool definite) override
  {
    if (apply_sweeps_ == 0) {
      publish();
      solve_->solver.apply(solve_->view(), factor_.entries(), analysis_.scale, definite, columns, r, r_leading, z,
                           z_leading);
      return;
    }
    for (Index j = 0; j < columns; ++j)
      apply_by_sweeps(r + j * r_leading, z + j * z_leading, definite);
  }

  Place place() const override { return Place::Host; }

  Offset bytes() const override { return factor_.bytes(); }

  double machine_bytes() const override { return host_memory(); }

  FactorCopy copy() override
  {
    publish();
    return copy_of(solve_->structure, solve_->view());
  }

private:
  const Analysis &analysis_;
  HostBackend backend_;
  JacobiFactor<HostBackend> factor_;
  std::unique_ptr<LevelSolve> solve_;
  bool solve_is_reordered_ = false, published_ = false;
  Index apply_sweeps_ = 0;
  std::vector<double> rhs_, x_, work_;

  /// Puts the factor where solves by levels read it.
  void publish()
  {
    if (published_)
      return;
    if (!solve_)
      make_solve();
    solve_->point_at(factor_.publish(solve_->layout.place.data(), solve_->structure.block_start.data(),
                                     solve_->layout.inverse_start.data(), solve_->inverse.data(), solve_->d.data(),
                                     solve_->e.data()));
    solve_->solver.forget_pivots();
    published_ = true;
  }

  void make_solve()
  {
    solve_is_reordered_ = factor_.reordered();
    std::vector<Offset> moved(analysis_.structure.tiles.upper.entries());
    std::iota(moved.begin(), moved.end(), 0);
    BlockStructure structure = solve_is_reordered_ ? reorder_structure(analysis_.structure, factor_.order(), moved)
                                                   : BlockStructure(analysis_.structure);
    solve_ = std::make_unique<LevelSolve>(std::move(structure), moved, factor_.masks());
  }

  void apply_by_sweeps(const double *r, double *z, bool definite)
  {
    const Index rows = analysis_.structure.rows;
    const Index *perm = analysis_.structure.perm.data();
    rhs_.resize(rows);
    x_.resize(rows);
    work_.resize(rows);
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
