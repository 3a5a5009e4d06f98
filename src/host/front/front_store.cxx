#include "host/front/front_store.hpp"

#include <numeric>

namespace tessera {

FrontStore::FrontStore(const FrontPlan &plan)
    : plan_(plan), front_(plan.tree.fronts()), own_(plan.tree.fronts()), pivot_at_(plan.tree.fronts() + 1, 0)
{
  for (Index s = 0; s < plan.tree.fronts(); ++s)
    pivot_at_[s + 1] = pivot_at_[s] + plan.tree.columns(s) + plan.slack[s];
  numbers_.resize(plan.columns_at.back());
  d_.resize(pivot_at_.back());
  off_.resize(pivot_at_.back());
  mass_.resize(pivot_at_.back());
  row_.resize(pivot_at_.back());
  pair_.resize(pivot_at_.back());
}

FrontColumns &FrontStore::make(Index s, Index columns)
{
  FrontColumns &f = front_[s];
  f.columns = columns;
  f.rows = columns + plan_.tree.below_rows(s);
  f.eliminated = f.zero = 0;
  f.uncertain.clear();
  if (columns <= plan_.tree.columns(s) + plan_.slack[s]) {
    own_[s].reset();
    f.a = numbers_.data() + plan_.columns_at[s];
    f.d = d_.data() + pivot_at_[s];
    f.off = off_.data() + pivot_at_[s];
    f.mass = mass_.data() + pivot_at_[s];
    f.row = row_.data() + pivot_at_[s];
    f.pair = pair_.data() + pivot_at_[s];
    return f;
  }
  own_[s] = std::make_unique<OwnMemory>();
  const std::size_t size = std::size_t(f.rows) * columns;
  own_[s]->numbers.resize(size + 3 * std::size_t(columns));
  own_[s]->row.resize(columns);
  own_[s]->pair.resize(columns);
  f.a = own_[s]->numbers.data();
  f.d = f.a + size;
  f.off = f.d + columns;
  f.mass = f.off + columns;
  f.row = own_[s]->row.data();
  f.pair = own_[s]->pair.data();
  return f;
}

Offset FrontStore::bytes() const
{
  Offset bytes = Offset(numbers_.size() + d_.size() + off_.size() + mass_.size()) * Offset(sizeof(double)) +
                 Offset(row_.size() * (sizeof(Index) + 1));
  for (const auto &own : own_)
    if (own)
      bytes += Offset(own->numbers.size() * sizeof(double));
  return bytes;
}

} // namespace tessera
