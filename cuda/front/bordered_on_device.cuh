#ifndef TESSERA_CUDA_FRONT_BORDERED_ON_DEVICE_CUH
#define TESSERA_CUDA_FRONT_BORDERED_ON_DEVICE_CUH

#include "cuda/front/planned_on_device.cuh"
#include "cuda/front/solve/border.cuh"
#include "host/front/blas_threads.hpp"
#include "host/front/solve/solution_growth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace tessera {

/// A factorization in device memory that leaves zero and uncertain pivots out of its factor, measures them together,
/// see SchurOfZeros, and has a border for those that are not zero.
template <class Plan>
class BorderedOnDevice : public PlannedOnDevice<Plan> {
public:
  Offset bytes() const override
  {
    return PlannedOnDevice<Plan>::bytes() + growth_vector_[0].bytes() + growth_vector_[1].bytes() +
           (border_ ? border_->bytes() : 0);
  }

protected:
  using PlannedOnDevice<Plan>::PlannedOnDevice;
  using PlannedOnDevice<Plan>::queue;
  using PlannedOnDevice<Plan>::rows;
  using PlannedOnDevice<Plan>::substitute;

  Border *border() const { return border_.get(); }
  /// Whether uncertain pivots are left out from the beginning.
  bool leaves_out() const { return leaves_out_; }
  /// And are not too many to be measured.
  bool measures() const { return leaves_out_ && !leaves_out_many_; }

  /// Factors the matrix once more, with or without its uncertain pivots; returns whether all pivots could be taken.
  bool factor_again(const double *values, const DirectOptions &options, bool leaves_out, DirectReport &r)
  {
    leaves_out_ = leaves_out;
    const PivotTotals totals = this->run(values, options);
    if (this->failed(totals))
      return false;
    this->tell(totals, r);
    return true;
  }

  /// They are those of the scale factors.
  void forget_growth_vectors()
  {
    for (DeviceArray<double> &v : growth_vector_)
      v = {};
  }

  void leave_out_from_now() { leaves_out_ = true; }
  /// Leaves no pivots out any longer.
  void take_back()
  {
    leaves_out_ = leaves_out_many_ = false;
    border_.reset();
  }

  /// Where a factorization with all pivots fails: one without those that are uncertain, from now on, first of all with
  /// a measurement of what is left out, and then, if they may be many, with more of them. Returns whether there is such
  /// a factor, see settle(), whose report accepts(report) takes.
  template <class Accepts>
  bool factor_without(const double *values, const DirectOptions &options, bool may_be_many, DirectReport &r,
                      const Accepts &accepts)
  {
    for (const bool many : {false, true}) {
      if (many && !may_be_many)
        break;
      leaves_out_ = true;
      leaves_out_many_ = many;
      PivotTotals totals = this->run(values, options);
      if (this->is_symmetric()) // its plans stay, and count, whatever comes of them
        this->delay(values, options, this->most_stalls_without, totals, r);
      if (this->failed(totals))
        continue;
      DirectReport left_out = r;
      this->tell(totals, left_out);
      if (settle(values, options, left_out) && accepts(left_out)) {
        r = left_out;
        return true;
      }
    }
    take_back();
    return false;
  }

  /// Measures zero and uncertain pivots, all of them left out of the factor. That is the factor, with a border for what
  /// is not zero, and the next ones leave uncertain pivots out as well. Where there can be no border it is the one with
  /// all pivots that are not zero by PivotRules::zero, if that has the inertia that was measured. Returns whether there
  /// is such a factor. Where others fail without uncertain pivots, LDLᵀ delays them, if it delays columns. Where no
  /// pivot is uncertain, an inertia is measured once, and not again when a few have been right. What cannot be measured
  /// here the host is asked about, and about as many next time.
  bool settle(const double *values, const DirectOptions &options, DirectReport &r) override
  {
    const Offset pivots = r.zero + r.uncertain;
    const bool differ = r.uncertain > 0 || leaves_out_; // the factors with uncertain pivots, and without
    if (pivots == 0 || (!differ && is_agreed(r)))
      return true;
    if (leaves_out_ ? leaves_out_many_ && !can_measure(pivots) : pivots >= unmeasured_)
      return host_agrees(values, options, r) ||
             (!leaves_out_ && r.uncertain > 0 && may_leave_out_many() && this->leave_out(values, options, false, r));
    DirectReport left_out = r;
    const bool had_all = !leaves_out_;
    if (r.uncertain > 0 && !factor_again(values, options, true, left_out)) {
      if (had_all && this->is_symmetric() && this->is_worth_delays(options) && // others may be delayed then
          this->leave_out(values, options, true, r))
        return true;
      unmeasured_ = std::min(unmeasured_, pivots);
      return factor_again(values, options, false, r) && host_agrees(values, options, r);
    }
    const MeasuredZeros measured = measure_zeros(left_out.zero);
    if (measured.known)
      take_measurement(measured, left_out);
    if (measured.known && accepts(left_out) && (left_out.bordered == 0 || border_)) {
      r = left_out;
      if (!differ && !border_)
        agreed_.push_back({r.zero, r.negative, r.uncertain});
      leaves_out_ = leaves_out_ || border_;
      return true;
    }
    border_.reset();
    if (differ && !factor_again(values, options, false, r))
      return false;
    if (!measured.known) {
      unmeasured_ = std::min(unmeasured_, pivots);
      return host_agrees(values, options, r);
    }
    if (!accepts(left_out))
      return true;
    r.uncertain = measured.uncertain;
    return r.zero == left_out.zero && r.negative == left_out.negative;
  }

  /// So many pivots are measured at most.
  virtual Offset most_measured() const { return 256; }
  /// Whether there may be more pivots to be left out than can be measured, which the host is asked about.
  virtual bool may_leave_out_many() const { return false; }

  /// Whether the factor may be without the pivots that are zero by what was measured. If not, it is the one with all
  /// pivots, if there is one, which are uncertain then.
  virtual bool accepts(const DirectReport &) const { return true; }

  /// Of pivots that are left out, with vectors V and U; U null: they are the same.
  struct Measurement {
    MeasuredZeros zeros;
    std::vector<Index> row; ///< the caller's rows that are left out
    std::unique_ptr<LeftOutVectors> right, left;
    double growth;         ///< see hidden_growth: by a product of a solution
    bool has_unit_vectors; ///< see SchurMeasurement
  };

  /// The judgement of a measurement that was fetched, by eigenvalues or singular values. It is only completed where
  /// something is zero.
  MeasuredZeros judge(SchurMeasurement &measurement, SchurOfZeros schur,
                      MeasuredZeros (*by_values)(const SchurOfZeros &), const SolveWithout &solve)
  {
    MeasuredZeros measured = by_values(schur);
    if (measured.known && measured.zero > 0) {
      measurement.complete(schur, solve);
      measured = by_values(schur);
    }
    this->copies().to_host += measurement.bytes_to_host() + Offset(schur.rows() * sizeof(LeftOut));
    return measured;
  }

  /// Of all pivots that the last factorization has left out. The determinant is that of the scaled matrix. b, by:
  /// [rows] a right-hand side of which the growth is told, and what its solution is multiplied by.
  virtual Measurement measure(const double *b, const double *by) = 0;
  /// Adds the eigenvalues of what was left out to the inertia of a factor that has one.
  virtual void add_inertia(const MeasuredZeros &, DirectReport &) const {}

private:
  void begin() override { border_.reset(); }

  /// Takes uncertain pivots back, without which others have failed.
  bool relax() override
  {
    leaves_out_many_ = false;
    return std::exchange(leaves_out_, false);
  }

  void correct(bool transposed, Index columns, const double *b, Offset b_leading, double *x, Offset x_leading) override
  {
    if (border_)
      border_->queue(transposed, columns, b, b_leading, x, x_leading);
  }

  void take_measurement(const MeasuredZeros &measured, DirectReport &r) const
  {
    r.measured = r.zero;
    r.bordered = r.zero - measured.zero;
    add_inertia(measured, r);
    r.zero = measured.zero;
    r.uncertain = measured.uncertain;
  }

  /// Whether an inertia need not be measured: then its uncertain pivots are those of before. One of a factor without
  /// uncertain pivots has to be the same as before.
  bool is_agreed(DirectReport &r) const
  {
    const auto known = std::find_if(agreed_.begin(), agreed_.end(),
                                    [&](const Agreed &a) { return a.zero == r.zero && a.negative == r.negative; });
    if (known == agreed_.end())
      return !leaves_out_ && agreed_.size() >= most_agreed;
    r.uncertain = std::max(r.uncertain, known->uncertain);
    return true;
  }

  /// Whether the host, which factors the matrix for that, finds as many zero and negative pivots as the device.
  bool host_agrees(const double *values, const DirectOptions &options, DirectReport &r)
  {
    if (is_agreed(r))
      return true;
    const std::unique_ptr<DirectFactorization> host = this->make_search(this->plan());
    if (!host)
      return true;
    r.asked_host = true;
    const DirectReport report = this->factor_on_host(*host, values, options);
    if (report.status != DirectReport::Complete || r.zero != report.zero || r.negative != report.negative)
      return false;
    r.uncertain = std::max(r.uncertain, report.uncertain);
    agreed_.push_back({r.zero, r.negative, r.uncertain});
    return true;
  }

  /// Whether zero pivots are not too many to be measured.
  bool can_measure(Offset zeros) const
  {
    constexpr Offset most_numbers = Offset(1) << 26; // of vectors for all of them
    constexpr double most_products = 2e10;           // of two entries of such vectors
    return zeros <= std::min<Offset>(most_measured(), most_left_out) && zeros * rows() <= most_numbers &&
           double(zeros) * double(zeros) * double(rows()) <= most_products;
  }

  /// Of the zero pivots of the last factorization, of which there are so many, with a border for those that are not
  /// zero, if there can be one. Unknown where they are too many, where there is no memory, and where solutions tell of
  /// zeros that are hidden.
  MeasuredZeros measure_zeros(Offset zeros)
  {
    MeasuredZeros measured;
    if (zeros == 0)
      measured.known = true;
    if (zeros == 0 || !this->chooses_pivots() || !can_measure(zeros))
      return measured;
    const OneThreadBlas one_thread; // for the same bits
    try {
      make_growth_vectors();
      const Measurement m = measure(growth_vector_[0].data(), growth_vector_[1].data());
      measured = m.zeros;
      measured.known = measured.known && std::abs(m.growth) <= hidden_growth; // it may be no number
      if (measured.known && !measured.value.empty() && m.has_unit_vectors)
        border_ = make_border(m);
    } catch (const std::bad_alloc &) {
      measured = MeasuredZeros();
    }
    this->fronts().substitution.give_back_room();
    return measured;
  }

  /// Null where a vector is not finite.
  std::unique_ptr<Border> make_border(const Measurement &m)
  {
    auto border = std::make_unique<Border>(m.row, *m.right, m.left ? *m.left : *m.right, m.zeros, rows(), queue());
    this->copies().to_host += (m.left ? 2 : 1) * border->vectors() * Offset(sizeof(double)); // their squares
    return border->is_finite() ? std::move(border) : nullptr;
  }

  void make_growth_vectors()
  {
    if (growth_vector_[0].size() == rows())
      return;
    growth_vector_[0] = DeviceArray<double>(growth_vector<double>(this->row_scale()), queue());
    growth_vector_[1] = DeviceArray<double>(growth_vector<double>(this->column_scale()), queue());
    check(cudaStreamSynchronize(queue()), "copying vectors to the device"); // the host's end
  }

  struct Agreed {
    Offset zero, negative, uncertain; ///< pivots
  };
  static constexpr std::size_t most_agreed = 3; ///< inertias that were measured, too

  bool leaves_out_ = false;        ///< uncertain pivots are taken for zero
  bool leaves_out_many_ = false;   ///< also more than can be measured, without which there is no factor
  std::unique_ptr<Border> border_; ///< for pivots that are left out and not zero, or null
  std::vector<Agreed> agreed_;     ///< what was measured, too, and was as the pivots had it
  Offset unmeasured_ = std::numeric_limits<Offset>::max(); ///< pivots, so many at least, that could not be measured
  DeviceArray<double> growth_vector_[2];                   ///< [rows] of rows and columns, once they were needed
};

} // namespace tessera
#endif
