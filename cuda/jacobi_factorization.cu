#include "jacobi_backend.cuh" // before the kernels

#include "block_solver.cuh"
#include "current_stream.hpp"
#include "device_structure.cuh"
#include "factor/jacobi_factorization.hpp"
#include "staging.cuh"

#include <numeric>

namespace tessera {
namespace {

/// What a solve by levels needs besides the factor. Made once for an order of the blocks.
struct LevelSolve {
  Analysis analysis; ///< its structure and scale factors only
  PublishedLayout layout;
  DeviceStructure structure;
  BlockSolver<double> solver;
  DeviceArray<Offset> place, inverse_start;
  DeviceArray<Index> first;
  DeviceArray<std::uint8_t> columns;
  DeviceArray<double> inverse, d, e;
  DeviceArray<double *> value;
  DeviceArray<std::uint8_t *> column;

  LevelSolve(Analysis &&a, const std::vector<Offset> &moved, const std::vector<std::uint32_t> &mask, cudaStream_t q)
      : analysis(std::move(a)), layout(analysis.structure, moved, mask), structure(analysis, q),
        solver(analysis.structure, analysis.scale, q), place(layout.place, q), inverse_start(layout.inverse_start, q),
        first(layout.first, q), columns(layout.column, q), inverse(layout.inverse_start.back(), q),
        d(structure.rows, q), e(structure.rows, q)
  {
  }

  void point_at(double *values, cudaStream_t q)
  {
    std::vector<double *> value_of;
    std::vector<std::uint8_t *> column_of;
    for (Index b = 0; b < structure.blocks; ++b) {
      value_of.push_back(values + layout.row_place[b]);
      column_of.push_back(columns.data() + layout.column_place[b]);
    }
    value = DeviceArray<double *>(value_of, q);
    column = DeviceArray<std::uint8_t *>(column_of, q);
    check(cudaStreamSynchronize(q), "copying to the device"); // the vectors end here
  }

  FactorView<double> view() const
  {
    return {inverse.data(), inverse_start.data(), d.data(), e.data(), first.data(), value.data(), column.data()};
  }
};

class CudaJacobi : public JacobiFactorization {
public:
  explicit CudaJacobi(const Analysis &analysis)
      : analysis_(analysis), backend_(current_stream()), d_(analysis, queue()), factor_(analysis.structure, backend_),
        perm_(analysis.structure.perm, queue()), scale_(analysis.scale, queue()), rhs_(d_.rows, queue()),
        x_(d_.rows, queue()), work_(d_.rows, queue())
  {
    staging_.copies.to_device = d_.bytes() + perm_.bytes() + scale_.bytes();
  }

  JacobiReport factor(const double *values, Place values_in, const JacobiOptions &options) override
  {
    backend_.stream = queue();
    values = staging_.on_device(values, values_in, d_.sources, values_, queue());
    JacobiReport report = factor_.factor(d_.values(values), options);
    if (report.pushed > 0 || factor_.reordered() != solve_is_reordered_)
      solve_.reset();
    published_ = false;
    return report;
  }

  void set_apply_sweeps(Index sweeps) override { apply_sweeps_ = sweeps; }

  void apply(const double *r, Place r_in, double *z, Place z_in, bool definite) override
  {
    backend_.stream = queue();
    r = staging_.on_device(r, r_in, d_.rows, r_, queue());
    double *const result = staging_.result(z, z_in, d_.rows, z_, queue());
    if (apply_sweeps_ > 0) {
      backend_.each(d_.rows, PermuteIn{perm_.data(), scale_.data(), r, rhs_.data()});
      factor_.substitute(apply_sweeps_, definite, rhs_.data(), x_.data(), work_.data());
      backend_.each(d_.rows, PermuteOut{perm_.data(), scale_.data(), rhs_.data(), result});
    } else {
      publish();
      solve_->solver.queue(solve_->structure.view(), solve_->view(), r, result, definite, queue());
    }
    staging_.deliver(result, z, z_in, d_.rows, queue());
  }

  Place place() const override { return Place::Device; }

  Offset bytes() const override { return factor_.bytes() + d_.bytes() + (solve_ ? solve_->solver.bytes() : 0); }

  double machine_bytes() const override { return device_memory(); }

  FactorCopy copy() override
  {
    publish();
    FactorCopy copy;
    copy.inverse = backend_.download(solve_->inverse);
    copy.d = backend_.download(solve_->d);
    copy.e = backend_.download(solve_->e);
    copy.first = solve_->layout.first;
    copy.column = solve_->layout.column;
    const Offset values = solve_->layout.values;
    copy.value.resize(values);
    check(
        cudaMemcpyAsync(copy.value.data(), published_values_, values * sizeof(double), cudaMemcpyDeviceToHost, queue()),
        "copying a factor to the host");
    check(cudaStreamSynchronize(queue()), "copying a factor to the host");
    return copy;
  }

  Copies take_copies() override
  {
    staging_.copies.reports += std::exchange(backend_.reports, 0);
    return staging_.take_copies();
  }

private:
  static cudaStream_t queue() { return current_stream(); }

  /// Puts the factor where solves by levels read it.
  void publish()
  {
    if (published_)
      return;
    if (!solve_)
      make_solve();
    double *const values =
        factor_.publish(solve_->place.data(), solve_->structure.block_start.data(), solve_->inverse_start.data(),
                        solve_->inverse.data(), solve_->d.data(), solve_->e.data());
    if (values != published_values_ || solve_->value.size() == 0)
      solve_->point_at(values, queue());
    published_values_ = values;
    solve_->solver.queue_listing(solve_->structure.view(), solve_->view(), solve_->columns.data(),
                                 solve_->columns.size(), queue());
    published_ = true;
  }

  void make_solve()
  {
    solve_is_reordered_ = factor_.reordered();
    std::vector<Offset> moved(d_.tiles);
    std::iota(moved.begin(), moved.end(), 0);
    Analysis a;
    a.scale = analysis_.scale;
    a.structure = solve_is_reordered_ ? reorder_structure(analysis_.structure, factor_.order(), moved)
                                      : BlockStructure(analysis_.structure);
    solve_ = std::make_unique<LevelSolve>(std::move(a), moved, factor_.masks(), queue());
    check(cudaStreamSynchronize(queue()), "copying to the device");
  }

  const Analysis &analysis_;
  DeviceBackend backend_;
  DeviceStructure d_;
  JacobiFactor<DeviceBackend> factor_;
  DeviceArray<Index> perm_;
  DeviceArray<double> scale_, rhs_, x_, work_;
  DeviceArray<double> values_, r_, z_; ///< copies of what the caller keeps on the host
  std::unique_ptr<LevelSolve> solve_;
  double *published_values_ = nullptr;
  bool solve_is_reordered_ = false, published_ = false;
  Index apply_sweeps_ = 0;
  Staging staging_;
};

} // namespace

std::unique_ptr<JacobiFactorization> make_cuda_jacobi(const Analysis &analysis)
{
  return std::make_unique<CudaJacobi>(analysis);
}

} // namespace tessera
