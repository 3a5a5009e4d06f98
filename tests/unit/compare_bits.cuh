#ifndef TESSERA_TESTS_COMPARE_BITS_CUH
#define TESSERA_TESTS_COMPARE_BITS_CUH

#include "cuda/runtime/device_array.cuh"
#include "support/skip_without_gpu.cuh"

#include <cstdio>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

// What the programs have in common that run tile kernels on the host and on the GPU and compare what they write.

namespace tessera {

/// Makes all NaNs of a result the same: which NaN an operation gives is not defined. The integers in it are too small
/// to look like a NaN.
template <class T, class Output>
void unify_nans(std::vector<Output> &results)
{
  for (Output &r : results)
    for (std::size_t at = 0; at + sizeof(T) <= sizeof r; at += sizeof(T)) {
      T x;
      std::memcpy(&x, reinterpret_cast<char *>(&r) + at, sizeof x);
      if (x != x) {
        x = std::numeric_limits<T>::quiet_NaN();
        std::memcpy(reinterpret_cast<char *>(&r) + at, &x, sizeof x);
      }
    }
}

/// Compares all bytes of what the host made of tiles with the device's, and says for the first that differ what
/// describe(item, first byte that differs) prints. Returns how many differ.
template <class T, int W, class Output, class Describe>
int count_different(std::vector<Output> &host, const DeviceArray<Output> &output, const Describe &describe)
{
  std::vector<Output> device(host.size());
  check(cudaMemcpy(device.data(), output.data(), output.bytes(), cudaMemcpyDeviceToHost), "reading the results");
  unify_nans<T>(host);
  unify_nans<T>(device);
  int different = 0;
  for (std::size_t item = 0; item < host.size(); ++item) {
    const auto *h = reinterpret_cast<const unsigned char *>(&host[item]);
    const auto *d = reinterpret_cast<const unsigned char *>(&device[item]);
    std::size_t byte = 0;
    while (byte < sizeof host[0] && h[byte] == d[byte])
      ++byte;
    if (byte < sizeof host[0] && ++different <= 8)
      describe(item, byte);
  }
  std::printf("%s W %2d: %zu tiles, %d differ\n", sizeof(T) == 8 ? "double" : "float ", W, host.size(), different);
  std::fflush(stdout);
  return different;
}

/// Adds up compare(T(), width) for both precisions and all widths, and says whether anything failed, this or before.
/// Returns the exit status of the program.
template <class Compare>
int compare_all(bool failed_before, const Compare &compare)
{
  const auto widths = [&](auto zero) {
    return compare(zero, std::integral_constant<int, 4>()) + compare(zero, std::integral_constant<int, 8>()) +
           compare(zero, std::integral_constant<int, 16>()) + compare(zero, std::integral_constant<int, 32>());
  };
  const int in_double = widths(0.0), in_float = widths(0.0f);
  const bool failed = failed_before || in_double + in_float > 0;
  std::printf(failed ? "FAILED\n" : "host and device agree bit by bit\n");
  return failed;
}

} // namespace tessera
#endif
