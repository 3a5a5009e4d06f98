#include "cuda/front/front_factor.cuh"

#include "cuda/front/block/block_fronts.cuh"
#include "cuda/front/lu/fit_scale.cuh"
#include "cuda/front/lu/lu_fronts.cuh"
#include "cuda/front/tile/tile_fronts.cuh"
#include "cuda/front/warp/warp_fronts.cuh"

#include <cmath>

namespace tessera {
namespace {

constexpr int verdict_words = sizeof(FrontVerdict) / sizeof(int), words_before_counts = verdict_words + 1;

} // namespace

PivotRules pivot_rules(const DirectOptions &options, double own_bound)
{
  const bool is_static = options.is_static();
  const double block_bound = 1 / options.own_threshold(), bound = is_static ? INFINITY : block_bound;
  return {
      bound,   own_bound, block_bound, is_static ? -1 : options.zero, options.uncertain, false, is_static, false, false,
      nullptr, nullptr,   nullptr};
}

PivotRules definite_rules()
{
  return {INFINITY, INFINITY, INFINITY, 0, 0, true, false, false, false, nullptr, nullptr, nullptr};
}

FrontFactor::FrontFactor(const FrontPlan &plan, const DevicePlan &fronts, const DeviceQueue &queue,
                         const std::vector<double> &column_scale)
    : queue_(queue), rows_(plan.tree.rows()), sides_(fronts.sides), block_group_(fronts.block_group),
      counts_(Offset(fronts.front.size() + fronts.strip.size()) + fronts.tiles), factor_place_(fronts.factor_place),
      factor_numbers_(fronts.factor_numbers), front_(fronts.front, queue), child_(fronts.child, queue),
      to_parent_(fronts.to_parent, queue), scale_row_(fronts.scale_row, queue),
      scale_column_(fronts.scale_column, queue), warp_order_(fronts.warp_order, queue),
      block_order_(fronts.block_order, queue), source_(fronts.source, queue), place_(fronts.place, queue),
      pair_(fronts.pair_word, queue), live_(fronts.words, queue), negative_(fronts.words, queue),
      swapped_(fronts.words, queue), piece_(fronts.piece, queue), strip_(fronts.strip, queue),
      gathered_first_(fronts.gathered_first, queue), tile_order_(fronts.tile_order, queue),
      tile_ticket_(fronts.tile_ticket, queue), scale_(plan.scale, queue), column_scale_(column_scale, queue),
      memory_(fronts.memory_numbers, queue), pivot_(rows_, queue),
      root_(fronts.tiles > 0 ? Offset(fronts.words) * 32 : 0, queue),
      padding_(fronts.tiles > 0 && sides_ == 1 ? DeviceFront::half_tile_with_words : 0, queue),
      zeros_(words_before_counts + counts_ + 2 + Offset(block_group_.size()), queue), failed_(rows_, queue),
      searched_(rows_, queue), left_out_(most_left_out, queue), part_(report_parts, queue)
{
  clear_searched_places();
  check(cudaMemsetAsync(failed_.data(), 0, failed_.bytes(), queue), "clearing failed columns");
  check(cudaMemsetAsync(padding_.data(), 0, padding_.bytes(), queue), "clearing columns of padding");
  if (sides_ == 2) // J = I
    for (const DeviceArray<std::uint32_t> *words : {&negative_, &swapped_})
      check(cudaMemsetAsync(words->data(), 0, words->bytes(), queue), "clearing signs");
  check(cudaStreamSynchronize(queue), "copying a plan to the device"); // its arrays may end
}

FrontFactorView FrontFactor::view() const
{
  return {{factor(0), factor(sides_ - 1)}, live_.data(), negative_.data(), swapped_.data()};
}

PivotTotals FrontFactor::run(DeviceRefinement &matrix, const double *values, const PivotRules &rules)
{
  if (!are_zeros_) {
    check(cudaMemsetAsync(zeros_.data(), 0, zeros_.bytes(), queue_), "clearing counts");
    matrix.clear_findings();
  }
  if (has_failed_)
    check(cudaMemsetAsync(failed_.data(), 0, failed_.bytes(), queue_), "clearing failed columns");
  are_zeros_ = false;
  has_failed_ = true; // unless it ends
  Run run{&matrix, values, rules};
  run.rules.row_order = rules.is_static ? nullptr : row_order_.data();
  report_.data()->is_written = 0;
  launches_.queue(run, queue_, [&](cudaStream_t stream) { queue_factorization(run, stream); });
  check(wait_for_word(&report_.data()->is_written, queue_), "factoring");
  are_zeros_ = true;
  has_failed_ = report_.get().totals.verdict.failed.any();
  return report_.get().totals;
}

void FrontFactor::fit_scale(const DeviceRefinement &matrix, const std::vector<double> &row,
                            const std::vector<double> &column)
{
  const DeviceArray<unsigned long long> largest(rows_, queue_), raised(1, queue_);
  unsigned long long exponent = 0;
  const auto copy = [&](const DeviceArray<double> &to, const std::vector<double> &from) {
    check(cudaMemcpyAsync(to.data(), from.data(), to.bytes(), cudaMemcpyHostToDevice, queue_), "copying scale factors");
  };
  clear_searched_places(); // with other factors there are other pivots
  copy(scale_, row);
  copy(column_scale_, column);
  for (const DeviceArray<unsigned long long> *zeros : {&largest, &raised})
    check(cudaMemsetAsync(zeros->data(), 0, zeros->bytes(), queue_), "clearing the sizes of rows");
  check(tessera::fit_scale({source_.size(), rows_, matrix.values(), source_.data(), scale_row_.data(),
                            scale_column_.data(), scale_.data(), column_scale_.data()},
                           largest.data(), raised.data(), queue_),
        "fitting scale factors");
  check(cudaMemcpyAsync(&exponent, raised.data(), raised.bytes(), cudaMemcpyDeviceToHost, queue_),
        "fitting scale factors");
  check(cudaStreamSynchronize(queue_), "fitting scale factors");
  scale_exponent_ = static_cast<long long>(exponent);
}

void FrontFactor::take_scale(const std::vector<double> &scale)
{
  check(cudaMemcpyAsync(scale_.data(), scale.data(), scale_.bytes(), cudaMemcpyHostToDevice, queue_),
        "copying scale factors");
  clear_searched_places();
  check(cudaStreamSynchronize(queue_), "copying scale factors"); // the caller's array may end
}

std::vector<LeftOut> FrontFactor::left_out(Offset count) const
{
  std::vector<LeftOut> pivots(count);
  if (sides_ == 1) // counted in the first of the words that are 0 between factorizations
    check(list_zero_pivots(pivot_.data(), rows_, left_out_.data(), zeros_.data(), queue_), "listing zero pivots");
  check(give_scale(scale(0), scale(sides_ == 1 ? 0 : 1), left_out_.data(), Index(count), queue_),
        "looking up scale factors");
  check(cudaMemcpyAsync(pivots.data(), left_out_.data(), count * sizeof pivots[0], cudaMemcpyDeviceToHost, queue_),
        "copying pivots that are left out");
  check(cudaStreamSynchronize(queue_), "copying pivots that are left out");
  std::sort(pivots.begin(), pivots.end(), [](const LeftOut &p, const LeftOut &q) { return p.column < q.column; });
  return pivots;
}

std::vector<std::uint8_t> FrontFactor::failed_columns() const
{
  return copy_to_host(failed_, queue_);
}

std::vector<SearchedPlace> FrontFactor::searched_places() const
{
  return copy_to_host(searched_, queue_);
}

void FrontFactor::clear_searched_places() const
{
  check(cudaMemsetAsync(searched_.data(), 0, searched_.bytes(), queue_), "clearing places of pivots");
}

void FrontFactor::take_row_order()
{
  row_order_ = DeviceArray<SearchedPlace>(rows_, queue_);
  check(cudaMemcpyAsync(row_order_.data(), searched_.data(), searched_.bytes(), cudaMemcpyDeviceToDevice, queue_),
        "copying places of pivots");
}

bool FrontFactor::forget_row_order()
{
  if (row_order_.size() == 0)
    return false;
  row_order_ = {};
  clear_searched_places();
  return true;
}

FrontArrays FrontFactor::arrays_of(const Run &run) const
{
  int *const count = zeros_.data() + words_before_counts;
  auto *const verdict = reinterpret_cast<FrontVerdict *>(zeros_.data());
  PivotRules rules = run.rules;
  rules.verdict = verdict;
  rules.left_out = left_out_.data();
  return {front_.data(),
          child_.data(),
          to_parent_.data(),
          source_.data(),
          place_.data(),
          scale_row_.data(),
          scale_column_.data(),
          scale_.data(),
          sides_ == 1 ? scale_.data() : column_scale_.data(),
          run.matrix->values(),
          run.matrix->findings(),
          piece_.data(),
          strip_.data(),
          gathered_first_.data(),
          pair_.data(),
          {factor(0), factor(sides_ - 1)},
          memory_.data(),
          pivot_.data(),
          root_.data(),
          padding_.data(),
          live_.data(),
          negative_.data(),
          swapped_.data(),
          count,
          count + front_.size(),
          count + front_.size() + strip_.size(),
          verdict,
          failed_.data(),
          searched_.data(),
          rules};
}

/// Queues what a CUDA graph can record: nothing that allocates or waits.
void FrontFactor::queue_factorization(const Run &run, cudaStream_t stream) const
{
  run.matrix->queue_values(run.values, stream);
  const FrontArrays arrays = arrays_of(run);
  if (run.rules.is_static)
    run.matrix->queue_largest(&arrays.verdict->largest, stream);
  const auto of_warps = sides_ == 1 ? factor_warp_fronts : factor_lu_warp_fronts;
  const auto of_blocks = sides_ == 1 ? factor_block_fronts : factor_lu_block_fronts;
  const auto of_tiles = sides_ == 1 ? factor_tile_fronts<1> : factor_tile_fronts<2>;
  FrontLaunch launch{arrays.arrived + counts_, stream, false};
  const auto next = [&](Offset fronts, cudaError_t launched) {
    check(launched, "factoring fronts");
    ++launch.ticket;
    launch.overlaps = launch.overlaps || fronts > 0;
  };
  next(warp_order_.size(), of_warps(arrays, warp_order_.data(), Index(warp_order_.size()), launch));
  for (const BlockGroup &g : block_group_)
    next(g.end - g.begin, of_blocks(arrays, block_order_.data() + g.begin, g.end - g.begin, g.rows, launch));
  const Offset tickets = std::max<Offset>(tile_ticket_.size() - 1, 0);
  next(tickets, of_tiles(arrays, {tile_order_.data(), tile_ticket_.data(), tickets}, launch));
  const ReportSpace space{part_.data(), zeros_.data() + verdict_words, arrays.arrived,
                          zeros_.size() - words_before_counts, run.matrix->findings()};
  check(sum_pivots(arrays, rows_, space, report_.data(), stream, launch.overlaps), "counting pivots");
}

std::int64_t FrontFactor::bytes() const
{
  return front_.bytes() + child_.bytes() + to_parent_.bytes() + scale_row_.bytes() + scale_column_.bytes() +
         warp_order_.bytes() + block_order_.bytes() + source_.bytes() + place_.bytes() + pair_.bytes() + live_.bytes() +
         negative_.bytes() + swapped_.bytes() + piece_.bytes() + strip_.bytes() + gathered_first_.bytes() +
         tile_order_.bytes() + tile_ticket_.bytes() + scale_.bytes() + column_scale_.bytes() + memory_.bytes() +
         pivot_.bytes() + root_.bytes() + padding_.bytes() + zeros_.bytes() + part_.bytes() + failed_.bytes() +
         searched_.bytes() + row_order_.bytes() + left_out_.bytes();
}

} // namespace tessera
