// Times of the tile kernels on a GPU over batches of 100,000 tiles, and their ratio to the floor: the larger of the
// bytes that must move (the input read once, of a symmetric or triangular tile one triangle; the output, with
// permutation and counts, written once) over the copy bandwidth measured here, and the operations over the FP64 or FP32
// peak of the multiprocessors. For LDLᵀ also the time of a kernel that moves these bytes and does nothing else, and
// that of one tile.
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/launch_kernel.cuh"
#include "tile/ldlt.hpp"
#include "tile/ldlt_in_order.hpp"
#include "tile/lu.hpp"
#include "tile/product.hpp"
#include "tile/triangular.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace tessera {
namespace {

constexpr std::int64_t tiles = 100000;

void check(cudaError_t status)
{
  if (status != cudaSuccess) {
    std::printf("CUDA error: %s\n", cudaGetErrorString(status));
    std::exit(1);
  }
}

/// Milliseconds of one call, the median of 15 after 3 to warm up
template <class Call>
double median_time(const Call &call)
{
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i < 18; ++i) {
    check(cudaEventRecord(begin));
    call(i);
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms;
    check(cudaEventElapsedTime(&ms, begin, end));
    if (i >= 3)
      times.push_back(ms);
  }
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

template <class T>
T *allocate(std::size_t count)
{
  T *p;
  check(cudaMalloc(&p, count * sizeof(T)));
  return p;
}

struct Machine {
  double bytes_per_ms, flops64_per_ms;
};

Machine measure()
{
  const std::size_t size = std::size_t(2) << 30;
  char *from = allocate<char>(size), *to = allocate<char>(size);
  check(cudaMemset(from, 1, size));
  const double ms = median_time([&](int) { check(cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToDevice)); });
  check(cudaFree(from));
  check(cudaFree(to));
  cudaDeviceProp properties;
  int clock = 0;
  check(cudaGetDeviceProperties(&properties, 0));
  check(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0)); // kHz
  const double flops = properties.multiProcessorCount * 64.0 * 2 * clock;
  std::printf("%s: copy %.2f TB/s, FP64 %.1f TFlop/s without tensor cores\n", properties.name, 2e-9 * size / ms,
              flops * 1e-9);
  return {2.0 * size / ms, flops};
}

/// The arrays of a batch; several batches are used in turn so that none stays in the cache
template <class T, int W>
struct Batch {
  T *A, *L, *D, *E;
  std::int32_t *perm;
  PivotCounts *counts;
  LuCounts *lu_counts;

  void at(const Batch &all, std::int64_t first)
  {
    A = all.A + first * W * W;
    L = all.L + first * W * W;
    D = all.D + first * W;
    E = all.E + first * W;
    perm = all.perm + first * W;
    counts = all.counts + first;
    lu_counts = all.lu_counts + first;
  }
};

template <Pivoting P, class T, int W>
struct LdltItems : Batch<T, W> {
  static constexpr double entries = W * (W + 1) / 2 + W * W + 2.0 * W, flops = W * W * W / 3.0;
  static constexpr double others = 4.0 * W + sizeof(PivotCounts);
  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t i) const
  {
    ldlt<P>(g, this->A + i * W * W, W, W, LdltOptions<T>{}, this->L + i * W * W, this->D + i * W, this->E + i * W,
            this->perm + i * W, this->counts + i);
  }
};

/// LDLᵀ without a search that takes any finite L.
template <class T, int W>
struct InOrderItems : Batch<T, W> {
  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t i) const
  {
    ldlt_in_order(g, this->A + i * W * W, W, W, LdltOptions<T>{}, largest_finite<T>, this->L + i * W * W,
                  this->D + i * W, this->E + i * W, this->perm + i * W, this->counts + i);
  }
};

/// Moves what LDLᵀ of a batch has to and computes nothing: reads the 32-byte sectors that the lower triangles touch,
/// writes as much as all outputs have, each piece of 16 bytes by another thread. A factorization in one launch cannot
/// be expected to take less.
template <class T, int W>
__global__ void move_ldlt(const Batch<T, W> batch)
{
  constexpr int packed = 16 / sizeof(T), column = W / packed, sector = 32 / sizeof(T);
  constexpr std::int64_t pieces = tiles * W * column, vector = tiles * column, perm = tiles * W / 4;
  constexpr std::int64_t counts = tiles * sizeof(PivotCounts) / 16;
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= pieces)
    return;
  const int row = int(i % column) * packed, col = int(i / column % W);
  int4 x = make_int4(0, 0, 0, 0);
  if (row / sector * sector + sector > col)
    x = reinterpret_cast<const int4 *>(batch.A)[i];
  reinterpret_cast<int4 *>(batch.L)[i] = x;
  if (i < vector) {
    reinterpret_cast<int4 *>(batch.D)[i] = x;
    reinterpret_cast<int4 *>(batch.E)[i] = x;
  }
  if (i < perm)
    reinterpret_cast<int4 *>(batch.perm)[i] = x;
  if (i < counts)
    reinterpret_cast<int4 *>(batch.counts)[i] = x;
}

template <class T, int W>
struct LuItems : Batch<T, W> {
  static constexpr double entries = 2.0 * W * W, flops = 2 * W * W * W / 3.0;
  static constexpr double others = 4.0 * W + sizeof(LuCounts);
  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t i) const
  {
    lu(g, this->A + i * W * W, W, W, T(0), this->L + i * W * W, this->perm + i * W, this->lu_counts + i);
  }
};
template <class T, int W>
struct InverseItems : Batch<T, W> {
  static constexpr double entries = W * (W - 1) / 2 + W * W, flops = W * W * W / 3.0, others = 4.0 * W;
  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t i) const
  {
    inverse_lower(g, this->A + i * W * W, W, W, this->perm + i * W, this->L + i * W * W, W);
  }
};
template <bool Transposed, class T, int W>
struct ProductItems : Batch<T, W> {
  static constexpr double entries = 4.0 * W * W, flops = 2.0 * W * W * W, others = 0;
  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t i) const
  {
    // the neighbour's tile is the second operand
    subtract_product<Transposed>(g, this->A + i * W * W, W, this->A + (i ^ 1) * W * W, W, this->L + i * W * W, W, W, W,
                                 W);
  }
};

__global__ void do_nothing() {}

/// Prints a time beside the floor of Items
template <class Items, class T, int W>
void print_time(const char *what, const Machine &machine, int threads, double ms)
{
  const double peak = machine.flops64_per_ms * (sizeof(T) == 4 ? 2 : 1);
  const double bytes = Items::entries * sizeof(T) + Items::others;
  const double floor = std::max(bytes * tiles / machine.bytes_per_ms, Items::flops * tiles / peak);
  std::printf("%-22s %-6s %2d  %4d threads/SM %8.4f ms  floor %7.4f ms  %3.0f%%\n", what,
              sizeof(T) == 8 ? "double" : "float", W, threads, ms, floor, 100 * floor / ms);
}

template <int BlocksPerSM, class Items, class T, int W>
void time_items(const char *what, const Machine &machine, const Batch<T, W> &all, int batches)
{
  const double ms = median_time([&](int round) {
    Items items;
    items.at(all, (round % batches) * tiles);
    check((launch<W, BlocksPerSM>(nullptr, tiles, items)));
  });
  print_time<Items, T, W>(what, machine, BlocksPerSM * launch_threads, ms);
}

/// Prints the time of a launch over one tile, which nothing hides the latency of, less that of one over none.
template <class Items, class T, int W>
void time_one(const char *what, const Batch<T, W> &all)
{
  const auto launch_time = [&](bool empty) {
    return median_time([&](int) {
      Items items;
      items.at(all, 0);
      if (empty)
        check(launch_kernel(do_nothing, {1, launch_threads, 0, nullptr}));
      else
        check((launch<W, 2>(nullptr, 1, items)));
    });
  };
  std::printf("%-22s %-6s %2d  one tile %8.2f us\n", what, sizeof(T) == 8 ? "double" : "float", W,
              1e3 * (launch_time(false) - launch_time(true)));
}

template <class T, int W>
void time_moving(const Machine &machine, const Batch<T, W> &all, int batches)
{
  constexpr int threads = 256, resident = 2048;
  const std::int64_t pieces = tiles * W * W * sizeof(T) / 16;
  const double ms = median_time([&](int round) {
    Batch<T, W> batch;
    batch.at(all, (round % batches) * tiles);
    check(launch_kernel(move_ldlt<T, W>, {unsigned((pieces + threads - 1) / threads), threads, 0, nullptr}, batch));
  });
  print_time<LdltItems<Pivoting::rook, T, W>, T, W>("ldlt, moving only", machine, resident, ms);
}

template <class T, int W>
void time_all(const Machine &machine)
{
  const int batches = int(std::max<std::size_t>(2, (std::size_t(1) << 29) / (tiles * W * W * sizeof(T))));
  const std::size_t count = std::size_t(batches) * tiles;
  Batch<T, W> all{allocate<T>(count * W * W), allocate<T>(count * W * W),        allocate<T>(count * W),
                  allocate<T>(count * W),     allocate<std::int32_t>(count * W), allocate<PivotCounts>(count),
                  allocate<LuCounts>(count)};
  std::mt19937 bits(1);
  std::vector<T> numbers(std::size_t(tiles) * W * W);
  for (T &x : numbers)
    x = T(double(bits()) / 2147483648.0 - 1);
  for (int b = 0; b < batches; ++b)
    check(cudaMemcpy(all.A + b * numbers.size(), numbers.data(), numbers.size() * sizeof(T), cudaMemcpyHostToDevice));
  time_moving(machine, all, batches);
  time_items<6, LdltItems<Pivoting::rook, T, W>>("ldlt rook", machine, all, batches);
  time_items<8, LdltItems<Pivoting::rook, T, W>>("ldlt rook", machine, all, batches);
  time_items<10, LdltItems<Pivoting::rook, T, W>>("ldlt rook", machine, all, batches);
  time_items<12, LdltItems<Pivoting::rook, T, W>>("ldlt rook", machine, all, batches);
  time_items<8, LdltItems<Pivoting::bunch_kaufman, T, W>>("ldlt Bunch-Kaufman", machine, all, batches);
  time_items<8, LdltItems<Pivoting::none, T, W>>("ldlt in order", machine, all, batches);
  time_one<LdltItems<Pivoting::rook, T, W>>("ldlt rook", all);
  time_one<LdltItems<Pivoting::none, T, W>>("ldlt in order", all);
  time_one<InOrderItems<T, W>>("ldlt without search", all);
  time_items<8, InverseItems<T, W>>("triangular inverse", machine, all, batches); // perm is of the factorization
  time_items<8, LuItems<T, W>>("lu", machine, all, batches);
  time_items<10, LuItems<T, W>>("lu", machine, all, batches);
  time_items<8, ProductItems<false, T, W>>("C -= A B", machine, all, batches);
  time_items<8, ProductItems<true, T, W>>("C -= A' B", machine, all, batches);
  for (void *p : {(void *)all.A, (void *)all.L, (void *)all.D, (void *)all.E, (void *)all.perm, (void *)all.counts,
                  (void *)all.lu_counts})
    check(cudaFree(p));
}

void time_every_size()
{
  const Machine machine = measure();
  time_all<double, 32>(machine);
  time_all<double, 16>(machine);
  time_all<double, 8>(machine);
  time_all<float, 32>(machine);
  time_all<float, 16>(machine);
  time_all<float, 8>(machine);
}

} // namespace
} // namespace tessera

int main()
{
  tessera::time_every_size();
}
