#ifndef TESSERA_HOST_ARENA_HPP
#define TESSERA_HOST_ARENA_HPP

#include "analysis/types.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>

namespace tessera {

/// Memory handed out piece by piece and freed all at once, for one thread at a time.
class Arena {
public:
  /// Uninitialized memory of so many bytes, aligned for doubles. Throws std::bad_alloc.
  std::byte *take(Offset bytes)
  {
    bytes = (bytes + 7) / 8 * 8;
    if (bytes > left_) {
      if (bytes > chunk_ / 8) // of its own, so that at most an eighth of a chunk stays unused
        return chunks_.emplace_back(new std::byte[bytes]).get();
      next_ = chunks_.emplace_back(new std::byte[chunk_]).get();
      left_ = chunk_;
      chunk_ = std::min(2 * chunk_, most_);
    }
    std::byte *taken = next_;
    next_ += bytes;
    left_ -= bytes;
    return taken;
  }

private:
  static constexpr Offset most_ = 1 << 20;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  Offset chunk_ = 1 << 15, left_ = 0;
  std::byte *next_ = nullptr;
};

} // namespace tessera
#endif
