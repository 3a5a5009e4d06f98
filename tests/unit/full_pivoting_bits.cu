// Runs the tile kernels with full pivoting on the host and on the GPU over the same tiles and compares all bytes they
// write.
#include "compare_bits.cuh"
#include "cuda/runtime/launch.cuh"
#include "full_pivoting_bits.hpp"

namespace tessera {
namespace {

/// Number of tiles that differ
template <class T, int W>
int compare()
{
  const auto in = make_full_batch<T, W>();
  auto host = run_full_batch<T, W>(in);
  const DeviceArray<FullInput<T, W>> input(in, nullptr);
  const DeviceArray<FullOutput<T, W>> output(in.size(), nullptr);
  check(cudaMemset(output.data(), 0, output.bytes()), "clearing"); // as on the host
  check(launch<W>(nullptr, input.size(), FullBatch<T, W>{input.data(), output.data()}), "full pivoting");
  return count_different<T, W>(host, output, [&](std::size_t item, std::size_t byte) {
    std::printf("  item %zu (n %d, case %d) differs, byte %zu\n", item, in[item].n, in[item].kind, byte);
  });
}

} // namespace
} // namespace tessera

int main()
{
  using namespace tessera;
  skip_without_gpu();
  return compare_all(false, [](auto zero, auto width) { return compare<decltype(zero), decltype(width)::value>(); });
}
