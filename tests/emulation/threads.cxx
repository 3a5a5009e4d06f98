#include "emulation/threads.hpp"

#include <algorithm>
#include <atomic>
#include <boost/context/fiber.hpp>
#include <boost/context/preallocated.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <new>
#include <random>
#include <sys/mman.h>
#include <system_error>
#include <thread>
#include <vector>

namespace tessera {
namespace emulation {

thread_local ThreadIndex here;

namespace {

using Fiber = boost::context::fiber;

/// A CUDA thread: a fiber of a thread of the process.
struct CudaThread {
  Fiber inside, outside; ///< its own stack, and that of who resumed it
  ThreadIndex index;
};

/// Memory of stacks, for the thread blocks that a thread of the process runs one after the other. Below each is a page
/// that nobody may touch, so that an overflow ends the process.
class Stacks {
public:
  static constexpr std::size_t bytes = std::size_t(256) << 10; ///< of a stack: kernels are inlined into few functions

  char *operator[](std::size_t i)
  {
    while (stack_.size() <= i)
      stack_.push_back(map());
    return stack_[i];
  }

  ~Stacks()
  {
    for (char *stack : stack_)
      munmap(stack - guard, guard + bytes);
  }

private:
  static constexpr std::size_t guard = std::size_t(64) << 10; ///< whole pages on every machine

  static char *map()
  {
    void *const memory = mmap(nullptr, guard + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      throw std::bad_alloc();
    if (mprotect(memory, guard, PROT_NONE) != 0)
      throw std::system_error(errno, std::generic_category(), "protecting a stack");
    return static_cast<char *>(memory) + guard;
  }

  std::vector<char *> stack_;
};

/// A stack allocator that frees nothing: Stacks does.
struct KeptStack {
  void deallocate(boost::context::stack_context &) {}
};

[[noreturn]] void fail(const char *what)
{
  std::fprintf(stderr, "emulated CUDA: %s (thread block %u, thread %u)\n", what, here.block.x, here.thread.x);
  std::abort();
}

/// Lanes that meet under one mask.
struct Meeting {
  unsigned mask = 0;
  unsigned arrived = 0, waiting = 0;
  unsigned times = 0; ///< that they have met
  Call call = Call::None;
  Met met[2];
};

struct Warp {
  unsigned left = 0; ///< lanes that have left the kernel, or never were
  std::deque<Meeting> meetings;

  Meeting &of(unsigned mask)
  {
    for (Meeting &m : meetings)
      if (m.mask == mask)
        return m;
    meetings.emplace_back().mask = mask;
    return meetings.back();
  }
};

/// A thread block that runs. Its threads take turns; one goes on until it has to wait.
class Block {
public:
  Block(dim3 grid, unsigned block_x, unsigned block_y, unsigned threads, std::size_t shared, Stacks &stacks,
        const std::function<void()> &kernel)
      : threads_(threads), warps_((threads + 31) / 32), shared_(shared + 128, char(0xff))
  {
    for (unsigned i = 0; i < threads; ++i) {
      threads_[i].index = {{i, 0, 0}, {block_x, block_y, 0}, grid, dim3(threads)};
      char *const stack = stacks[i];
      boost::context::stack_context context;
      context.size = Stacks::bytes;
      context.sp = stack + Stacks::bytes;
      threads_[i].inside = Fiber(std::allocator_arg, boost::context::preallocated(context.sp, context.size, context),
                                 KeptStack(), [this, i, &kernel](Fiber &&outside) {
                                   threads_[i].outside = std::move(outside);
                                   kernel();
                                   leave(i);
                                   return std::move(threads_[i].outside);
                                 });
      ready_.push_back(i);
    }
    if (threads % 32 != 0)
      warps_.back().left = ~0u << threads % 32;
  }

  void run()
  {
    while (!ready_.empty()) {
      const unsigned i = take();
      running_ = i;
      here = threads_[i].index;
      threads_[i].inside = std::move(threads_[i].inside).resume();
    }
    if (left_ < threads_.size())
      fail("threads wait for others that have ended, or that wait elsewhere");
  }

  const Met &meet(unsigned mask, Call call, std::uint64_t number)
  {
    const unsigned lane = running_ % 32;
    if (!(mask >> lane & 1))
      fail("a lane is not in its own mask");
    Meeting &m = warps_[running_ / 32].of(mask);
    Met &met = m.met[m.times & 1];
    if (m.arrived == 0) {
      m.call = call;
      std::fill(met.own, met.own + 32, no_number);
    } else if (m.call != call)
      fail("lanes of a warp meet for different functions");
    met.own[lane] = number;
    m.arrived |= 1u << lane;
    const unsigned times = m.times;
    open_if_complete(running_ / 32, m);
    while (m.times == times) {
      m.waiting |= 1u << lane;
      wait();
    }
    return met;
  }

  int meet_in_block(bool yes)
  {
    const unsigned times = block_times_;
    int &said = said_yes_[times & 1];
    said += yes;
    ++block_arrived_;
    open_block_if_complete();
    while (block_times_ == times) {
      block_waiting_.push_back(running_);
      wait();
    }
    return said;
  }

  void let_others_run()
  {
    ready_.push_back(running_);
    if (++turns_ % 64 == 0)
      std::this_thread::yield(); // to other thread blocks
    wait();
  }

  void *shared_memory()
  {
    const auto address = reinterpret_cast<std::uintptr_t>(shared_.data());
    return shared_.data() + (128 - address % 128) % 128;
  }

  void begin_copy(void *to, const void *from, unsigned bytes, int *arrived)
  {
    copies_.push_back({to, from, bytes, arrived});
  }

  void end_copies()
  {
    for (const Copy &c : copies_) {
      std::memcpy(c.to, c.from, c.bytes);
      *c.arrived -= int(c.bytes);
    }
    copies_.clear();
  }

private:
  struct Copy {
    void *to;
    const void *from;
    unsigned bytes;
    int *arrived;
  };

  /// Any of the threads that can go on: what has no order in CUDA gets none here.
  unsigned take()
  {
    if (shuffled)
      std::swap(ready_.front(), ready_[random_() % ready_.size()]);
    const unsigned i = ready_.front();
    ready_.pop_front();
    return i;
  }

  void wait()
  {
    const unsigned i = running_;
    threads_[i].outside = std::move(threads_[i].outside).resume();
    running_ = i;
  }

  void open_if_complete(unsigned warp, Meeting &m)
  {
    if (m.arrived == 0 || ((m.arrived | warps_[warp].left) & m.mask) != m.mask)
      return;
    m.met[m.times & 1].lanes = m.arrived;
    ++m.times;
    for (unsigned lane = 0; lane < 32; ++lane)
      if (m.waiting >> lane & 1)
        ready_.push_back(warp * 32 + lane);
    m.arrived = m.waiting = 0;
  }

  void open_block_if_complete()
  {
    if (block_arrived_ == 0 || block_arrived_ + left_ < threads_.size())
      return;
    ++block_times_;
    said_yes_[block_times_ & 1] = 0;
    ready_.insert(ready_.end(), block_waiting_.begin(), block_waiting_.end());
    block_waiting_.clear();
    block_arrived_ = 0;
  }

  void leave(unsigned i)
  {
    ++left_;
    Warp &warp = warps_[i / 32];
    warp.left |= 1u << i % 32;
    for (Meeting &m : warp.meetings)
      open_if_complete(i / 32, m);
    open_block_if_complete();
  }

  static const bool shuffled;

  std::vector<CudaThread> threads_;
  std::vector<Warp> warps_;
  std::vector<char> shared_;
  std::deque<unsigned> ready_, block_waiting_;
  std::vector<Copy> copies_;
  std::minstd_rand random_;
  unsigned running_ = 0, turns_ = 0;
  std::size_t left_ = 0, block_arrived_ = 0;
  unsigned block_times_ = 0;
  int said_yes_[2] = {};
};

const bool Block::shuffled = std::getenv("TESSERA_EMULATION_SHUFFLE") != nullptr;

thread_local Block *block = nullptr;

} // namespace

const Met &meet(unsigned mask, Call call, std::uint64_t number)
{
  return block->meet(mask, call, number);
}

int meet_in_block(bool yes)
{
  return block->meet_in_block(yes);
}

void let_others_run()
{
  block->let_others_run();
}

void *shared_memory()
{
  return block->shared_memory();
}

void begin_copy(void *to, const void *from, unsigned bytes, int *arrived)
{
  block->begin_copy(to, from, bytes, arrived);
}

void end_copies()
{
  block->end_copies();
}

void run_grid(dim3 blocks, unsigned threads, std::size_t shared, const std::function<void()> &kernel)
{
  const unsigned count = blocks.x * blocks.y, at_once = std::min(count, 3u);
  std::atomic<unsigned> next(0);
  const auto run_blocks = [&] {
    static thread_local Stacks stacks;
    for (unsigned b = next++; b < count; b = next++) {
      Block one(blocks, b % blocks.x, b / blocks.x, threads, shared, stacks, kernel);
      block = &one;
      one.run();
      block = nullptr;
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < at_once; ++i)
    others.emplace_back(run_blocks);
  run_blocks();
  for (std::thread &t : others)
    t.join();
}

} // namespace emulation
} // namespace tessera
