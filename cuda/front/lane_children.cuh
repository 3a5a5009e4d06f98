#ifndef TESSERA_CUDA_FRONT_LANE_CHILDREN_CUH
#define TESSERA_CUDA_FRONT_LANE_CHILDREN_CUH

#include "cuda/front/front_arrays.cuh"
#include "cuda/lanes/instructions.cuh"
#include "cuda/lanes/warp.cuh"

namespace tessera {

/// What a child of kind Warp or Block hands on: a square, column-major, of which LDLᵀ uses the lower triangle, and
/// after it the masses of its rows, and for LU of its columns.
struct HandedOn {
  Index rows = 0;            ///< and columns
  const Index *to = nullptr; ///< [rows] places in the parent
  const double *b = nullptr; ///< [rows + 1, rows], for LU [rows + 2, rows]
};

/// Up to 32 children of a front, one a lane. Where they hand on is read for all of them at once, and may be read before
/// they have done so.
class LaneChildren {
public:
  /// Those from number `begin` of FrontArrays::child on, at most up to `end`.
  __device__ __forceinline__ LaneChildren(const FrontArrays &arrays, Index begin, Index end)
      : to_parent_(arrays.to_parent), contribution_(arrays.contribution), count_(min(32, end - begin))
  {
    const int lane = threadIdx.x & 31;
    if (lane >= count_)
      return;
    const DeviceFront &child = arrays.front[arrays.child[begin + lane]];
    rows_ = child.below;
    to_ = child.below_begin;
    b_ = child.contribution.begin;
  }

  __device__ __forceinline__ int count() const { return count_; }

  /// Child c. All lanes of the warp ask for the same one.
  __device__ __forceinline__ HandedOn get(int c) const
  {
    return {__shfl_sync(whole_warp, rows_, c), to_parent_ + __shfl_sync(whole_warp, to_, c),
            contribution_ + __shfl_sync(whole_warp, b_, c)};
  }

private:
  const Index *to_parent_;
  const double *contribution_;
  int count_;
  Index rows_ = 0;
  Offset to_ = 0, b_ = 0;
};

/// Calls add(part) for all parts of what children hand on, in their order. The next parts are asked for before that,
/// because one takes as long to come as several take to add. All lanes of the warp take part.
///
/// A Part::Place is the first part's at first; its next(rows) goes to the next one and returns whether there is one.
/// Part::load(child, place) asks for a part.
template <class Part, class Add>
__device__ __forceinline__ void add_in_order(const LaneChildren &children, const Add &add)
{
  constexpr int ahead = 3;
  Part part[ahead];
  bool asked[ahead];
  int number = 0;
  HandedOn child = children.get(0);
  typename Part::Place place;
#pragma unroll 1
  for (bool first = true;; first = false)
#pragma unroll
    for (int q = 0; q < ahead; ++q) { // unrolled: the parts are in registers
      if (!first) {
        if (!asked[q])
          return;
        add(part[q]);
      }
      asked[q] = number < children.count();
      if (!asked[q])
        continue;
      part[q].load(child, place);
      if (place.next(child.rows))
        continue;
      place = {};
      if (++number < children.count())
        child = children.get(number);
    }
}

/// Waits until the children of front s have handed on, and calls add(children) for them, up to 32 at a time. Where they
/// do is read before. wait(): waits for the count of arrivals, for all threads.
template <class Wait, class Add>
__device__ __forceinline__ void for_children(const FrontArrays &arrays, const DeviceFront &f, const Wait &wait,
                                             const Add &add)
{
  if (f.child_begin == f.child_end)
    return;
  LaneChildren children(arrays, f.child_begin, f.child_end);
  wait();
  for (Index c = f.child_begin;;) {
    add(children);
    c += 32;
    if (c >= f.child_end)
      return;
    children = LaneChildren(arrays, c, f.child_end);
  }
}

} // namespace tessera
#endif
