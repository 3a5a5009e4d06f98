#ifndef TESSERA_TILE_PORTABLE_HPP
#define TESSERA_TILE_PORTABLE_HPP

/// TESSERA_BOTH marks a function that runs on the host and on the device; a host compiler sees nothing.
#ifdef __CUDACC__
#define TESSERA_BOTH __host__ __device__
#else
#define TESSERA_BOTH
#endif

#endif
