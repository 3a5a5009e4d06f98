#include "base/bytes.hpp"
#include "cuda/bildlt/block_factor.cuh"
#include "cuda/bildlt/device_factor.cuh"
#include "cuda/bildlt/device_fill_limit.cuh"
#include "cuda/bildlt/device_structure.cuh"
#include "cuda/bildlt/row_factor.cuh"
#include "cuda/runtime/device_limits.hpp"
#include "cuda/runtime/device_queue.hpp"
#include "cuda/runtime/recorded_launches.cuh"
#include "cuda/runtime/staging.cuh"
#include "cuda/solve/block_solver.cuh"
#include "factor/bildlt/factorization.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace tessera {
namespace {

constexpr Offset batch_doubles = Offset(1) << 25; ///< panels of a batch together: 256 MB
constexpr Offset pieces_at_once = 400;            ///< that an H200 computes, about
constexpr Offset short_level = 264;               ///< pulls: two for each of its SMs

double from_bits(unsigned long long bits)
{
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

/// What may change between factorizations of a pattern whose launches are the same otherwise.
struct RunKey {
  const double *values;
  const void *value_pool;
  unsigned long long value_capacity;
  double tolerance, perturbation;
  Pivoting pivoting;

  bool operator==(const RunKey &o) const
  {
    return values == o.values && value_pool == o.value_pool && value_capacity == o.value_capacity &&
           tolerance == o.tolerance && perturbation == o.perturbation && pivoting == o.pivoting;
  }
};

/// Whether two factorizations of one matrix keep the same.
bool keep_the_same(const FactorOptions &one, const FactorOptions &other)
{
  return one.pivoting == other.pivoting && one.perturbation == other.perturbation &&
         one.drop_tolerance == other.drop_tolerance && one.fill_ratio == other.fill_ratio;
}

template <class T>
class CudaFactorization : public BlockFactorization {
public:
  /// In a call of the queue
  CudaFactorization(const Analysis &analysis, std::shared_ptr<DeviceQueue> queue_of_calls)
      : queue_(std::move(queue_of_calls)), analysis_(analysis), limits_(device_limits()),
        schedule_(make_device_schedule(analysis.structure,
                                       {batch_doubles, limits_.scaled(pieces_at_once), limits_.scaled(short_level)})),
        d_(analysis.structure, queue()), rows_(schedule_.rows, queue()), row_pieces_(schedule_.row_pieces, queue()),
        pieces_(schedule_.pieces, queue()), pulls_(schedule_.pulls, queue()), splits_(schedule_.splits, queue()),
        panel_offset_(schedule_.panel_offset, queue()), squares_offset_(schedule_.squares_offset, queue()),
        norm_offset_(schedule_.norm_offset, queue()), factor_(analysis.structure, queue()), perm_(d_.rows, queue()),
        marks_(3 * Offset(d_.blocks) + Offset(schedule_.splits.size() + schedule_.runs.size())),
        counter_(counters + (marks_ + 1) / 2, queue()), row_scratch_(row_scratch_size<T>(schedule_), queue()),
        panels_(schedule_.panel_size, queue()), squares_(schedule_.squares_size, queue()),
        norms_(schedule_.norm_size, queue()), score_(schedule_.panel_size / 4, queue()),
        parts_(schedule_.parts_size, queue()), solver_(analysis.structure, analysis.scale, queue())
  {
    staging_.copies.to_device = d_.bytes() + schedule_bytes() + factor_.inverse_start.bytes();
    free_all(schedule_.pieces, schedule_.pulls, schedule_.splits, schedule_.rows, schedule_.row_pieces);
  }

  ~CudaFactorization() override { queue_->retire(); }

  BlockFactorReport factor(const double *values, Place values_in, const FactorOptions &options) override
  {
    const DeviceCall call(*queue_);
    const bool known = needed_ >= 0 && keep_the_same(options, options_);
    values = staging_.on_device(values, values_in, d_.sources, values_, queue());
    if (options.fill_ratio > 0 && (!limit_ || limit_->ratio() != options.fill_ratio)) {
      limit_ = std::make_unique<DeviceFillLimit>(analysis_.structure, options.fill_ratio, queue());
      staging_.copies.to_device += limit_->uploaded();
    }
    bool complete = false;
    if (known) {
      factor_.pool.restart(needed_ + needed_ / 16, queue());
      complete = run(values, options, false);
    }
    needed_ = -1;
    if (!complete) {
      factor_.pool.restart(d_.items, queue());
      run(values, options, true);
    }
    const BlockFactorReport report = make_report(options);
    if (report.status == FactorReport::Complete) {
      needed_ = kept();
      options_ = options;
      solver_.queue_listing(d_.view(), factor_.view(), factor_.columns.data(), Offset(count_[columns_used]), queue());
    }
    return report;
  }

  void apply(const double *r, Place r_in, double *z, Place z_in, bool definite) override
  {
    const DeviceCall call(*queue_);
    r = staging_.on_device(r, r_in, d_.rows, r_, queue());
    double *const result = staging_.result(z, z_in, d_.rows, z_, queue());
    solver_.queue(d_.view(), factor_.view(), r, result, definite, queue());
    staging_.deliver(r_in, result, z, z_in, d_.rows, queue());
  }

  Place place() const override { return Place::Device; }

  double share_of_memory(int processes) const override
  {
    const WithDevice device(queue_->device());
    return device_memory() / processes;
  }

  bool has_room(Offset bytes) const override
  {
    const DeviceCall call(*queue_);
    return can_allocate_on_device(bytes, queue());
  }

  std::string machine() const override { return in_words(limits_); }

  std::string remark() const override { return remark_on(limits_); }

  FactorCopy copy() override
  {
    const DeviceCall call(*queue_);
    return factor_.copy(analysis_.structure, queue());
  }

  Copies take_copies() override { return staging_.take_copies(); }

  Offset bytes() const override
  {
    return d_.bytes() + schedule_bytes() + factor_.bytes() + panels_.bytes() + squares_.bytes() + norms_.bytes() +
           score_.bytes() + parts_.bytes() + perm_.bytes() + counter_.bytes() + row_scratch_.bytes() + solver_.bytes() +
           values_.bytes() + r_.bytes() + z_.bytes() + (limit_ ? limit_->bytes() : 0);
  }

private:
  const DeviceQueue &queue() const { return *queue_; }

  Offset schedule_bytes() const
  {
    return rows_.bytes() + row_pieces_.bytes() + pieces_.bytes() + pulls_.bytes() + splits_.bytes() +
           panel_offset_.bytes() + squares_offset_.bytes() + norm_offset_.bytes();
  }

  /// Reads some of the counters, when what is queued is done.
  void read(Counter first, int n)
  {
    check(cudaMemcpyAsync(count_ + first, counter_.data() + first, n * sizeof *count_, cudaMemcpyDeviceToHost, queue()),
          "reading counters");
    check(cudaStreamSynchronize(queue()), "factoring");
    staging_.copies.reports += n * Offset(sizeof *count_);
  }

  /// Entries that the last factorization kept above the diagonal tiles, once the counters are read.
  Offset kept() const { return in_earlier_chunks_ + Offset(count_[values_used]); }

  bool over_budget(const FactorOptions &options) const
  {
    return options.max_entries > 0 && kept() + factor_.diagonal_entries() > options.max_entries;
  }

  /// Factors and reads the counters. growing: adds to the pool of values what it needs, for which the host waits for
  /// every batch. Returns whether what is kept fitted in the pool, or nothing more is to be tried.
  bool run(const double *values, const FactorOptions &options, bool growing)
  {
    BatchActions<T> actions;
    if (options.fill_ratio > 0) {
      limit_->queue_start(queue());
      actions.scored = [this](const FactorRun<T> &run, const DeviceBatch &batch) {
        limit_->queue(run, batch, queue());
      };
    }
    in_earlier_chunks_ = in_chunk_ = 0;
    columns_ = 0;
    if (growing)
      actions.stored = [&](FactorRun<T> &run) { return make_room(run, options); };
    const FactorRun<T> run = make_run(values, options);
    const auto queue_all = [&](cudaStream_t stream) {
      queue_factorization(run, schedule_, d_.items, actions, side_, stream);
    };
    if (actions.scored || actions.stored)
      queue_all(queue());
    else
      launches_.queue(
          {values, run.value_pool, run.value_capacity, options.drop_tolerance, options.perturbation, options.pivoting},
          queue(), queue_all);
    read(Counter(0), counters);
    return Offset(count_[values_used]) <= factor_.pool.capacity();
  }

  /// Sees to it that what the last batch keeps has room.
  Room make_room(FactorRun<T> &run, const FactorOptions &options)
  {
    read(values_used, 2);
    if (over_budget(options))
      return Room::None;
    const Offset used = Offset(count_[values_used]), of_batch = used - in_chunk_;
    if (used <= factor_.pool.capacity()) {
      in_chunk_ = used;
      columns_ = count_[columns_used];
      return Room::Enough;
    }
    in_earlier_chunks_ += in_chunk_;
    in_chunk_ = 0;
    count_[values_used] = 0;
    count_[columns_used] = columns_;
    factor_.pool.grow(of_batch, queue());
    run.value_pool = factor_.pool.values();
    run.value_capacity = static_cast<unsigned long long>(factor_.pool.capacity());
    check(cudaMemcpyAsync(counter_.data() + values_used, count_ + values_used, 2 * sizeof *count_,
                          cudaMemcpyHostToDevice, queue()),
          "setting counters back");
    staging_.copies.to_device += 2 * Offset(sizeof *count_);
    return Room::Added;
  }

  FactorRun<T> make_run(const double *values, const FactorOptions &options) const
  {
    int *const done = reinterpret_cast<int *>(counter_.data() + counters);
    int *const diagonal_done = done + d_.blocks, *const pieces_done = diagonal_done + d_.blocks;
    int *const parts_done = pieces_done + d_.blocks, *const tickets = parts_done + splits_.size();
    return {d_.view(),
            factor_.view(),
            d_.values(values),
            rows_.data(),
            row_pieces_.data(),
            pieces_.data(),
            pulls_.data(),
            splits_.data(),
            panel_offset_.data(),
            squares_offset_.data(),
            norm_offset_.data(),
            d_.pairs.data(),
            panels_.data(),
            squares_.data(),
            norms_.data(),
            score_.data(),
            parts_.data(),
            perm_.data(),
            static_cast<float>(options.drop_tolerance),
            options.perturbation,
            options.pivoting,
            counter_.data(),
            marks_,
            done,
            diagonal_done,
            pieces_done,
            parts_done,
            tickets,
            row_scratch_.data(),
            factor_.pool.values(),
            factor_.columns.data(),
            static_cast<unsigned long long>(factor_.pool.capacity()),
            static_cast<unsigned long long>(factor_.columns.size())};
  }

  /// What the counters say.
  BlockFactorReport make_report(const FactorOptions &options) const
  {
    BlockFactorReport report;
    const double largest = from_bits(count_[largest_bits]), growth = from_bits(count_[growth_bits]);
    if (!std::isfinite(largest)) {
      report.status = FactorReport::NonFinite;
      return report;
    }
    if (over_budget(options)) {
      report.status = FactorReport::OverBudget;
      return report;
    }
    report.one_by_one = Offset(count_[one_by_one_count]);
    report.two_by_two = Offset(count_[two_by_two_count]);
    report.perturbed = Offset(count_[perturbed_count]);
    report.zero = Offset(count_[zero_count]);
    report.negative = Offset(count_[negative_count]);
    report.positive = Offset(count_[positive_count]);
    report.searched = Offset(count_[searched_count]);
    report.entries = kept() + factor_.diagonal_entries();
    report.growth = largest > 0 ? growth / largest : 0;
    if (count_[nonfinite_count] > 0)
      report.status = FactorReport::NonFinite;
    return report;
  }

  std::shared_ptr<DeviceQueue> queue_; ///< before what is freed in its order
  const Analysis &analysis_;
  const DeviceLimits &limits_;
  DeviceSchedule schedule_;
  DeviceStructure d_;
  DeviceArray<Index> rows_;
  DeviceArray<Offset> row_pieces_;
  DeviceArray<PieceItem> pieces_;
  DeviceArray<PullItem> pulls_;
  DeviceArray<SplitPiece> splits_;
  DeviceArray<Offset> panel_offset_, squares_offset_, norm_offset_;
  DeviceFactor<T> factor_;
  std::unique_ptr<DeviceFillLimit> limit_;
  DeviceArray<std::int32_t> perm_;
  const Offset marks_;
  DeviceArray<unsigned long long> counter_; ///< and the marks
  DeviceArray<double> row_scratch_;
  unsigned long long count_[counters] = {};     ///< the counters as last read
  Offset in_earlier_chunks_ = 0, in_chunk_ = 0; ///< entries kept by batches before the last one; in the last chunk
  unsigned long long columns_ = 0;              ///< columns kept by batches before the last one
  Offset needed_ = -1;                          ///< entries that the last factor kept, negative if there is none
  FactorOptions options_;                       ///< of the last factor
  SideStreams side_;
  RecordedLaunches<RunKey> launches_;            ///< of a factorization that begins with room for all it keeps
  DeviceArray<double> panels_, squares_, norms_; ///< of a batch
  DeviceArray<float> score_;
  DeviceArray<double> parts_;          ///< of updates, of a batch
  DeviceArray<double> values_, r_, z_; ///< copies of what the caller keeps on the host
  Staging staging_;
  BlockSolver<T> solver_;
};

} // namespace

std::unique_ptr<BlockFactorization> make_cuda_factorization(const Analysis &analysis, Precision precision)
{
  const auto queue = std::make_shared<DeviceQueue>();
  const DeviceCall call(*queue);
  if (precision == Precision::Single)
    return std::make_unique<CudaFactorization<float>>(analysis, queue);
  return std::make_unique<CudaFactorization<double>>(analysis, queue);
}

} // namespace tessera
