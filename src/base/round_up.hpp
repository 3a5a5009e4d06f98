#ifndef TESSERA_BASE_ROUND_UP_HPP
#define TESSERA_BASE_ROUND_UP_HPP

namespace tessera {

/// n, or the next multiple of `to`.
template <class Integer>
constexpr Integer round_up(Integer n, Integer to)
{
  return (n + to - 1) / to * to;
}

} // namespace tessera
#endif
