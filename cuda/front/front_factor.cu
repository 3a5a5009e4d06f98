#include "cuda/front/front_factor.cuh"

#include "cuda/front/block_fronts.cuh"
#include "cuda/front/tile_fronts.cuh"
#include "cuda/front/warp_fronts.cuh"

#include <algorithm>
#include <cmath>

namespace tessera {

FrontFactor::FrontFactor(const FrontPlan &plan, const DevicePlan &fronts, const DeviceQueue &queue)
    : queue_(queue), rows_(plan.tree.rows()), block_rows_(fronts.most_block_rows),
      counts_(Offset(fronts.front.size()) + fronts.tiles), front_(fronts.front, queue), child_(fronts.child, queue),
      to_parent_(fronts.to_parent, queue), scale_row_(fronts.scale_row, queue),
      scale_column_(fronts.scale_column, queue), warp_order_(fronts.warp_order, queue),
      block_order_(fronts.block_order, queue), source_(fronts.source, queue), place_(fronts.place, queue),
      pair_(fronts.pair_word, queue), live_(fronts.words, queue), negative_(fronts.words, queue),
      swapped_(fronts.words, queue), piece_(fronts.piece, queue), tile_order_(fronts.tile_order, queue),
      scale_(plan.scale, queue), factor_(fronts.factor_numbers, queue),
      contribution_(fronts.contribution_numbers, queue), pivot_(rows_, queue),
      root_(fronts.tiles > 0 ? Offset(fronts.words) * 32 : 0, queue), count_(counts_ + 3, queue), verdict_(1, queue),
      totals_(report_parts + 1, queue)
{
  check(cudaStreamSynchronize(queue), "copying a plan to the device"); // its arrays may end
}

PivotTotals FrontFactor::run(const double *values, const DirectOptions &options, FactorKind kind, double own_bound)
{
  PivotRules rules{INFINITY, INFINITY, 0, 0, true};
  if (kind == FactorKind::LDLT)
    rules = {1 / options.threshold, own_bound, options.zero, uncertain_factor * options.zero, false};
  int *const count = count_.data();
  const FrontArrays arrays{front_.data(),
                           child_.data(),
                           to_parent_.data(),
                           source_.data(),
                           place_.data(),
                           scale_row_.data(),
                           scale_column_.data(),
                           scale_.data(),
                           values,
                           piece_.data(),
                           pair_.data(),
                           factor_.data(),
                           contribution_.data(),
                           pivot_.data(),
                           root_.data(),
                           live_.data(),
                           negative_.data(),
                           swapped_.data(),
                           count,
                           count + front_.size(),
                           verdict_.data(),
                           rules};
  queue_factorization(arrays);
  PivotTotals *const total = totals_.data() + report_parts;
  check(sum_pivots(arrays, rows_, totals_.data(), total, queue_), "counting pivots");
  PivotTotals result;
  check(cudaMemcpyAsync(&result, total, sizeof result, cudaMemcpyDeviceToHost, queue_), "copying a report");
  check(cudaStreamSynchronize(queue_), "factoring");
  return result;
}

void FrontFactor::queue_factorization(const FrontArrays &arrays)
{
  check(cudaMemsetAsync(count_.data(), 0, count_.bytes(), queue_), "clearing counts");
  check(cudaMemsetAsync(verdict_.data(), 0, verdict_.bytes(), queue_), "clearing a verdict");
  check(cudaMemsetAsync(&verdict_.data()->failed, 0xff, sizeof verdict_.data()->failed, queue_), "clearing a verdict");
  int *const ticket = count_.data() + counts_;
  check(factor_warp_fronts(arrays, warp_order_.data(), Index(warp_order_.size()), ticket, queue_), "factoring fronts");
  check(factor_block_fronts(arrays, block_order_.data(), Index(block_order_.size()), block_rows_, ticket + 1, queue_),
        "factoring fronts");
  check(factor_tile_fronts(arrays, tile_order_.data(), tile_order_.size(), ticket + 2, queue_), "factoring fronts");
}

std::int64_t FrontFactor::bytes() const
{
  return front_.bytes() + child_.bytes() + to_parent_.bytes() + scale_row_.bytes() + scale_column_.bytes() +
         warp_order_.bytes() + block_order_.bytes() + source_.bytes() + place_.bytes() + pair_.bytes() + live_.bytes() +
         negative_.bytes() + swapped_.bytes() + piece_.bytes() + tile_order_.bytes() + scale_.bytes() +
         factor_.bytes() + contribution_.bytes() + pivot_.bytes() + root_.bytes() + count_.bytes() + verdict_.bytes() +
         totals_.bytes();
}

} // namespace tessera
