#ifndef TESSERA_HOST_MEMORY_HPP
#define TESSERA_HOST_MEMORY_HPP

#include <unistd.h>

namespace tessera {

/// Memory of the machine, in bytes.
inline double host_memory()
{
  return double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
}

} // namespace tessera
#endif
