/*
   The part of a node's memory that is a process' own.
*/
#include "pc/memory_share.hpp"

#include <algorithm>

namespace {

constexpr double automaticShare = 0.5; ///< of what this process may use: the rest is for matrix, vectors and analysis

PetscMPIInt processesOfNode = 1, processesOfDevice = 1;

/// Processes that share a device if those of a node are spread evenly over all devices that any of them sees, as PETSc
/// does it.
PetscErrorCode CountProcessesOfDevice(MPI_Comm node)
{
  std::vector<std::uint64_t> own, all;
  std::vector<PetscMPIInt> count, first;
  PetscMPIInt n;

  PetscFunctionBegin;
  PetscCallCXX(own = tessera::visible_cuda_devices());
  PetscCall(PetscMPIIntCast(own.size(), &n));
  PetscCallCXX(count.resize(processesOfNode));
  PetscCallCXX(first.assign(processesOfNode + 1, 0));
  PetscCallMPI(MPI_Allgather(&n, 1, MPI_INT, count.data(), 1, MPI_INT, node));
  for (PetscMPIInt p = 0; p < processesOfNode; p++)
    first[p + 1] = first[p] + count[p];
  PetscCallCXX(all.resize(first.back()));
  PetscCallMPI(MPI_Allgatherv(own.data(), n, MPIU_INT64, all.data(), count.data(), first.data(), MPIU_INT64, node));
  std::sort(all.begin(), all.end());
  const PetscMPIInt devices = PetscMPIInt(std::unique(all.begin(), all.end()) - all.begin());
  processesOfDevice = devices > 0 ? (processesOfNode + devices - 1) / devices : 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PCFactoredCountProcesses()
{
  MPI_Comm node;

  PetscFunctionBegin;
  processesOfNode = processesOfDevice = 1;
  PetscCallMPI(MPI_Comm_split_type(PETSC_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  PetscCallMPI(MPI_Comm_size(node, &processesOfNode));
  if (processesOfNode > 1)
    PetscCall(CountProcessesOfDevice(node));
  PetscCallMPI(MPI_Comm_free(&node));
  PetscCall(PetscInfo(nullptr, "Memory is shared by %d processes on this node, by %d on a GPU\n", processesOfNode,
                      processesOfDevice));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double PCFactoredMemoryLimit(PCFactored &factored, PetscReal megabytes)
{
  const tessera::FactoredOperator &factorization = *factored.applied();
  const bool on_device = factorization.place() == tessera::Place::Device;

  factored.memory_limit =
      megabytes >= 0 ? 1e6 * megabytes
                     : automaticShare * factorization.share_of_memory(on_device ? processesOfDevice : processesOfNode);
  return factored.memory_limit;
}
