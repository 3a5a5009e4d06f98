#ifndef TESSERA_HOST_LANES_TEAM_HOST_HPP
#define TESSERA_HOST_LANES_TEAM_HOST_HPP

#include "host/lanes/group_host.hpp"

#include <algorithm>
#include <limits>

namespace tessera {

/// Host half of a team (tile/group.hpp): one group, which does everything itself.
template <int W>
struct HostTeam : HostGroup<W> {
  /// Columns that are worked on together: one load of the weights serves them, their sums fit the registers
  static constexpr int columns_at_once = HostGroup<W>::template strip<double>::width > 8 ? 2 : 4;

  static int first_item() { return 0; }
  static int item_step() { return 1; }
  static int group() { return 0; }
  static int groups() { return 1; }
  static float largest(const typename HostGroup<W>::template lane<double> &magnitude)
  {
    const double most = HostGroup<W>::max_of(magnitude);
    const float rounded = static_cast<float>(most);
    return most > 0 ? std::max(rounded, std::numeric_limits<float>::denorm_min()) : rounded;
  }
};

} // namespace tessera
#endif
