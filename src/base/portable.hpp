#ifndef TESSERA_BASE_PORTABLE_HPP
#define TESSERA_BASE_PORTABLE_HPP

// What a source compiled for the host and for a GPU says differently. A compiler for the host sees plain inline
// functions.
//
//   TESSERA_BOTH         comes before a function that runs on the host and on the device
//   TESSERA_COLLECTIVE   comes before a kernel on tiles and all that it calls: see tile/group.hpp
//   TESSERA_COLLECTIVE_CALL the same for one that is called, because it is long and many kernels need it
//   TESSERA_UNROLL       comes before a loop over columns
//   TESSERA_ROLL         comes before a loop that is seldom needed

#ifdef __CUDACC__
#define TESSERA_BOTH __host__ __device__
#define TESSERA_COLLECTIVE __device__ __forceinline__
#define TESSERA_COLLECTIVE_CALL __device__ __noinline__
#define TESSERA_UNROLL _Pragma("unroll")
#define TESSERA_ROLL _Pragma("unroll 1")
#else
#define TESSERA_BOTH
#define TESSERA_COLLECTIVE inline __attribute__((always_inline))
#define TESSERA_COLLECTIVE_CALL
#define TESSERA_UNROLL
#define TESSERA_ROLL
#endif

#endif
