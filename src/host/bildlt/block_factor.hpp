#ifndef TESSERA_HOST_BILDLT_BLOCK_FACTOR_HPP
#define TESSERA_HOST_BILDLT_BLOCK_FACTOR_HPP

#include "factor/bildlt/block_report.hpp"
#include "factor/bildlt/options.hpp"
#include "factor/bildlt/schedule.hpp"
#include "factor/bildlt/views.hpp"
#include "host/bildlt/arena.hpp"

namespace tessera {

/// Storage of a block factor on the host; shapes as in FactorView.
template <class T>
struct HostBlockFactor {
  explicit HostBlockFactor(const BlockStructure &structure);

  FactorView<T> view();
  Offset bytes() const;

  std::vector<Offset> inverse_start;
  std::vector<double> inverse, d, e;
  std::vector<Index> first;
  std::vector<T *> value;
  std::vector<std::uint8_t *> column;
  FactorMemory memory; ///< where `value` and `column` point to
  Offset entries = 0;
};

/// Structure as plain pointers into it.
StructureView view_of(const BlockStructure &structure);

/// Cuts a structure's work for the host.
Schedule make_host_schedule(const BlockStructure &structure);

/// Block incomplete LDLᵀ (thesis Alg. 9) of the matrix whose values are a [entries of the caller], placed as the
/// structure's value map says. Overwrites factor, which may hold an earlier one of the same structure.
template <class T>
BlockFactorReport factor_on_host(const BlockStructure &structure, const Schedule &schedule, const double *a,
                                 const FactorOptions &options, HostBlockFactor<T> &factor);

} // namespace tessera
#endif
