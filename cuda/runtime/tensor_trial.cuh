#ifndef TESSERA_CUDA_RUNTIME_TENSOR_TRIAL_CUH
#define TESSERA_CUDA_RUNTIME_TENSOR_TRIAL_CUH

#include "cuda/runtime/device_array.cuh"
#include "cuda/runtime/launch_kernel.cuh"

namespace tessera {

// Whether products of a warp have the bits of a chain of fused multiply-adds, which IEEE 754 defines: a trial that
// takes a device a few microseconds. tests/unit/tensor_bits.cu compares many more of them with the host.

constexpr int trial_warps = 64, trial_products = 8; ///< of a warp

/// A number of one of many magnitudes; sometimes a zero of either sign, a subnormal number, or one whose products
/// overflow. state: of a linear congruential generator (Knuth's MMIX).
inline __device__ double draw_for_trial(std::uint64_t &state)
{
  state = state * 6364136223846793005u + 1442695040888963407u;
  const std::uint64_t random = state >> 20, sign = state & std::uint64_t(1) << 63, kind = random % 64;
  if (kind < 2)
    return __longlong_as_double(static_cast<long long>(sign));
  const std::uint64_t exponent = kind == 2 ? 0 : kind == 3 ? 1720 : 1000 + random / 64 % 24;
  const std::uint64_t mantissa = (state ^ state >> 29) * 0x9e3779b97f4a7c15u >> 12;
  return __longlong_as_double(static_cast<long long>(sign | exponent << 52 | mantissa));
}

/// What an entry of C is to be before and after a product.
struct TrialEntry {
  double before, after;
};

/// Entry (l / 4, 2 (l % 4) + i) of C, for lane l. cancels: it begins with minus what the product comes to, rounded in
/// another order, so that nearly everything cancels.
inline __device__ TrialEntry make_trial_entry(double a, double b, int i, double c, bool cancels)
{
  const int lane = threadIdx.x & 31;
  double own[4], other[4];
  for (int k = 0; k < 4; ++k) {
    own[k] = __shfl_sync(~0u, a, lane / 4 * 4 + k);
    other[k] = __shfl_sync(~0u, b, lane % 4 * 8 + 4 * i + k);
  }
  const double sum = (own[0] * other[0] + own[3] * other[3]) + (own[1] * other[1] + own[2] * other[2]);
  TrialEntry entry = {cancels && isfinite(sum) ? -sum : c, 0};
  entry.after = entry.before;
  for (int k = 0; k < 4; ++k)
    entry.after = __fma_rn(own[k], other[k], entry.after);
  return entry;
}

inline __device__ bool same_bits(double x, double y)
{
  return x != x ? y != y : __double_as_longlong(x) == __double_as_longlong(y);
}

/// Sets *differ if products of 8 or of 16 rows differ from chains of fma. A warp a thread block. Some products cancel,
/// and some come to subnormal numbers.
template <class Products>
__global__ void __launch_bounds__(32) try_products(int *differ)
{
  std::uint64_t state = (std::uint64_t(blockIdx.x) * 32 + threadIdx.x + 1) * 0x9e3779b97f4a7c15u;
  for (int p = 0; p < trial_products; ++p) {
    const double size = p % 4 == 2 ? 0x1p-520 : 1;
    const double a = size * draw_for_trial(state), a8 = size * draw_for_trial(state), b = size * draw_for_trial(state);
    double by_eight[2], upper[2], lower[2];
    TrialEntry first[2], second[2];
    for (int i = 0; i < 2; ++i) {
      first[i] = make_trial_entry(a, b, i, size * size * draw_for_trial(state), p % 2 != 0);
      second[i] = make_trial_entry(a8, b, i, size * size * draw_for_trial(state), p % 2 != 0);
      by_eight[i] = upper[i] = first[i].before;
      lower[i] = second[i].before;
    }
    Products::multiply(by_eight, a, b);
    Products::multiply(upper, lower, a, a8, b);
    Products::multiply(upper, lower, b, b, b, 0);
    for (int i = 0; i < 2; ++i)
      if (!same_bits(by_eight[i], first[i].after) || !same_bits(upper[i], first[i].after) ||
          !same_bits(lower[i], second[i].after))
        *differ = 1;
  }
}

/// Whether the products of the current device have the bits of chains of fma. Returns the error of the launch, if any.
template <class Products>
cudaError_t try_on_device(bool &alike)
{
  const DeviceArray<int> differ(std::vector<int>{0}, nullptr);
  const cudaError_t launched = launch_kernel(try_products<Products>, {trial_warps, 32, 0, nullptr}, differ.data());
  if (launched != cudaSuccess)
    return launched;
  int found = 0;
  check(cudaMemcpy(&found, differ.data(), sizeof found, cudaMemcpyDeviceToHost), "trying products");
  alike = found == 0;
  return cudaSuccess;
}

} // namespace tessera
#endif
