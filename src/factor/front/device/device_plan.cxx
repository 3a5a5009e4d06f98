#include "factor/front/device/device_plan.hpp"

#include "base/allocate.hpp"
#include "base/key_sort.hpp"
#include "base/permute.hpp"
#include "factor/front/device/group_children.hpp"
#include "factor/front/device/tile_tasks.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <new>
#include <numeric>
#include <utility>

namespace tessera {
namespace {

/// Numbers of the panels of a front of kind Warp or Block.
Offset factor_size(const DeviceFront &f)
{
  const Index last = f.panels() - 1;
  return last < 0 ? 0 : f.panel_offset(last) + Offset(f.columns_padded - last * f.width()) * f.leading(last);
}

class DevicePlanMaker {
public:
  DevicePlanMaker(const FrontPlan &plan, Index block_rows)
      : plan_(plan), grouped_(group_children(plan.tree, block_rows)), tree_(grouped_ ? grouped_->tree : plan.tree),
        kind_(front_kinds(tree_, block_rows))
  {
  }

  DevicePlan make()
  {
    device_.sides = plan_.symmetric ? 1 : 2;
    device_.front.resize(tree_.fronts());
    device_.origin.resize(tree_.fronts());
    std::iota(device_.origin.begin(), device_.origin.end(), 0);
    if (grouped_)
      device_.origin = grouped_->origin;
    device_.child = tree_.child;
    device_.below_row = copy_in_parallel(tree_.below);
    for (Index s = 0; s < tree_.fronts(); ++s)
      set_shape(s);
    order_children();
    for (Index s = 0; s < tree_.fronts(); ++s)
      place(s);
    set_pairs();
    map_to_parents();
    map_entries();
    order_whole_fronts();
    order_tiles(device_, entry_tile_);
    return std::move(device_);
  }

private:
  bool tiled(Index s) const { return device_.front[s].kind == FrontKind::Tiles; }

  /// The kind of a front, and its sizes.
  void set_shape(Index s)
  {
    DeviceFront &f = device_.front[s];
    f.first = tree_.first[s];
    f.columns = f.columns_padded = tree_.columns(s);
    f.below = f.below_padded = tree_.below_rows(s);
    f.parent = tree_.parent[s];
    f.child_begin = tree_.child_start[s];
    f.child_end = tree_.child_start[s + 1];
    f.below_begin = tree_.below_start[s];
    f.kind = kind_[s];
    f.sides = device_.sides;
    if (tiled(s)) {
      f.columns_padded = round_up(f.columns, DeviceFront::tile_width);
      f.below_padded = round_up(f.below, DeviceFront::tile_width);
      f.last_stored = f.find_last_stored();
    } else {
      f.contribution = Contribution::square(f.below);
    }
    if (f.parent >= 0)
      f.raised = kind_[f.parent] == FrontKind::Tiles ? f.parent : s;
    if (tiled(s))
      for (Index c = f.child_begin; c < f.child_end; ++c)
        f.awaited += Index(device_.front[tree_.child[c]].arrivals());
  }

  /// Children of whole fronts, which are added in their order, by the length of the longest chain that ends with them,
  /// so that the one that is waited for longest comes last. A front counts as so many columns more.
  void order_children()
  {
    constexpr Index of_front = 16;
    std::vector<Index> chain(tree_.fronts(), 0);
    for (Index s = 0; s < tree_.fronts(); ++s) { // children come before their parents
      const DeviceFront &f = device_.front[s];
      const auto first = device_.child.begin() + f.child_begin, last = device_.child.begin() + f.child_end;
      if (!tiled(s))
        std::stable_sort(first, last, [&](Index a, Index b) { return chain[a] < chain[b]; });
      for (auto c = first; c != last; ++c)
        chain[s] = std::max(chain[s], chain[*c]);
      chain[s] += f.columns + of_front;
    }
  }

  void place(Index s)
  {
    DeviceFront &f = device_.front[s];
    f.sign_begin = device_.words;
    device_.words += round_up(f.columns_padded, 32) / 32;
    f.tile_begin = device_.tiles;
    if (tiled(s)) { // whose factor is placed when their order is known, as are all contributions
      device_.tiles += device_.sides * f.tiles();
      f.strip_begin = Index(device_.strip.size());
      device_.strip.resize(f.strip_begin + f.strips());
      return;
    }
    f.factor_begin = device_.factor_numbers;
    device_.factor_numbers += round_up(factor_size(f), Offset(2));
  }

  void set_pairs()
  {
    device_.pair_word.assign(device_.words, 0);
    for (const DeviceFront &f : device_.front)
      for (Index c = 0; c < f.columns; ++c)
        device_.pair_word[f.sign_begin + c / 32] |= std::uint32_t(tree_.pair[f.first + c]) << (c % 32);
  }

  void map_to_parents()
  {
    device_.to_parent = copy_in_parallel(tree_.to_parent);
#pragma omp parallel for schedule(dynamic, 64) if (tree_.rows() > parallel_rows)
    for (Index s = 0; s < tree_.fronts(); ++s) {
      const DeviceFront &f = device_.front[s];
      if (f.parent < 0)
        continue;
      const DeviceFront &up = device_.front[f.parent];
      for (Offset p = f.below_begin; p < f.below_begin + f.below; ++p)
        if (device_.to_parent[p] >= up.columns)
          device_.to_parent[p] += up.columns_padded - up.columns;
    }
  }

  /// Entries of fronts in the order of the plan, those of a front of kind Tiles sorted by tile.
  void map_entries()
  {
    const FrontEntries &e = plan_.entries;
    const Offset entries = e.start.back();
    if (plan_.matrix.entries() > Offset(std::numeric_limits<std::uint32_t>::max()))
      throw std::bad_alloc();
    find_sources();
    entry_tile_.resize(device_.tiles > 0 ? entries : 0);
    allocate_in_parallel(device_.source, entries);
    allocate_in_parallel(device_.place, entries);
    allocate_in_parallel(device_.scale_row, entries);
    allocate_in_parallel(device_.scale_column, entries);
    for (Index s = 0; s < tree_.fronts(); ++s) {
      const Index origin = device_.origin[s];
      device_.front[s].entry_begin = origin < 0 ? 0 : e.start[origin];
      device_.front[s].entry_end = origin < 0 ? 0 : e.start[origin + 1];
    }
    FirstError error; // of memory
#pragma omp parallel for schedule(dynamic, 64) if (tree_.rows() > parallel_rows)
    for (Index s = 0; s < tree_.fronts(); ++s)
      if (!has_many_entries(device_.front[s]))
        error.guard([&] { map_entries_of(s); });
    error.rethrow();
    for (Index s = 0; s < tree_.fronts(); ++s) // on all threads, each
      if (has_many_entries(device_.front[s]))
        map_entries_of(s);
  }

  /// Whether all threads map the entries of a front, which else one does beside others.
  static bool has_many_entries(const DeviceFront &f)
  {
    constexpr Offset many = 1 << 20;
    return f.entry_end - f.entry_begin > many;
  }

  /// Which entry of the matrix has a value of the caller: of two of a symmetric one that have the same, that of the
  /// lower triangle in elimination order, by columns, so that entries of a front lie beside each other.
  void find_sources()
  {
    const Pattern &a = plan_.matrix;
    const std::vector<Offset> &source = plan_.source;
    const std::vector<Index> order = inverse_permutation(tree_.perm);
    entry_of_.resize(count_sources(source));
#pragma omp parallel for schedule(static) if (a.rows > parallel_rows)
    for (Index i = 0; i < a.rows; ++i)
      for (Offset p = a.start[i]; p < a.start[i + 1]; ++p)
        if (!plan_.symmetric || order[a.column[p]] >= order[i])
          entry_of_[source[p]] = p;
  }

  void map_entries_of(Index s)
  {
    const FrontEntries &e = plan_.entries;
    const DeviceFront &f = device_.front[s];
    const Buffer<Offset> order = tiled(s) ? by_tile(f) : Buffer<Offset>();
#pragma omp parallel for schedule(static) if (has_many_entries(f))
    for (Offset q = f.entry_begin; q < f.entry_end; ++q) {
      const Offset p = tiled(s) ? order[q - f.entry_begin] : q;
      const PlaceInTile at =
          tiled(s) ? place_in_tile(f, e.row[p], e.column[p]) : PlaceInTile{-1, e.row[p], e.column[p]};
      if (tiled(s))
        entry_tile_[q] = at.tile;
      device_.source[q] = std::uint32_t(entry_of_[e.source[p]]);
      device_.place[q] = std::uint32_t(at.row) << 16 | std::uint32_t(at.column);
      device_.scale_row[q] = in_order(f, e.row[p]);
      device_.scale_column[q] = in_order(f, e.column[p]);
    }
  }

  /// Entries of a front of kind Tiles, sorted by tile and otherwise in their order.
  Buffer<Offset> by_tile(const DeviceFront &f) const
  {
    const FrontEntries &e = plan_.entries;
    const Offset entries = f.entry_end - f.entry_begin;
    KeySort sort(entries, static_cast<Index>(device_.sides * f.tiles()), entries);
    const auto for_entries = [&](Offset begin, Offset end, const auto &emit) {
      for (Offset p = f.entry_begin + begin; p < f.entry_begin + end; ++p)
        emit(static_cast<Index>(place_in_tile(f, e.row[p], e.column[p]).tile - f.tile_begin), p);
    };
    sort.count(for_entries);
    Buffer<Offset> order(entries);
    sort.fill(for_entries, [&](Offset place, Offset p) { order[place] = p; });
    return order;
  }

  struct PlaceInTile {
    Offset tile;
    Index row, column;
  };

  /// Of the entry at these places of a front of kind Tiles.
  static PlaceInTile place_in_tile(const DeviceFront &f, Index row, Index column)
  {
    constexpr Index width = DeviceFront::tile_width;
    const auto padded = [&](Index i) { return i < f.columns ? i : i - f.columns + f.columns_padded; };
    const Index i = padded(row), j = padded(column);
    if (i / width < j / width)
      return {f.tile(j / width, i / width, 1), j % width, i % width};
    return {f.tile(i / width, j / width), i % width, j % width};
  }

  /// Row of the system, in elimination order, that has this place in a front.
  Index in_order(const DeviceFront &f, Index i) const
  {
    return i < f.columns ? f.first + i : tree_.below[f.below_begin + i - f.columns];
  }

  /// Rows of a front of kind Block in shared memory.
  static Index block_rows_of(const DeviceFront &f)
  {
    return round_up(f.columns, 8) + round_up(f.below, 8);
  }

  /// Fronts of the kinds Warp and Block by their height above the leaves; of equal height the largest first.
  void order_whole_fronts()
  {
    std::vector<Index> height(tree_.fronts(), 0), order(tree_.fronts());
    for (Index s = 0; s < tree_.fronts(); ++s)
      if (tree_.parent[s] >= 0)
        height[tree_.parent[s]] = std::max(height[tree_.parent[s]], height[s] + 1);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      return height[a] != height[b] ? height[a] < height[b] : device_.front[a].rows() > device_.front[b].rows();
    });
    std::vector<Index> blocks;
    for (Index s : order)
      if (!tiled(s))
        (device_.front[s].kind == FrontKind::Warp ? device_.warp_order : blocks).push_back(s);
    group_blocks(blocks);
  }

  /// Sizes of fronts that thread blocks of one, two and so on to a multiprocessor have room for, about. A front is in
  /// no group before that of a child.
  void group_blocks(const std::vector<Index> &blocks)
  {
    constexpr Index sizes[] = {88};
    constexpr Index groups = Index(std::size(sizes)) + 1;
    std::vector<Index> group(tree_.fronts(), 0);
    for (Index s : blocks) { // children come before their parents
      const DeviceFront &f = device_.front[s];
      while (group[s] + 1 < groups && block_rows_of(f) > sizes[group[s]])
        ++group[s];
      if (f.parent >= 0)
        group[f.parent] = std::max(group[f.parent], group[s]);
    }
    for (Index g = 0; g < groups; ++g) {
      BlockGroup made{Index(device_.block_order.size()), 0, 0};
      for (Index s : blocks)
        if (group[s] == g) {
          device_.block_order.push_back(s);
          made.rows = std::max(made.rows, block_rows_of(device_.front[s]));
        }
      made.end = Index(device_.block_order.size());
      if (made.end > made.begin)
        device_.block_group.push_back(made);
    }
  }

  const FrontPlan &plan_;
  const std::optional<GroupedTree> grouped_;
  const AssemblyTree &tree_;
  const std::vector<FrontKind> kind_;
  Buffer<Offset> entry_of_;   ///< [the caller's values] entry of the matrix
  Buffer<Offset> entry_tile_; ///< [entries] number of the tile, in fronts of kind Tiles
  DevicePlan device_;
};

} // namespace

DevicePlan make_device_plan(const FrontPlan &plan, Index block_rows)
{
  return DevicePlanMaker(plan, block_rows).make();
}

} // namespace tessera
