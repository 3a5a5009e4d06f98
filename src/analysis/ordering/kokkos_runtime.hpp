#ifndef TESSERA_ANALYSIS_ORDERING_KOKKOS_RUNTIME_HPP
#define TESSERA_ANALYSIS_ORDERING_KOKKOS_RUNTIME_HPP

namespace tessera {

/// Initializes Kokkos unless the program has done so. What is initialized here is finalized when this library is
/// unloaded or the program ends; what others initialized is left to them. False when Kokkos has been finalized and
/// cannot be used any more. Not to be called by several threads at once.
bool ensure_kokkos();

} // namespace tessera
#endif
