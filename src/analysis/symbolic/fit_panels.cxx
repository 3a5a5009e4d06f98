#include "analysis/symbolic/fit_panels.hpp"

#include "base/integers.hpp"
#include "base/row_starts.hpp"

#include <algorithm>

namespace tessera {
namespace {

class PanelFitter {
public:
  PanelFitter(const Supernodes &given, const std::vector<Index> &weight, const PanelFit &fit)
      : given_(given), weight_(weight), fit_(fit), columns_(given.count(), 0), height_(given.height),
        end_(given.start.begin() + 1, given.start.end()), has_panels_(given.count(), false), way_(given.count(), 0)
  {
    for (Index s = 0; s < given.count(); ++s)
      columns_[s] = given.columns(s, weight);
  }

  Supernodes run()
  {
    const Index n = given_.count();
    const ItemsByKey children =
        sort_by_key(0, n, n + 1, [&](Index s) { return given_.parent[s] < 0 ? n : given_.parent[s]; });
    for (Index s = 0; s < n; ++s) {
      const auto begin = children.item.begin() + children.start[s], end = children.item.begin() + children.start[s + 1];
      has_panels_[s] = height_[s] > fit_.least_rows || std::any_of(begin, end, [&](Index c) { return has_panels_[c]; });
      if (!has_panels_[s])
        continue;
      std::vector<Index> order(begin, end); // the longest way gains most
      std::stable_sort(order.begin(), order.end(), [&](Index c, Index d) { return way_[c] > way_[d]; });
      for (Index c : order)
        if (has_panels_[c])
          leave_panel(c);
      for (Index c : order)
        way_[s] = std::max(way_[s], way_[c]);
      way_[s] += panels(columns_[s]);
    }
    return gather(children);
  }

private:
  Index panels(Offset columns) const { return static_cast<Index>((columns + fit_.width - 1) / fit_.width); }

  /// Operations of a front with its padding: columns come in halves of a panel, rows below in whole ones.
  double flops(Offset columns, Offset height) const
  {
    const Offset own = round_up<Offset>(columns, fit_.width / 2);
    return front_flops(double(own), double(own + round_up<Offset>(height - columns, fit_.width)));
  }

  /// Of supernode s, its last vertices, `outgoing` rows, go to the parent, and `incoming` ones come from a child.
  struct Move {
    Index s, end;
    Offset incoming, outgoing;
  };

  /// Moves the columns of the last panel of s to its parent. What does not fit in the panels there goes on to the next
  /// one. Leaves all as it is where it fits nowhere, or costs too much.
  void leave_panel(Index s)
  {
    std::vector<Move> moves;
    Index kept = panels(columns_[s]) - 1;
    if (kept == 0)
      return;
    for (Offset incoming = 0;; incoming = moves.back().outgoing) {
      moves.push_back({s, end_[s], incoming, 0});
      Move &m = moves.back();
      while (columns_[s] + incoming - m.outgoing > Offset(kept) * fit_.width) {
        if (m.end == given_.start[s])
          return;
        m.outgoing += weight_[given_.perm[--m.end]];
      }
      if (m.outgoing == 0)
        break;
      s = given_.parent[s];
      if (s < 0)
        return;
      kept = panels(columns_[s]);
    }
    double more = 0;
    for (const Move &m : moves)
      more += flops(columns_[m.s] + m.incoming - m.outgoing, height_[m.s] + m.incoming) -
              flops(columns_[m.s], height_[m.s]);
    if (more > fit_.flops)
      return;
    for (const Move &m : moves) {
      columns_[m.s] += m.incoming - m.outgoing;
      height_[m.s] += m.incoming;
      end_[m.s] = m.end;
    }
    --way_[moves[0].s];
  }

  /// What is moved to a parent comes before its own columns.
  Supernodes gather(const ItemsByKey &children) const
  {
    Supernodes result;
    result.parent = given_.parent;
    result.height = height_;
    result.perm.reserve(given_.perm.size());
    result.start = {0};
    const auto take = [&](Index begin, Index end) {
      result.perm.insert(result.perm.end(), given_.perm.begin() + begin, given_.perm.begin() + end);
    };
    for (Index s = 0; s < given_.count(); ++s) {
      for (Index k = children.start[s]; k < children.start[s + 1]; ++k)
        take(end_[children.item[k]], given_.start[children.item[k] + 1]);
      take(given_.start[s], end_[s]);
      result.start.push_back(static_cast<Index>(result.perm.size()));
    }
    return result;
  }

  const Supernodes &given_;
  const std::vector<Index> &weight_;
  const PanelFit &fit_;
  std::vector<Offset> columns_, height_; ///< [supernodes] rows
  std::vector<Index> end_;               ///< [supernodes] of the vertices that stay
  std::vector<bool> has_panels_;
  std::vector<Index> way_; ///< [supernodes] panels on the longest way from a leaf
};

} // namespace

Supernodes fit_panels(const Supernodes &supernodes, const std::vector<Index> &weight, const PanelFit &fit)
{
  return PanelFitter(supernodes, weight, fit).run();
}

} // namespace tessera
