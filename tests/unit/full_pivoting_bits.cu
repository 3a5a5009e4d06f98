// Runs the tile kernels with full pivoting on the host and on the GPU over the same tiles and compares what they write.
#include "launch.cuh" // before the kernels

#include "device_array.cuh"
#include "full_pivoting_bits.hpp"

#include <cstdio>
#include <cstring>

namespace tessera {
namespace {

/// Same bits; all NaNs are the same, as which NaN an operation gives is not defined.
template <class T>
bool same(T x, T y)
{
  return (x != x && y != y) || std::memcmp(&x, &y, sizeof x) == 0;
}

template <class T, int W>
bool same(const FullOutput<T, W> &one, const FullOutput<T, W> &other)
{
  for (std::size_t i = 0; i < sizeof one.x / sizeof(T); ++i)
    if (!same(one.x[i], other.x[i]))
      return false;
  return std::memcmp(one.perm, other.perm, sizeof one.perm) == 0 &&
         std::memcmp(&one.ldlt_counts, &other.ldlt_counts, sizeof one.ldlt_counts) == 0 &&
         std::memcmp(&one.llt_counts, &other.llt_counts, sizeof one.llt_counts) == 0 &&
         std::memcmp(&one.ldu_counts, &other.ldu_counts, sizeof one.ldu_counts) == 0;
}

/// Number of tiles that differ
template <class T, int W>
int compare()
{
  const auto in = make_full_batch<T, W>();
  const std::int64_t count = std::int64_t(in.size());
  const auto host = run_full_batch<T, W>(in);
  std::vector<FullOutput<T, W>> device(in.size());
  const DeviceArray<FullInput<T, W>> input(in, nullptr);
  const DeviceArray<FullOutput<T, W>> output(device, nullptr); // zeros, as on the host
  check(launch<W>(nullptr, count, FullBatch<T, W>{input.data(), output.data()}), "full pivoting");
  check(cudaMemcpy(device.data(), output.data(), output.bytes(), cudaMemcpyDeviceToHost), "reading the factors");
  int different = 0;
  for (std::size_t i = 0; i < in.size(); ++i)
    if (!same(host[i], device[i]) && ++different <= 8)
      std::printf("  item %zu (n %d, case %zu) differs\n", i, in[i].n, i / 2 % 15);
  std::printf("%s W %2d: %zu tiles, %d differ\n", sizeof(T) == 8 ? "double" : "float ", W, in.size(), different);
  std::fflush(stdout);
  return different;
}

} // namespace
} // namespace tessera

int main()
{
  using namespace tessera;
  const int failures = compare<double, 4>() + compare<double, 8>() + compare<double, 16>() + compare<double, 32>() +
                       compare<float, 4>() + compare<float, 8>() + compare<float, 16>() + compare<float, 32>();
  std::printf(failures ? "FAILED\n" : "host and device agree bit by bit\n");
  return failures != 0;
}
