#include "analysis/ordering/kokkos_runtime.hpp"

#include <Kokkos_Core.hpp>

namespace tessera {
namespace {

/// Finalizes Kokkos if it was initialized here and nobody else has finalized it since.
struct Finalizer {
  bool owner = false;
  ~Finalizer()
  {
    if (owner && Kokkos::is_initialized())
      Kokkos::finalize();
  }
};

} // namespace

bool ensure_kokkos()
{
  static Finalizer finalizer;
  if (Kokkos::is_initialized())
    return true;
#if KOKKOS_VERSION >= 30700
  if (Kokkos::is_finalized())
    return false;
#endif
  Kokkos::initialize();
  finalizer.owner = true;
  return true;
}

} // namespace tessera
