#ifndef TESSERA_CUDA_FRONT_SOLVE_SOLVE_VIEW_CUH
#define TESSERA_CUDA_FRONT_SOLVE_SOLVE_VIEW_CUH

#include "cuda/solve/solve_entries.cuh"
#include "factor/front/device/solve_plan.hpp"

namespace tessera {

/// What a sweep over the fronts reads and writes, for groups of N right-hand sides, each with vectors of its own behind
/// those of the group before: entry (i, j) of one is number i * N + j. Rows are in elimination order. Entries that
/// others wait for are unknown, as in cuda/solve/solve_entries.cuh, until they are computed; who needs them last makes
/// them unknown again.
struct FrontSweep {
  const SolveItem *item;
  unsigned *ticket, *other_ticket;      ///< the next one of this sweep, and of the other
  const double *factor;                 ///< as DeviceFront says
  const std::uint32_t *live, *negative; ///< signs of its pivots
  const std::uint32_t *swapped;         ///< pairs of columns that J exchanges
  const Index *below_row;
  const std::uint32_t *source_begin, *source; ///< as in SolvePlan
  const Index *perm;                          ///< [rows] the caller's row
  const double *scale;                        ///< [rows]
  double *handed;                             ///< [below rows of all fronts] from the child to the parent, forward
  double *z;                                  ///< [rows] Wᵀ b; unknown before the forward sweep
  double *x;                                  ///< [rows] solution; unknown before the backward sweep
  double *sums;                               ///< of parts, backward
  Offset rows, below_rows, sums_rows;         ///< of z and x, of handed, and of sums
  const double *b;                            ///< forward: the caller's right-hand sides
  double *solution;                           ///< backward: the caller's
  Offset leading;                             ///< of either
  Index columns;                              ///< right-hand sides that there are
  Index sides;                                ///< of the factor, see DeviceFront
  unsigned groups_shift;                      ///< log2 of the groups, of which the last ones may have none of them

  /// The sweep of one of the groups: its vectors, and the at most N right-hand sides that it has. Of a group that has
  /// any: the caller's may end before those of others.
  template <bool Forward, int N>
  __device__ FrontSweep of_group(unsigned group) const
  {
    FrontSweep s = *this;
    s.handed += Offset(group) * below_rows * N;
    s.z += Offset(group) * rows * N;
    s.x += Offset(group) * rows * N;
    s.sums += Offset(group) * sums_rows * N;
    if constexpr (Forward)
      s.b += Offset(group) * N * leading;
    else
      s.solution += Offset(group) * N * leading;
    s.columns = min(Index(N), columns - Index(group) * N);
    return s;
  }
};

/// The lane's number in its warp, the warp's in its thread block.
__device__ inline int lane_of_warp()
{
  return int(threadIdx.x % 32);
}
__device__ inline int warp_of_block()
{
  return int(threadIdx.x / 32);
}

/// The right-hand sides of a row, in the scale of the factor. Asked for before they are needed.
template <int N>
struct RightSides {
  double value[N] = {}, scale = 0;

  /// Makes the row's solution unknown, too.
  __device__ void load(const FrontSweep &s, Index row)
  {
    scale = __ldg(s.scale + row);
    const Index from = __ldg(s.perm + row);
#pragma unroll
    for (int j = 0; j < N; ++j) {
      value[j] = j < s.columns ? __ldg(s.b + Offset(j) * s.leading + from) : 0;
      reset(s.x + Offset(row) * N + j);
    }
  }

  /// v[j] += them
  __device__ void add(double (&v)[N]) const
  {
#pragma unroll
    for (int j = 0; j < N; ++j)
      v[j] = fma(value[j], scale, v[j]);
  }
};

/// Gives the solution in a row to the caller, in the caller's scale.
__device__ inline void deliver(const FrontSweep &s, Index row, int j, double x)
{
  if (j < s.columns)
    s.solution[Offset(j) * s.leading + __ldg(s.perm + row)] = x * __ldg(s.scale + row);
}

/// value = the solution in a row, once it is known.
template <int N>
__device__ void await_row(const double *x, double (&value)[N])
{
#pragma unroll
  for (int j = 0; j < N; ++j)
    value[j] = peek(x + j);
#pragma unroll
  for (int j = 0; j < N; ++j)
    if (pending(value[j]))
      value[j] = await(x + j);
}

/// sum[j] += what lies at sources k, k + step, ... before `end`, in this order. Makes it unknown.
template <int N>
__device__ void take_sources(const FrontSweep &s, std::uint32_t k, std::uint32_t end, std::uint32_t step,
                             double (&sum)[N])
{
  constexpr int at_once = N == 1 ? 4 : 1;
  for (; k < end; k += step * at_once) {
    double *from[at_once];
    double value[at_once][N];
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const std::uint32_t at = k + std::uint32_t(i) * step;
      from[i] = at < end ? s.handed + Offset(__ldg(s.source + at)) * N : nullptr;
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i)
#pragma unroll
      for (int j = 0; j < N; ++j)
        value[i][j] = from[i] ? peek(from[i] + j) : 0;
#pragma unroll
    for (int i = 0; i < at_once; ++i)
#pragma unroll
      for (int j = 0; j < N; ++j)
        if (from[i]) {
          sum[j] += pending(value[i][j]) ? await(from[i] + j) : value[i][j];
          reset(from[i] + j);
        }
  }
}

/// What children hand to a place.
struct Sources {
  std::uint32_t begin = 0, end = 0;

  /// None if the lane has no place.
  __device__ Sources(const FrontSweep &s, Offset place, bool has_place)
  {
    if (has_place) {
      begin = __ldg(s.source_begin + place);
      end = __ldg(s.source_begin + place + 1);
    }
  }
};

/// sum[j] += what the children of a front hand to a place. All lanes of the warp take part, each with a place of its
/// own; they share places that very many children hand to.
template <int N>
__device__ void gather(const FrontSweep &s, const Sources &sources, double (&sum)[N])
{
  constexpr std::uint32_t many = 64;
  const std::uint32_t begin = sources.begin, end = sources.end;
  if (end - begin <= many)
    take_sources<N>(s, begin, end, 1, sum);
  __syncwarp();
  for (unsigned left = __ballot_sync(~0u, end - begin > many); left != 0; left &= left - 1) {
    const int whose = __ffs(int(left)) - 1;
    const std::uint32_t from = __shfl_sync(~0u, begin, whose), to = __shfl_sync(~0u, end, whose);
    double share[N] = {};
    take_sources<N>(s, from + lane_of_warp(), to, 32, share);
    __syncwarp();
#pragma unroll
    for (int j = 0; j < N; ++j) {
      for (int step = 16; step > 0; step /= 2)
        share[j] += __shfl_xor_sync(~0u, share[j], step);
      if (lane_of_warp() == whose)
        sum[j] += share[j];
    }
  }
}

} // namespace tessera
#endif
