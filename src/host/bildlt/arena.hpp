#ifndef TESSERA_HOST_BILDLT_ARENA_HPP
#define TESSERA_HOST_BILDLT_ARENA_HPP

#include "base/types.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <new>

namespace tessera {

/// Memory that one run of several threads leaves to the next: a region as large as what the last run took.
class Reserve {
public:
  /// Forgets what was taken. Allocates the region anew if the last run took more than it has or less than half; `room`
  /// is what runs may differ by beside a sixteenth.
  void begin_run(Offset room)
  {
    const Offset taken = taken_.exchange(0);
    if (taken <= size_ && 2 * taken + room >= size_)
      return;
    region_.reset();
    size_ = taken + taken / 16 + room;
    region_.reset(new (std::nothrow) std::byte[size_]);
    if (!region_)
      size_ = 0; // the arenas allocate for themselves
  }

  /// A piece of the region, or null when it is used up. To be called by any thread.
  std::byte *take(Offset bytes)
  {
    const Offset end = taken_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    return end <= size_ ? region_.get() + end - bytes : nullptr;
  }

private:
  std::unique_ptr<std::byte[]> region_; ///< [size_]
  Offset size_ = 0;
  std::atomic<Offset> taken_{0};
};

/// Memory handed out piece by piece and freed all at once, for one thread at a time.
class Arena {
public:
  explicit Arena(Reserve &reserve) : reserve_(&reserve) {}

  /// Uninitialized memory of so many bytes, aligned for doubles. Throws std::bad_alloc.
  std::byte *take(Offset bytes)
  {
    bytes = (bytes + 7) / 8 * 8;
    bytes_ += bytes;
    if (bytes > left_) {
      if (bytes > chunk_ / 8) // of its own, so that at most an eighth of a chunk stays unused
        return allocate(bytes);
      next_ = allocate(chunk_);
      left_ = chunk_;
      if (!chunks_.empty())
        chunk_ = std::min(2 * chunk_, most_);
    }
    std::byte *taken = next_;
    next_ += bytes;
    left_ -= bytes;
    return taken;
  }

  Offset bytes() const { return bytes_; } ///< handed out

  static constexpr Offset first_chunk = 1 << 15; ///< larger ones follow where the reserve is used up

private:
  std::byte *allocate(Offset bytes)
  {
    if (std::byte *piece = reserve_->take(bytes))
      return piece;
    return chunks_.emplace_back(new std::byte[bytes]).get();
  }

  static constexpr Offset most_ = 1 << 20;
  Reserve *reserve_;
  std::vector<std::unique_ptr<std::byte[]>> chunks_; ///< what the reserve had no room for
  Offset chunk_ = first_chunk, left_ = 0, bytes_ = 0;
  std::byte *next_ = nullptr;
};

/// The memory of a factor that threads compute together, and compute again.
class FactorMemory {
public:
  /// Frees all pieces, for a run of so many threads. What the last run used is kept for it.
  void begin_run(int threads)
  {
    arenas_.clear();
    reserve_.begin_run(threads * Arena::first_chunk);
    for (int thread = 0; thread < threads; ++thread)
      arenas_.emplace_back(reserve_);
  }

  Arena &of_thread(int thread) { return arenas_[thread]; }

  /// That all pieces take. What is held beside them for the next run and for more pieces, a sixteenth and a chunk a
  /// thread, differs from run to run with what each thread computes, and does not count.
  Offset bytes() const
  {
    Offset sum = 0;
    for (const Arena &arena : arenas_)
      sum += arena.bytes();
    return sum;
  }

private:
  Reserve reserve_;
  std::vector<Arena> arenas_; ///< [threads]
};

} // namespace tessera
#endif
