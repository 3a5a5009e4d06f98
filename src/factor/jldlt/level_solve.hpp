#ifndef TESSERA_FACTOR_JLDLT_LEVEL_SOLVE_HPP
#define TESSERA_FACTOR_JLDLT_LEVEL_SOLVE_HPP

#include "factor/bildlt/factor_copy.hpp"
#include "factor/bildlt/views.hpp"
#include "factor/jldlt/factor.hpp"
#include "factor/jldlt/options.hpp"

#include <memory>
#include <numeric>
#include <optional>

namespace tessera {

/// A Jacobi-LDLᵀ factor as solves by levels read it, in the memory of a backend. Made for an order of the blocks.
template <class Backend>
class PublishedFactor {
public:
  template <class T>
  using Array = typename Backend::template Array<T>;

  /// For the order that the blocks of a factor have now. first: the structure before any were pushed back.
  PublishedFactor(Backend &backend, const BlockStructure &first, JacobiFactor<Backend> &factor)
      : first_structure_(first)
  {
    std::vector<Offset> moved(first.tiles.upper.entries());
    std::iota(moved.begin(), moved.end(), 0);
    if (factor.reordered())
      reordered_ = reorder_structure(first, factor.order(), moved);
    PublishedLayout layout(structure(), moved, factor.masks());
    position_ = backend.upload(layout.position);
    inverse_start_ = backend.upload(layout.inverse_start);
    block_start_ = backend.upload(structure().block_start);
    first_ = backend.upload(layout.first);
    columns_ = backend.upload(layout.column);
    inverse_ = backend.template zeros<double>(layout.inverse_start.back());
    d_ = backend.template zeros<double>(structure().rows);
    e_ = backend.template zeros<double>(structure().rows);
    row_position_ = std::move(layout.row_position);
    column_position_ = std::move(layout.column_position);
    values_ = layout.values;
    backend.finish(); // the layout ends here
  }

  PublishedFactor(const PublishedFactor &) = delete;
  PublishedFactor &operator=(const PublishedFactor &) = delete;

  /// In the order of the blocks.
  const BlockStructure &structure() const { return reordered_ ? *reordered_ : first_structure_; }
  bool reordered() const { return reordered_.has_value(); }
  /// Kept columns of all tiles, one after the other.
  const Array<std::uint8_t> &columns() const { return columns_; }

  FactorView<double> view() const
  {
    return {inverse_.data(), inverse_start_.data(), d_.data(), e_.data(), first_.data(), value_.data(), column_.data()};
  }

  /// Takes the numbers of the factor.
  void publish(Backend &backend, JacobiFactor<Backend> &factor)
  {
    double *const values = factor.publish(position_.data(), block_start_.data(), inverse_start_.data(), inverse_.data(),
                                          d_.data(), e_.data());
    if (value_.size() > 0 && values == points_at_)
      return;
    std::vector<double *> value;
    std::vector<std::uint8_t *> column;
    for (std::size_t b = 0; b < row_position_.size(); ++b) {
      value.push_back(values + row_position_[b]);
      column.push_back(columns_.data() + column_position_[b]);
    }
    column_ = backend.upload(column);
    value_ = backend.upload(value); // after which all is there
    backend.finish();               // the vectors end here
    points_at_ = values;
  }

  /// The numbers of the factor that was published last.
  FactorCopy copy(Backend &backend, const JacobiFactor<Backend> &factor) const
  {
    FactorCopy copy;
    copy.inverse = backend.download(inverse_);
    copy.d = backend.download(d_);
    copy.e = backend.download(e_);
    copy.first = backend.download(first_);
    copy.column = backend.download(columns_);
    copy.value = backend.download(factor.published(), values_);
    return copy;
  }

  Offset bytes() const
  {
    return bytes_of_all(position_, inverse_start_, block_start_, first_, columns_, inverse_, d_, e_, value_, column_);
  }
  /// Likewise, in the memory of the host.
  Offset host_bytes() const
  {
    return (reordered_ ? reordered_->bytes() : 0) + bytes_of_all(row_position_, column_position_);
  }

private:
  const BlockStructure &first_structure_;
  std::optional<BlockStructure> reordered_; ///< if blocks were pushed back
  std::vector<Offset> row_position_, column_position_;
  Offset values_ = 0;
  const double *points_at_ = nullptr; ///< the numbers that value_ points at
  Array<Offset> position_, inverse_start_;
  Array<Index> block_start_, first_;
  Array<std::uint8_t> columns_;
  Array<double> inverse_, d_, e_;
  Array<double *> value_;
  Array<std::uint8_t *> column_;
};

/// Solves by levels with a Jacobi-LDLᵀ factor, of which what they need is made when it is needed. Solver is what a
/// backend has for an order of the blocks: Solver(structure, scale, backend), where the structure outlives it;
/// renew(published, backend) before the first solve with a new factor; bytes().
template <class Backend, class Solver>
class LevelSolve {
public:
  LevelSolve(Backend &backend, const BlockStructure &structure, const std::vector<double> &scale)
      : backend_(backend), structure_(structure), scale_(scale)
  {
  }

  /// To be called when the factor has changed.
  void forget(const JacobiReport &report, const JacobiFactor<Backend> &factor)
  {
    if (made_ && (report.pushed > 0 || factor.reordered() != made_->factor.reordered()))
      made_.reset();
    renewed_ = false;
  }

  /// Puts the factor where solves read it.
  void renew(JacobiFactor<Backend> &factor)
  {
    if (renewed_)
      return;
    if (!made_)
      made_ = std::make_unique<Made>(backend_, structure_, scale_, factor);
    made_->factor.publish(backend_, factor);
    made_->solver.renew(made_->factor, backend_);
    renewed_ = true;
  }

  // After renew:
  Solver &solver() { return made_->solver; }
  FactorView<double> view() const { return made_->factor.view(); }
  FactorCopy copy(const JacobiFactor<Backend> &factor) { return made_->factor.copy(backend_, factor); }

  /// In the memory of the backend, and in that of the host, which may be the same.
  Offset bytes() const { return made_ ? made_->factor.bytes() + made_->solver.bytes() : 0; }
  Offset host_bytes() const { return made_ ? made_->factor.host_bytes() : 0; }

private:
  struct Made {
    PublishedFactor<Backend> factor;
    Solver solver;

    Made(Backend &backend, const BlockStructure &structure, const std::vector<double> &scale,
         JacobiFactor<Backend> &numbers)
        : factor(backend, structure, numbers), solver(factor.structure(), scale, backend)
    {
    }
  };

  Backend &backend_;
  const BlockStructure &structure_;
  const std::vector<double> &scale_;
  std::unique_ptr<Made> made_;
  bool renewed_ = false;
};

} // namespace tessera
#endif
