#ifndef TESSERA_CUDA_FRONT_LANE_CHILDREN_CUH
#define TESSERA_CUDA_FRONT_LANE_CHILDREN_CUH

#include "cuda/front/front_arrays.cuh"
#include "cuda/lanes/signals.cuh"
#include "cuda/lanes/warp.cuh"

namespace tessera {

/// What a child of kind Warp or Block hands on: a square, column-major, of which LDLᵀ uses the lower triangle, and
/// after it the masses of its rows, and for LU of its columns.
struct HandedOn {
  Index rows = 0;            ///< and columns
  const Index *to = nullptr; ///< [rows] places in the parent
  const double *b = nullptr; ///< [rows + 1, rows], for LU [rows + 2, rows]
};

/// Up to 32 children of a front of kind Warp or Block, one a lane. Where they hand on is read for all of them at once,
/// and may be read before they have done so.
class LaneChildren {
public:
  /// Those from number `begin` of FrontArrays::child on, at most up to `end`.
  __device__ __forceinline__ LaneChildren(const FrontArrays &arrays, Index begin, Index end)
      : to_parent_(arrays.to_parent), contribution_(arrays.memory), count_(min(32, end - begin))
  {
    const int lane = threadIdx.x & 31;
    if (lane >= count_)
      return;
    const Index number = arrays.child[begin + lane];
    const DeviceFront &child = arrays.front[number];
    count_of_child_ = arrays.arrived + number;
    rows_ = child.below;
    to_ = child.below_begin;
    b_ = child.contribution.begin;
  }

  __device__ __forceinline__ int count() const { return count_; }

  /// How many children, from the first one on, have handed on. All lanes of the warp ask, and see what these wrote.
  __device__ __forceinline__ int ready()
  {
    if (count_of_child_ && has_count(count_of_child_, 1)) {
      count_of_child_ = nullptr;
      has_handed_on_ = true;
    }
    const unsigned others = __ballot_sync(whole_warp, !has_handed_on_);
    __syncwarp(); // what the lane of a child has seen, all see
    return others ? __ffs(int(others)) - 1 : 32;
  }

  /// Child c. All lanes of the warp ask for the same one.
  __device__ __forceinline__ HandedOn get(int c) const
  {
    return {__shfl_sync(whole_warp, rows_, c), to_parent_ + __shfl_sync(whole_warp, to_, c),
            contribution_ + __shfl_sync(whole_warp, b_, c)};
  }

private:
  const Index *to_parent_;
  const double *contribution_;
  const int *count_of_child_ = nullptr; ///< the one it raises, until it has
  bool has_handed_on_ = false;
  int count_;
  Index rows_ = 0;
  Offset to_ = 0, b_ = 0;
};

/// Calls add(part) for all parts of what children hand on, in the order of the children, as soon as these have. The
/// next parts are asked for before that, because one takes as long to come as several take to add. All lanes of the
/// warp take part.
///
/// A Part::Place is the first part's at first; its next(rows) goes to the next one and returns whether there is one.
/// Part::load(child, place) asks for a part.
template <class Part, class Add>
__device__ __forceinline__ void add_in_order(LaneChildren &children, const Add &add)
{
  constexpr int ahead = 3;
  Part part[ahead];
  bool asked[ahead] = {};
  int number = 0, ready = 0, on_their_way = 0;
  HandedOn child;
  typename Part::Place place;
  bool begins = true; // the child
#pragma unroll 1
  for (;;)
#pragma unroll
    for (int q = 0; q < ahead; ++q) { // unrolled: the parts are in registers
      if (asked[q]) {
        add(part[q]);
        --on_their_way;
      }
      asked[q] = false;
      if (number == children.count()) {
        if (on_their_way == 0)
          return;
        continue;
      }
      while (number >= ready) {
        ready = children.ready();
        if (on_their_way > 0)
          break; // which come first
      }
      if (number >= ready)
        continue;
      if (begins)
        child = children.get(number);
      part[q].load(child, place);
      asked[q] = true;
      ++on_their_way;
      begins = !place.next(child.rows);
      if (begins) {
        place = {};
        ++number;
      }
    }
}

/// Calls add(children) for the children of front s, up to 32 at a time. Where they hand on is read at once.
template <class Add>
__device__ __forceinline__ void for_children(const FrontArrays &arrays, const DeviceFront &f, const Add &add)
{
  for (Index c = f.child_begin; c < f.child_end; c += 32) {
    LaneChildren children(arrays, c, f.child_end);
    add(children);
  }
}

} // namespace tessera
#endif
