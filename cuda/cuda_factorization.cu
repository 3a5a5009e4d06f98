#include "block_factor.cuh"
#include "block_solver.cuh"
#include "current_stream.hpp"
#include "factor/block_factorization.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tessera {
namespace {

constexpr Offset batch_doubles = Offset(1) << 27; ///< panels of a batch together: 1 GB

Offset count_sources(const std::vector<Offset> &source)
{
  return source.empty() ? 0 : *std::max_element(source.begin(), source.end()) + 1;
}

/// The block structure in device memory, uploaded once per pattern.
struct DeviceStructure {
  DeviceStructure(const Analysis &analysis, cudaStream_t q)
      : rows(analysis.structure.rows), blocks(analysis.structure.blocks()),
        tiles(analysis.structure.tiles.upper.entries()), items(analysis.structure.values.start.back()),
        sources(count_sources(analysis.structure.values.source)), block_start(analysis.structure.block_start, q),
        tile_column(analysis.structure.tiles.upper.column, q), column_block(analysis.structure.tiles.columns.column, q),
        panel_column(analysis.structure.panel_column, q), panel_width(analysis.structure.panel_width, q),
        tile_start(analysis.structure.tiles.upper.start, q), column_start(analysis.structure.tiles.columns.start, q),
        column_tile(analysis.structure.tiles.position, q), pairs(analysis.structure.pairs, q),
        map_start(analysis.structure.values.start, q), map_source(analysis.structure.values.source, q),
        map_column(analysis.structure.values.column, q), map_row(analysis.structure.values.row, q),
        map_scale(analysis.structure.values.scale, q)
  {
  }

  StructureView view() const
  {
    return {block_start.data(),  tile_start.data(),  tile_column.data(),  column_start.data(),
            column_block.data(), column_tile.data(), panel_column.data(), panel_width.data()};
  }
  ValuesView values(const double *a) const
  {
    return {a, map_start.data(), map_source.data(), map_column.data(), map_row.data(), map_scale.data()};
  }
  Offset bytes() const
  {
    return block_start.bytes() + tile_column.bytes() + column_block.bytes() + panel_column.bytes() +
           panel_width.bytes() + tile_start.bytes() + column_start.bytes() + column_tile.bytes() + pairs.bytes() +
           map_start.bytes() + map_source.bytes() + map_column.bytes() + map_row.bytes() + map_scale.bytes();
  }

  Index rows, blocks;
  Offset tiles, items;
  Offset sources; ///< values of the caller that are read, counted to the last one
  DeviceArray<Index> block_start, tile_column, column_block, panel_column, panel_width;
  DeviceArray<Offset> tile_start, column_start, column_tile;
  DeviceArray<std::uint32_t> pairs;
  DeviceArray<Offset> map_start, map_source;
  DeviceArray<Index> map_column;
  DeviceArray<std::uint8_t> map_row;
  DeviceArray<double> map_scale;
};

std::vector<Offset> inverse_starts(const BlockStructure &s)
{
  std::vector<Offset> start(s.blocks() + 1, 0);
  for (Index b = 0; b < s.blocks(); ++b)
    start[b + 1] = start[b] + Offset(s.block_rows(b)) * s.block_rows(b);
  return start;
}

double from_bits(unsigned long long bits)
{
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

template <class T>
class CudaFactorization : public BlockFactorization {
public:
  explicit CudaFactorization(const Analysis &analysis)
      : analysis_(analysis), schedule_(make_device_schedule(analysis.structure, batch_doubles)), d_(analysis, queue()),
        rows_(schedule_.rows, queue()), pieces_(schedule_.pieces, queue()),
        panel_offset_(schedule_.panel_offset, queue()), squares_offset_(schedule_.squares_offset, queue()),
        norm_offset_(schedule_.norm_offset, queue()), inverse_start_(inverse_starts(analysis.structure), queue()),
        inverse_(inverse_starts(analysis.structure).back(), queue()), pivot_d_(d_.rows, queue()),
        pivot_e_(d_.rows, queue()), first_(d_.tiles + d_.blocks, queue()), value_(d_.blocks, queue()),
        column_(d_.blocks, queue()), perm_(d_.rows, queue()), counter_(counters, queue()),
        solver_(analysis.structure, analysis.scale, queue())
  {
    capacity_ = std::max<Offset>(4 * d_.items, Offset(1.1 * double(analysis.complete_entries)));
    schedule_.pieces = {};
    schedule_.rows = {};
  }

  FactorReport factor(const double *values, Place values_in, const FactorOptions &options) override
  {
    FactorReport report;
    values = on_device(values, values_in, d_.sources, values_);
    for (;;) {
      if (options.max_entries > 0)
        capacity_ = std::min(capacity_, options.max_entries);
      reserve();
      const FactorRun<T> run = make_run(values, options);
      queue_factorization(run, schedule_, d_.items, options.pivoting, queue());
      unsigned long long count[counters];
      check(cudaMemcpyAsync(count, counter_.data(), sizeof count, cudaMemcpyDeviceToHost, queue()),
            "reading the report");
      check(cudaStreamSynchronize(queue()), "factoring");
      report = make_report(count);
      needed_ = static_cast<Offset>(count[values_used]);
      needed_columns_ = static_cast<Offset>(count[columns_used]);
      const bool fits = needed_ <= capacity_ && needed_columns_ <= columns_.size();
      if (fits || report.status == FactorReport::NonFinite)
        break;
      if (options.max_entries > 0 && capacity_ >= options.max_entries) {
        report.status = FactorReport::OverBudget;
        break;
      }
      capacity_ *= 2;
    }
    if (report.status == FactorReport::Complete)
      solver_.queue_listing(d_.view(), factor_view(), columns_.data(), needed_columns_, queue());
    return report;
  }

  void apply(const double *r, Place r_in, double *z, Place z_in, bool definite) override
  {
    r = on_device(r, r_in, d_.rows, r_);
    double *const result = z;
    if (z_in == Place::Host) {
      if (z_.size() < d_.rows)
        z_ = DeviceArray<double>(d_.rows, queue());
      z = z_.data();
    }
    solver_.queue(d_.view(), factor_view(), r, z, definite, queue());
    if (z_in == Place::Host) {
      check(cudaMemcpyAsync(result, z, d_.rows * sizeof *z, cudaMemcpyDeviceToHost, queue()), "copying to the host");
      check(cudaStreamSynchronize(queue()), "solving");
    }
  }

  Place place() const override { return Place::Device; }

  Offset bytes() const override
  {
    return d_.bytes() + inverse_.bytes() + pool_.bytes() + columns_.bytes() + panels_.bytes() + squares_.bytes() +
           score_.bytes() + first_.bytes() + 2 * value_.bytes() + 2 * pivot_d_.bytes() + pieces_.bytes() +
           solver_.bytes();
  }

private:
  static cudaStream_t queue() { return current_stream(); }

  /// x [n] itself if it is in device memory, else a copy of it in `room`.
  static const double *on_device(const double *x, Place x_in, Offset n, DeviceArray<double> &room)
  {
    if (x_in == Place::Device)
      return x;
    if (room.size() < n)
      room = DeviceArray<double>(n, queue());
    check(cudaMemcpyAsync(room.data(), x, n * sizeof *x, cudaMemcpyHostToDevice, queue()), "copying to the device");
    return room.data();
  }

  FactorView<T> factor_view() const
  {
    return {inverse_.data(), inverse_start_.data(), pivot_d_.data(), pivot_e_.data(),
            first_.data(),   value_.data(),         column_.data()};
  }

  /// Allocates what does not fit any more.
  void reserve()
  {
    if (panels_.size() < schedule_.panel_size) {
      panels_ = DeviceArray<double>(schedule_.panel_size, queue());
      score_ = DeviceArray<float>(schedule_.panel_size / 4, queue());
      squares_ = DeviceArray<double>(schedule_.squares_size, queue());
      norms_ = DeviceArray<double>(schedule_.norm_size, queue());
    }
    if (pool_.size() < capacity_) {
      pool_ = {};
      columns_ = {};
      pool_ = DeviceArray<T>(capacity_, queue());
      columns_ = DeviceArray<std::uint8_t>(capacity_, queue());
    }
  }

  FactorRun<T> make_run(const double *values, const FactorOptions &options) const
  {
    return {d_.view(),
            factor_view(),
            d_.values(values),
            rows_.data(),
            pieces_.data(),
            panel_offset_.data(),
            squares_offset_.data(),
            norm_offset_.data(),
            d_.pairs.data(),
            panels_.data(),
            squares_.data(),
            norms_.data(),
            score_.data(),
            perm_.data(),
            static_cast<float>(options.drop_tolerance),
            options.perturbation,
            counter_.data(),
            pool_.data(),
            columns_.data(),
            static_cast<unsigned long long>(capacity_),
            static_cast<unsigned long long>(columns_.size())};
  }

  FactorReport make_report(const unsigned long long *count) const
  {
    FactorReport report;
    const double largest = from_bits(count[largest_bits]), growth = from_bits(count[growth_bits]);
    report.one_by_one = Offset(count[one_by_one_count]);
    report.two_by_two = Offset(count[two_by_two_count]);
    report.perturbed = Offset(count[perturbed_count]);
    report.zero = Offset(count[zero_count]);
    report.negative = Offset(count[negative_count]);
    report.positive = Offset(count[positive_count]);
    report.entries = Offset(count[values_used]) + inverse_.size() / 2;
    report.growth = largest > 0 ? growth / largest : 0;
    if (count[nonfinite_count] > 0 || !std::isfinite(largest))
      report.status = FactorReport::NonFinite;
    return report;
  }

  const Analysis &analysis_;
  DeviceSchedule schedule_;
  DeviceStructure d_;
  DeviceArray<Index> rows_;
  DeviceArray<PieceItem> pieces_;
  DeviceArray<Offset> panel_offset_, squares_offset_, norm_offset_, inverse_start_;
  DeviceArray<double> inverse_, pivot_d_, pivot_e_;
  DeviceArray<Index> first_;
  DeviceArray<T *> value_;
  DeviceArray<std::uint8_t *> column_;
  DeviceArray<std::int32_t> perm_;
  DeviceArray<unsigned long long> counter_;
  BlockSolver<T> solver_;
  DeviceArray<double> panels_, squares_, norms_; ///< of a batch
  DeviceArray<float> score_;
  DeviceArray<double> values_, r_, z_;     ///< copies of what the caller keeps on the host
  Offset capacity_ = 0;                    ///< entries that the pool holds
  Offset needed_ = 0, needed_columns_ = 0; ///< entries and columns that the last factor keeps above its diagonal tiles
  DeviceArray<T> pool_;
  DeviceArray<std::uint8_t> columns_;
};

} // namespace

std::unique_ptr<BlockFactorization> make_cuda_factorization(const Analysis &analysis, Precision precision)
{
  if (precision == Precision::Single)
    return std::make_unique<CudaFactorization<float>>(analysis);
  return std::make_unique<CudaFactorization<double>>(analysis);
}

} // namespace tessera
