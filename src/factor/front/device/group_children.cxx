#include "factor/front/device/group_children.hpp"

#include <algorithm>

namespace tessera {
namespace {

constexpr Index most_groups = 2048; ///< of a front: enough for all warps of a device, few enough to cost no memory
constexpr Index least_group = 4;    ///< fewer children are not worth a front

/// Numbers that all sums may hand on, or as many as the fronts of the tree do: 512 MB, for trees of very many small
/// fronts that have nothing in common.
constexpr Offset most_numbers = Offset(1) << 26;

/// A front to be put in.
struct Sum {
  Index front;              ///< it adds up for this one
  FrontKind kind;           ///< its own
  Index parent = -1;        ///< another sum, or -1: the front
  std::vector<Index> place; ///< of its rows in the front, ascending
};

/// Decides on the groups. What hands to a front is named by a number: a front of the tree, or, from fronts() on, a sum.
class Grouping {
public:
  Grouping(const AssemblyTree &tree, Index block_rows)
      : tree_(tree), block_rows_(block_rows), kind_(front_kinds(tree, block_rows)), sum_of_(tree.fronts(), -1)
  {
    Offset numbers = 0;
    for (Index s = 0; s < tree.fronts(); ++s)
      numbers += handed_on(tree.below_rows(s));
    left_ = std::max(numbers, most_numbers);
    for (Index s = 0; s < tree.fronts(); ++s)
      if (tree.child_start[s + 1] - tree.child_start[s] > most_children)
        group(s);
  }

  const std::vector<Sum> &sums() const { return sums_; } ///< by fronts, ascending
  Index sum_of(Index s) const { return sum_of_[s]; }     ///< the sum that front s hands to, or -1

private:
  struct Places {
    const Index *first, *last;
    const Index *begin() const { return first; }
    const Index *end() const { return last; }
  };

  /// In the front at hand, of the rows that are handed to it.
  Places places(Index x) const
  {
    if (x >= tree_.fronts()) {
      const std::vector<Index> &place = sums_[x - tree_.fronts()].place;
      return {place.data(), place.data() + place.size()};
    }
    return {tree_.to_parent.data() + tree_.below_start[x], tree_.to_parent.data() + tree_.below_start[x + 1]};
  }

  /// Numbers that a front with so many rows below hands on.
  static Offset handed_on(Index rows) { return Offset(rows) * (rows + 1); }

  FrontKind kind(Index x) const { return x < tree_.fronts() ? kind_[x] : sums_[x - tree_.fronts()].kind; }

  void group(Index s)
  {
    std::vector<Index> list(tree_.child.begin() + tree_.child_start[s], tree_.child.begin() + tree_.child_start[s + 1]);
    std::stable_sort(list.begin(), list.end(), [&](Index a, Index b) {
      const Places of_a = places(a), of_b = places(b);
      return kind(a) != kind(b) ? kind(a) < kind(b)
                                : std::lexicographical_compare(of_a.begin(), of_a.end(), of_b.begin(), of_b.end());
    });
    mark_.assign(tree_.columns(s) + tree_.below_rows(s), -1);
    for (FrontKind sums : {FrontKind::Warp, FrontKind::Block})
      while (most_added(s, list) > most_children && group_once(s, sums, list)) {
      }
  }

  /// How many contributions are added up one after the other: by the front, or by that tile of its diagonal in which
  /// there are most.
  Index most_added(Index s, const std::vector<Index> &list)
  {
    if (kind_[s] != FrontKind::Tiles)
      return Index(list.size());
    const Index columns = tree_.columns(s), width = DeviceFront::tile_width;
    std::vector<Index> pieces(mark_.size() / width + 2, 0);
    for (Index x : list) {
      Index last = -1;
      for (Index p : places(x)) {
        const Index tile = p < columns ? p / width : (columns + width - 1) / width + (p - columns) / width;
        pieces[tile] += tile != last;
        last = tile;
      }
    }
    return *std::max_element(pieces.begin(), pieces.end());
  }

  /// The members of groups are between their ends.
  struct Cut {
    std::vector<std::size_t> end;
    Offset numbers = 0; ///< that the sums hand on
  };

  /// Replaces groups by sums of this kind, if that makes the list clearly shorter; returns whether.
  bool group_once(Index s, FrontKind sums, std::vector<Index> &list)
  {
    const Cut cut = groups_of(sums, list);
    if (cut.end.size() * 4 > list.size() * 3 || cut.numbers > left_)
      return false;
    left_ -= cut.numbers;
    std::vector<Index> shorter;
    std::size_t begin = 0;
    for (std::size_t end : cut.end) {
      shorter.push_back(end - begin == 1 ? list[begin] : add_sum(s, &list[begin], &list[end - 1] + 1));
      begin = end;
    }
    list.swap(shorter);
    return true;
  }

  /// Groups of about equal sizes, many of one member.
  Cut groups_of(FrontKind sums, const std::vector<Index> &list)
  {
    const Index n = Index(list.size()), most = std::max(sum_children, (n + most_groups - 1) / most_groups);
    const Index groups = (n + most - 1) / most, size = (n + groups - 1) / groups;
    Cut cut;
    for (std::size_t begin = 0; begin < list.size();) {
      Index rows = 0;
      const std::size_t end = end_of_group(sums, list, begin, size, rows);
      if (end - begin >= std::size_t(least_group)) {
        cut.numbers += handed_on(rows);
        cut.end.push_back(begin = end);
      }
      while (begin < end)
        cut.end.push_back(++begin);
    }
    return cut;
  }

  /// The end of the group that begins there, and its rows.
  std::size_t end_of_group(FrontKind sums, const std::vector<Index> &list, std::size_t begin, Index size, Index &rows)
  {
    ++stamp_;
    std::size_t end = begin;
    for (; end < list.size() && end - begin < std::size_t(size) && kind(list[end]) <= sums; ++end) {
      Index with = rows;
      for (Index p : places(list[end]))
        with += mark_[p] != stamp_;
      if (kind_by_rows(0, with, block_rows_) > sums)
        break;
      rows = with;
      for (Index p : places(list[end]))
        mark_[p] = stamp_;
    }
    return std::max(end, begin + 1);
  }

  Index add_sum(Index s, const Index *begin, const Index *end)
  {
    const Index number = Index(sums_.size());
    Sum sum{s, FrontKind::Warp, -1, {}};
    for (const Index *x = begin; x < end; ++x) {
      sum.kind = std::max(sum.kind, kind(*x));
      sum.place.insert(sum.place.end(), places(*x).begin(), places(*x).end());
      (*x < tree_.fronts() ? sum_of_[*x] : sums_[*x - tree_.fronts()].parent) = number;
    }
    std::sort(sum.place.begin(), sum.place.end());
    sum.place.erase(std::unique(sum.place.begin(), sum.place.end()), sum.place.end());
    sum.kind = std::max(sum.kind, kind_by_rows(0, Index(sum.place.size()), block_rows_));
    sums_.push_back(std::move(sum));
    return tree_.fronts() + number;
  }

  const AssemblyTree &tree_;
  const Index block_rows_;
  const std::vector<FrontKind> kind_;
  std::vector<Index> sum_of_;
  std::vector<Sum> sums_;
  Offset left_ = 0;         ///< numbers that sums may still hand on
  std::vector<Index> mark_; ///< [rows of the front at hand] the last group that has the row
  Index stamp_ = 0;
};

/// The tree with the sums in it.
class SumsInTree {
public:
  SumsInTree(const AssemblyTree &tree, const Grouping &grouping) : tree_(tree), grouping_(grouping) {}

  GroupedTree make()
  {
    result_.tree.perm = tree_.perm;
    result_.tree.pair = tree_.pair;
    result_.tree.below_start.assign(1, 0);
    const std::vector<Sum> &sums = grouping_.sums();
    number_fronts();
    for (Index s = 0, k = 0; s < tree_.fronts(); ++s) {
      for (; k < Index(sums.size()) && sums[k].front == s; ++k)
        add_sum(sums[k]);
      add_front(s);
    }
    result_.tree.first.push_back(tree_.rows());
    list_children(result_.tree);
    return std::move(result_);
  }

private:
  void number_fronts()
  {
    const std::vector<Sum> &sums = grouping_.sums();
    for (Index s = 0, before = 0; s < tree_.fronts(); ++s) {
      while (before < Index(sums.size()) && sums[before].front == s)
        ++before;
      number_.push_back(s + before);
    }
  }

  /// Of a sum. Those of a front come before it, after all fronts and sums before.
  Index number_of_sum(Index k) const { return grouping_.sums()[k].front + k; }

  void add_front(Index s)
  {
    const Index sum = grouping_.sum_of(s), up = tree_.parent[s];
    add(s, s, sum >= 0 ? number_of_sum(sum) : up >= 0 ? number_[up] : -1);
    for (Offset p = tree_.below_start[s]; p < tree_.below_start[s + 1]; ++p)
      add_row(tree_.below[p], tree_.to_parent[p], sum);
  }

  void add_sum(const Sum &sum)
  {
    const Index s = sum.front, columns = tree_.columns(s);
    add(-1, s, sum.parent >= 0 ? number_of_sum(sum.parent) : number_[s]);
    for (Index p : sum.place)
      add_row(p < columns ? tree_.first[s] + p : tree_.below[tree_.below_start[s] + p - columns], p, sum.parent);
  }

  /// Adds a front without its rows, which begins where front s of the old tree does.
  void add(Index origin, Index s, Index parent)
  {
    result_.origin.push_back(origin);
    result_.tree.first.push_back(tree_.first[s]);
    result_.tree.parent.push_back(parent);
    result_.tree.below_start.push_back(result_.tree.below_start.back());
  }

  /// Adds a row below the last front, of which the place in the old tree's parent is known. sum: its parent, or -1.
  void add_row(Index row, Index place, Index sum)
  {
    if (sum >= 0) {
      const std::vector<Index> &places = grouping_.sums()[sum].place;
      place = Index(std::lower_bound(places.begin(), places.end(), place) - places.begin());
    }
    result_.tree.below.push_back(row);
    result_.tree.to_parent.push_back(place);
    ++result_.tree.below_start.back();
  }

  const AssemblyTree &tree_;
  const Grouping &grouping_;
  std::vector<Index> number_; ///< [fronts] in the new tree
  GroupedTree result_;
};

} // namespace

std::optional<GroupedTree> group_children(const AssemblyTree &tree, Index block_rows)
{
  const Grouping grouping(tree, block_rows);
  if (grouping.sums().empty())
    return std::nullopt;
  return SumsInTree(tree, grouping).make();
}

} // namespace tessera
