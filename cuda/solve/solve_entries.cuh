#ifndef TESSERA_CUDA_SOLVE_SOLVE_ENTRIES_CUH
#define TESSERA_CUDA_SOLVE_SOLVE_ENTRIES_CUH

#include "cuda/lanes/instructions.cuh"

#include <type_traits>

namespace tessera {

// Entries of the solution, and sums of parts, that other warps wait for

/// Whether the entry is not known yet.
__device__ inline bool pending(double x)
{
  return __double_as_longlong(x) == -1;
}

/// The entry as it is in memory now.
__device__ inline double peek(const double *x)
{
  return load_relaxed(x);
}

/// The entry, once it is known.
__device__ inline double await(const double *x)
{
  double value;
  do
    value = peek(x);
  while (pending(value));
  return value;
}

/// Likewise; asked: what peek(x) has said before.
__device__ inline double known(double asked, const double *x)
{
  if (pending(asked))
    asked = await(x);
  return asked;
}

/// Stores a computed entry for all to see; a NaN becomes one that is not the mark.
__device__ inline void publish(double *x, double value)
{
  value = value == value ? value : __longlong_as_double(0x7ff8000000000000);
  store_relaxed(x, value);
}

/// Makes the entry unknown, for the next solve.
__device__ inline void reset(double *x)
{
  *x = __longlong_as_double(-1);
}

/// Copies in words of 16 or 8 bytes.
template <class X>
__device__ X load(const X *from)
{
  using Word = std::conditional_t<alignof(X) == sizeof(uint4), uint4, uint2>;
  static_assert(sizeof(X) % sizeof(Word) == 0 && alignof(X) == sizeof(Word));
  Word words[sizeof(X) / sizeof(Word)];
#pragma unroll
  for (unsigned i = 0; i < sizeof(X) / sizeof(Word); ++i)
    words[i] = reinterpret_cast<const Word *>(from)[i];
  X x;
  memcpy(&x, words, sizeof(X));
  return x;
}

} // namespace tessera
#endif
