#ifndef TESSERA_FACTOR_WIDTH_HPP
#define TESSERA_FACTOR_WIDTH_HPP

#include "base/portable.hpp"
#include "base/types.hpp"

#include <type_traits>

// Groups of 4, 8, 16 or 32 lanes work on blocks of rows; a block belongs to the narrowest group that holds it.

namespace tessera {

constexpr Index max_block_rows = 32;

/// Width classes: groups of class w have 4 << w lanes.
constexpr int width_classes = 4;

/// Lanes of the group that works on a block of so many rows.
TESSERA_BOTH constexpr int group_width(Index rows)
{
  return rows <= 4 ? 4 : rows <= 8 ? 8 : rows <= 16 ? 16 : 32;
}

/// Its class.
constexpr int width_class(Index rows)
{
  return rows <= 4 ? 0 : rows <= 8 ? 1 : rows <= 16 ? 2 : 3;
}

/// Runs f with the narrowest group of 4 .. Most lanes that holds the rows, as an integral constant.
template <int Most = max_block_rows, class F>
TESSERA_COLLECTIVE void with_width(Index rows, const F &f)
{
  if (Most <= 4 || rows <= 4)
    f(std::integral_constant<int, 4>());
  else if (Most <= 8 || rows <= 8)
    f(std::integral_constant < int, Most<8 ? Most : 8>());
  else if (Most <= 16 || rows <= 16)
    f(std::integral_constant < int, Most<16 ? Most : 16>());
  else
    f(std::integral_constant<int, Most>());
}

/// What f returns for the narrowest width that the largest block of a structure has room in; for the host.
template <class F>
auto with_width_of_largest(Index rows, const F &f)
{
  return rows <= 4    ? f(std::integral_constant<int, 4>())
         : rows <= 8  ? f(std::integral_constant<int, 8>())
         : rows <= 16 ? f(std::integral_constant<int, 16>())
                      : f(std::integral_constant<int, 32>());
}

/// action(w) for the width classes in ascending order, as integral constants.
template <class Action>
void each_width_class(const Action &action)
{
  action(std::integral_constant<int, 0>());
  action(std::integral_constant<int, 1>());
  action(std::integral_constant<int, 2>());
  action(std::integral_constant<int, 3>());
}

} // namespace tessera
#endif
