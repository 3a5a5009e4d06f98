#ifndef TESSERA_HOST_FRONT_FRONT_STORE_HPP
#define TESSERA_HOST_FRONT_FRONT_STORE_HPP

#include "base/bytes.hpp"
#include "base/task_loop.hpp"
#include "factor/front/front_plan.hpp"
#include "host/front/front_columns.hpp"

#include <memory>
#include <vector>

namespace tessera {

/// The fronts of a factor in memory. Where more columns are delayed to a front than its slack has room for, the front
/// has memory of its own. A Front tells of which Scalar it is and what it needs for each column that may be eliminated,
/// and takes its memory by place().
template <class Front>
class StoreOf {
public:
  explicit StoreOf(const FrontPlan &plan)
      : plan_(plan), front_(plan.tree.fronts()), own_(plan.tree.fronts()), column_at_(plan.tree.fronts() + 1, 0)
  {
    for (Index s = 0; s < plan.tree.fronts(); ++s)
      column_at_[s + 1] = column_at_[s] + plan.tree.columns(s) + plan.slack[s];
    all_.entry.resize(plan.columns_at.back());
    all_.number.resize(column_at_.back() * Front::numbers_of_column);
    all_.name.resize(column_at_.back() * Front::names_of_column);
    all_.flag.resize(column_at_.back() * Front::flags_of_column);
  }

  /// Makes front s one of `columns` columns that may be eliminated, with undefined numbers and rows. May be called for
  /// several fronts at the same time.
  Front &make(Index s, Index columns)
  {
    Front &f = front_[s];
    const Index below = plan_.tree.below_rows(s);
    f.begin(columns, below);
    if (columns <= plan_.tree.columns(s) + plan_.slack[s]) {
      own_[s].reset();
      const Offset at = column_at_[s];
      f.place(all_.entry.data() + plan_.columns_at[s], all_.number.data() + at * Front::numbers_of_column,
              all_.name.data() + at * Front::names_of_column, all_.flag.data() + at * Front::flags_of_column);
      return f;
    }
    own_[s] = std::make_unique<Memory>();
    own_[s]->entry.resize(Front::entries(columns, below));
    own_[s]->number.resize(std::size_t(columns) * Front::numbers_of_column);
    own_[s]->name.resize(std::size_t(columns) * Front::names_of_column);
    own_[s]->flag.resize(std::size_t(columns) * Front::flags_of_column);
    f.place(own_[s]->entry.data(), own_[s]->number.data(), own_[s]->name.data(), own_[s]->flag.data());
    return f;
  }
  const Front &operator[](Index s) const { return front_[s]; }
  Front &operator[](Index s) { return front_[s]; }

  /// Columns of front s that were handed to its parent.
  Index delayed(Index s) const { return front_[s].columns - front_[s].eliminated; }

  Offset bytes() const
  {
    Offset sum = all_.bytes();
    for (const auto &own : own_)
      if (own)
        sum += own->bytes();
    return sum;
  }

private:
  struct Memory {
    Buffer<typename Front::Scalar> entry;
    Buffer<typename Front::Scalar> number;
    Buffer<Index> name;
    Buffer<std::uint8_t> flag;

    Offset bytes() const { return bytes_of_all(entry, number, name, flag); }
  };

  const FrontPlan &plan_;
  std::vector<Front> front_;                 ///< [fronts]
  std::vector<std::unique_ptr<Memory>> own_; ///< [fronts] or null
  std::vector<Offset> column_at_;            ///< [fronts + 1] columns of the fronts before, slack counted
  Memory all_;
};

template <class T>
using FrontStore = StoreOf<FrontColumns<T>>;

/// Where a contribution with so many rows has the masses of these; after them come those of the columns where these
/// are others.
template <class T>
double *masses_of(T *contribution, Index rows)
{
  return reinterpret_cast<double *>(contribution + std::ptrdiff_t(rows) * rows);
}
template <class T>
const double *masses_of(const T *contribution, Index rows)
{
  return reinterpret_cast<const double *>(contribution + std::ptrdiff_t(rows) * rows);
}

} // namespace tessera
#endif
