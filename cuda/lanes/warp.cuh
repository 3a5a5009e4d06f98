#ifndef TESSERA_CUDA_LANES_WARP_CUH
#define TESSERA_CUDA_LANES_WARP_CUH

#include "base/portable.hpp"

namespace tessera {

/// Threads of a thread block, whose groups have nothing to do with each other: few, so that blocks fill an SM evenly
constexpr int launch_threads = 64;

/// All lanes of a warp.
constexpr unsigned whole_warp = 0xffffffffu;

/// The n lowest bits, n <= 32.
TESSERA_COLLECTIVE unsigned first_bits(int n)
{
  return n < 32 ? (1u << n) - 1 : whole_warp;
}

/// The lane of this thread in its group of W.
template <int W>
TESSERA_COLLECTIVE int rank_in_group()
{
  return int(threadIdx.x) & (W - 1);
}

/// One bit for each lane of the group. All groups of the warp take part.
template <int W>
TESSERA_COLLECTIVE unsigned bits_of_group(bool m)
{
  const unsigned all = __ballot_sync(whole_warp, m);
  if constexpr (W == 32)
    return all;
  else
    return (all >> (threadIdx.x & 31 & ~(W - 1))) & ((1u << W) - 1);
}

/// Sign, exponent and the leading bits of the mantissa
TESSERA_COLLECTIVE int leading_word(double x)
{
  return __double2hiint(x);
}
TESSERA_COLLECTIVE int leading_word(float x)
{
  return __float_as_int(x);
}
template <class T>
TESSERA_COLLECTIVE T from_leading_word(int word)
{
  if constexpr (sizeof(T) == 8)
    return __hiloint2double(word, 0);
  else
    return __int_as_float(word);
}

} // namespace tessera
#endif
