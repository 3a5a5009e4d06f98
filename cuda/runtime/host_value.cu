#include "cuda/runtime/host_value.cuh"

#include "factor/operator.hpp"

namespace tessera {

void free_pinned_memory()
{
  PinnedPieces::all().free_unused();
}

} // namespace tessera
