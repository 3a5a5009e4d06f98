#ifndef TESSERA_TESTS_CONTRACTS_HPP
#define TESSERA_TESTS_CONTRACTS_HPP

// What kernels ask of the groups, teams, workers and backends of a machine, said of the host and of CUDA alike.

#include "factor/jldlt/contract.hpp"
#include "tile/group_check.hpp"

namespace tessera::test {

/// Group, Team, JacobiGroup, Worker: templates over the number of lanes.
template <template <int> class Group, template <int> class Team, template <int> class JacobiGroup,
          template <int> class Worker, class Backend, int W>
constexpr bool keep_contracts()
{
  using CheckDouble = GroupOperations<Group<W>, double>; // an error here names the operation that is missing
  using CheckFloat = GroupOperations<Group<W>, float>;
  using CheckTeam = TeamOperations<Team<W>>;
  using CheckJacobi = std::void_t<GroupOperations<JacobiGroup<W>, double>, JacobiGroupOperations<JacobiGroup<W>>>;
  using CheckWorker = JacobiWorkerOperations<Worker<W>>;
  using CheckBackend = JacobiBackendOperations<Backend>;
  return std::is_void_v<CheckDouble> && std::is_void_v<CheckFloat> && std::is_void_v<CheckTeam> &&
         std::is_void_v<CheckJacobi> && std::is_void_v<CheckWorker> && std::is_void_v<CheckBackend>;
}

/// For groups of all widths.
template <template <int> class Group, template <int> class Team, template <int> class JacobiGroup,
          template <int> class Worker, class Backend>
constexpr bool all_keep_contracts()
{
  return keep_contracts<Group, Team, JacobiGroup, Worker, Backend, 4>() &&
         keep_contracts<Group, Team, JacobiGroup, Worker, Backend, 8>() &&
         keep_contracts<Group, Team, JacobiGroup, Worker, Backend, 16>() &&
         keep_contracts<Group, Team, JacobiGroup, Worker, Backend, 32>();
}

} // namespace tessera::test
#endif
