#ifndef TESSERA_EMULATION_THREADS_HPP
#define TESSERA_EMULATION_THREADS_HPP

#include "emulation/runtime_types.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

namespace tessera {
namespace emulation {

/// The CUDA thread that runs now in this thread of the process, as far as a kernel sees it.
struct ThreadIndex {
  uint3 thread, block;
  dim3 grid, block_size;
};
extern thread_local ThreadIndex here;

/// What the lanes of a meeting bring; all have to call for the same.
enum class Call : unsigned char { None, Sync, Shuffle, Vote };

/// What came of a meeting of lanes. It stays until the lane's next one.
struct Met {
  unsigned lanes;        ///< of the mask that have not left the kernel
  std::uint64_t own[32]; ///< number of each lane; no_number of one that was not there
};
constexpr std::uint64_t no_number = 0xfff8deadfff8deadu; ///< a NaN as one double or two floats

/// A lane's number meets those of the other lanes of the mask.
const Met &meet(unsigned mask, Call call, std::uint64_t number);

/// How many threads of the thread block say yes, when all have come.
int meet_in_block(bool yes);

/// Lets others run: for a thread that waits for what another one is to write.
void let_others_run();

/// Shared memory that the launch has asked for.
void *shared_memory();

/// Copies that a copy engine has begun: they are made when a thread waits, as late as can be.
void begin_copy(void *to, const void *from, unsigned bytes, int *arrived);
void end_copies();

/// Queues work on a stream: it is done when somebody waits for it, or recorded.
void queue(cudaStream_t stream, std::function<void()> work);

/// Runs a kernel: all threads of all thread blocks, some blocks at the same time, begun in their order.
void run_grid(dim3 blocks, unsigned threads, std::size_t shared, const std::function<void()> &kernel);

} // namespace emulation
} // namespace tessera
#endif
