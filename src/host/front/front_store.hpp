#ifndef TESSERA_HOST_FRONT_FRONT_STORE_HPP
#define TESSERA_HOST_FRONT_FRONT_STORE_HPP

#include "base/task_loop.hpp"
#include "factor/front/front_plan.hpp"
#include "host/front/front_columns.hpp"

#include <memory>

namespace tessera {

/// The fronts of a factor in memory. Where more columns are delayed to a front than its slack has room for, the front
/// has memory of its own.
class FrontStore {
public:
  explicit FrontStore(const FrontPlan &plan);

  /// Makes front s one of `columns` columns that may be eliminated, with undefined numbers and rows. May be called for
  /// several fronts at the same time.
  FrontColumns &make(Index s, Index columns);
  const FrontColumns &operator[](Index s) const { return front_[s]; }
  FrontColumns &operator[](Index s) { return front_[s]; }

  Offset bytes() const;

private:
  struct OwnMemory {
    std::vector<double> numbers;
    std::vector<Index> row;
    std::vector<std::uint8_t> pair;
  };

  const FrontPlan &plan_;
  std::vector<FrontColumns> front_;             ///< [fronts]
  std::vector<std::unique_ptr<OwnMemory>> own_; ///< [fronts] or null
  std::vector<Offset> pivot_at_;                ///< [fronts + 1] place of the first pivot of each front
  Buffer<double> numbers_, d_, off_, mass_;     ///< see FrontColumns
  std::vector<Index> row_;
  std::vector<std::uint8_t> pair_;
};

} // namespace tessera
#endif
