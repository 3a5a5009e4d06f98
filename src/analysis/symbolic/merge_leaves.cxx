#include "analysis/symbolic/merge_leaves.hpp"

#include "base/permute.hpp"
#include "base/row_starts.hpp"

#include <algorithm>
#include <numeric>

namespace tessera {
namespace {

class LeafMerger {
public:
  LeafMerger(const Supernodes &given, const Pattern &graph, const std::vector<Index> &weight, Index columns, Index rows)
      : given_(given), graph_(graph), weight_(weight), most_columns_(columns), most_rows_(rows),
        place_(inverse_permutation(given.perm)), group_(given.count(), -1), rows_(given.count(), 0),
        mark_(given.perm.size(), -1)
  {
  }

  Supernodes run(bool roots)
  {
    const Index n = given_.count(), none = n + 1; // n: no parent
    std::vector<bool> is_leaf(n, true);
    for (Index parent : given_.parent)
      if (parent >= 0)
        is_leaf[parent] = false;
    const ItemsByKey leaves = sort_by_key(0, n, none + 1, [&](Index s) {
      return !is_leaf[s] ? none : given_.parent[s] < 0 ? n : given_.parent[s];
    });
    for (Index parent = 0; parent < (roots ? n + 1 : n); ++parent)
      merge(leaves.item.data() + leaves.start[parent], leaves.item.data() + leaves.start[parent + 1]);
    return gather();
  }

private:
  Index columns(Index s) const { return given_.columns(s, weight_); }

  /// Places of the vertices below the columns of a leaf, ascending.
  std::vector<Index> below(Index s) const
  {
    std::vector<Index> places;
    for (Index k = given_.start[s]; k < given_.start[s + 1]; ++k)
      for (Offset p = graph_.start[given_.perm[k]]; p < graph_.start[given_.perm[k] + 1]; ++p)
        if (const Index place = place_[graph_.column[p]]; place >= given_.start[s + 1])
          places.push_back(place);
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
  }

  /// Groups the leaves begin .. end - 1 of a parent. A group has the number of one of them.
  void merge(const Index *begin, const Index *end)
  {
    if (end - begin < 2)
      return;
    struct Leaf {
      std::vector<Index> below;
      Index number;
    };
    std::vector<Leaf> leaves;
    for (const Index *s = begin; s < end; ++s)
      if (given_.height[*s] < most_rows_ && columns(*s) < most_columns_)
        leaves.push_back({below(*s), *s});
    std::stable_sort(leaves.begin(), leaves.end(), [](const Leaf &a, const Leaf &b) { return a.below < b.below; });
    Index first = -1, own = 0, rows = 0;
    for (const Leaf &leaf : leaves) {
      const Index more = columns(leaf.number);
      Index others = 0;
      for (Index place : leaf.below)
        others += mark_[place] == first ? 0 : weight_[given_.perm[place]];
      if (first < 0 || own + more > most_columns_ || own + more + rows + others > most_rows_) {
        first = leaf.number;
        own = rows = others = 0;
        for (Index place : leaf.below)
          others += weight_[given_.perm[place]];
      }
      for (Index place : leaf.below)
        mark_[place] = first;
      own += more;
      rows += others;
      group_[leaf.number] = first;
      rows_[first] = own + rows;
    }
  }

  /// Each group where its first supernode was.
  Supernodes gather() const
  {
    const Index n = given_.count();
    std::vector<Index> place_of(n, -1); // that a group is listed at: its least number
    for (Index s = 0; s < n; ++s)
      if (group_[s] >= 0 && place_of[group_[s]] < 0)
        place_of[group_[s]] = s;
    const auto survivor = [&](Index s) { return group_[s] < 0 ? s : place_of[group_[s]]; };
    const ItemsByKey members = sort_by_key(0, n, n, survivor);
    std::vector<Index> number(n, -1), old;
    Supernodes result;
    result.perm.reserve(given_.perm.size());
    result.start = {0};
    for (Index s = 0; s < n; ++s) {
      if (survivor(s) != s)
        continue;
      number[s] = static_cast<Index>(old.size());
      old.push_back(s);
      for (Index m = members.start[s]; m < members.start[s + 1]; ++m)
        result.perm.insert(result.perm.end(), given_.perm.begin() + given_.start[members.item[m]],
                           given_.perm.begin() + given_.start[members.item[m] + 1]);
      result.start.push_back(static_cast<Index>(result.perm.size()));
    }
    for (Index s : old) {
      result.parent.push_back(given_.parent[s] < 0 ? -1 : number[given_.parent[s]]);
      result.height.push_back(group_[s] < 0 ? given_.height[s] : rows_[group_[s]]);
    }
    return result;
  }

  const Supernodes &given_;
  const Pattern &graph_;
  const std::vector<Index> &weight_;
  const Index most_columns_, most_rows_;
  const std::vector<Index> place_; ///< [vertices] in the order of the supernodes
  std::vector<Index> group_;       ///< [supernodes] or -1
  std::vector<Index> rows_;        ///< [groups] with those below
  std::vector<Index> mark_;        ///< [places] the last group that has it below
};

} // namespace

Supernodes merge_leaves(const Supernodes &supernodes, const Pattern &graph, const std::vector<Index> &weight,
                        Index columns, Index rows, bool roots)
{
  return LeafMerger(supernodes, graph, weight, columns, rows).run(roots);
}

} // namespace tessera
