#include "host/lu/column_pivot.hpp"
#include "host/lu/eliminate_lu.hpp"
#include "host/lu/lu_block.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tessera {
namespace {

constexpr Index panel_columns = 16; ///< of a panel, in which pivots are eliminated one after the other

/// Panels whose pivots are searched for in all own rows that are left.
template <class T>
class ColumnLu : LuBlock<T> {
public:
  ColumnLu(LuFront<T> &front, const DirectOptions &options, bool parallel) : LuBlock<T>(front, options, parallel) {}

  /// Tries each column once.
  void try_all()
  {
    Index end = f_.columns; // columns from here on have failed
    while (f_.eliminated < end) {
      Index failed =
          this->eliminate_block(end, panel_columns, [this](Index panel_end) { return eliminate_panel(panel_end); });
      for (; failed > 0; --failed)
        f_.exchange_columns(f_.eliminated + failed - 1, --end);
    }
  }

private:
  using LuBlock<T>::f_;
  using LuBlock<T>::options_;
  using LuBlock<T>::is_shared;

  /// Eliminates columns up to panel_end. Returns how many of them have no pivot: the last ones, up to date.
  Index eliminate_panel(Index panel_end)
  {
    const Index begin = f_.eliminated;
    Index end = panel_end;
    exchanged_.clear();
    while (f_.eliminated < end) {
      const Index k = f_.eliminated;
      const LargestOfColumn largest = largest_of_column(f_, k);
      if (!is_pivot(largest, f_, k, options_)) {
        f_.exchange_columns(k, --end);
        continue;
      }
      f_.uncertain += is_uncertain(largest.own, f_.row_mass[largest.row], f_.column_mass[k], options_);
      if (largest.row != k)
        exchange_in_panel(k, largest.row, begin, panel_end);
      eliminate_column(f_, panel_end);
      ++f_.eliminated;
    }
    exchange_outside(begin, panel_end);
    return panel_end - end;
  }

  /// Exchanges rows, of which the own columns outside of the panel follow when all of its pivots are known.
  void exchange_in_panel(Index i, Index j, Index begin, Index panel_end)
  {
    for (Index c = begin; c < panel_end; ++c)
      std::swap(*f_.at(i, c), *f_.at(j, c));
    f_.exchange_right(i, j);
    exchanged_.emplace_back(i, j);
  }

  void exchange_outside(Index begin, Index panel_end)
  {
    if (exchanged_.empty())
      return;
    for_chunks_of_rows(0, f_.columns, is_shared(exchanged_.size()), [&](Index c0, Index c1) {
      for (Index c = c0; c < c1; ++c)
        if (c < begin || c >= panel_end)
          for (const auto &[i, j] : exchanged_)
            std::swap(*f_.at(i, c), *f_.at(j, c));
    });
  }

  std::vector<std::pair<Index, Index>> exchanged_; ///< rows, in this panel
};

} // namespace

template <class T>
void eliminate_lu_by_columns(LuFront<T> &front, const DirectOptions &options, bool parallel)
{
  ColumnLu<T> columns(front, options, parallel);
  Index before;
  do {
    before = front.eliminated;
    columns.try_all();
  } while (front.eliminated - before > lu_small_columns && front.columns - front.eliminated > lu_small_columns);
}

template void eliminate_lu_by_columns(LuFront<double> &, const DirectOptions &, bool);
template void eliminate_lu_by_columns(LuFront<Complex> &, const DirectOptions &, bool);

} // namespace tessera
