#ifndef TESSERA_TILE_GROUP_HOST_HPP
#define TESSERA_TILE_GROUP_HOST_HPP

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace tessera {

/// Host half of the collective layer: a group of W lanes is one core, a lane is an element of a vector of W values.
/// Lane-wise + - * / and comparisons are the compiler's; a comparison gives a mask as wide as the values, which keeps
/// masks and values in the same registers. What the operations mean is said in group.hpp.
template <int W>
struct HostGroup {
  static constexpr int width = W;

  template <class T>
  struct Vector {
    typedef T type __attribute__((vector_size(W * sizeof(T)), aligned(alignof(T)), may_alias));
  };
  template <class T>
  using lane = typename Vector<T>::type;
  template <class T>
  using mask_element = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  template <class T>
  using mask = lane<mask_element<T>>;

  template <class T>
  static lane<T> load(const T *p)
  {
    lane<T> x;
    std::memcpy(&x, p, sizeof x);
    return x;
  }

  template <class T>
  static void store(T *p, const lane<T> &x)
  {
    std::memcpy(p, &x, sizeof x);
  }
};

} // namespace tessera
#endif
