#ifndef TESSERA_FACTOR_WIDTH_HPP
#define TESSERA_FACTOR_WIDTH_HPP

#include "factor/views.hpp"
#include "tile/group.hpp"

#include <type_traits>

namespace tessera {

/// Runs f with the narrowest group of 4 .. Most lanes that holds the rows.
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

} // namespace tessera
#endif
