// Products of double-precision tensor cores, and those that stand in for them, beside chains of fma on the host: every
// bit has to be the same, or factors of the GPU would not be those of the host. Also the short trial that tells the
// library which of them to use: it has to find what is found here, and products in another order.
#include "cuda/lanes/tensor_cores.cuh"
#include "cuda/runtime/device_limits.hpp"
#include "cuda/runtime/launch_kernel.cuh"
#include "cuda/runtime/tensor_trial.cuh"
#include "support/skip_without_gpu.cuh"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>

namespace tessera {
namespace {

constexpr int tiles = 50000, steps = 4; ///< of products C += A B, one after the other, each with K = 4

constexpr int rows = 16;

struct Product {
  double a[rows][4 * steps], b[4 * steps][8], c[rows][8];
};

/// A warp for each product, by 8 rows or by all 16 at once.
template <class Products, bool AtOnce>
__global__ void multiply_on_device(Product *products)
{
  Product &p = products[blockIdx.x];
  const int row = threadIdx.x / 4, column = threadIdx.x % 4;
  double *const upper = &p.c[row][2 * column], *const lower = &p.c[row + 8][2 * column];
  double c[2] = {upper[0], upper[1]}, d[2] = {lower[0], lower[1]};
  for (int k = 0; k < 4 * steps; k += 4) {
    const double a = p.a[row][k + column], a8 = p.a[row + 8][k + column], b = p.b[k + column][row];
    if (AtOnce) {
      Products::multiply(c, d, a, a8, b);
      Products::multiply(c, d, b, b, b, false);
    } else {
      Products::multiply(c, a, b);
      Products::multiply(d, a8, b);
    }
  }
  for (int i = 0; i < 2; ++i) {
    upper[i] = c[i];
    lower[i] = d[i];
  }
}

/// Numbers of many magnitudes, with zeros of both signs, subnormal ones, and some whose products overflow
double draw(std::mt19937_64 &random)
{
  const double x = std::uniform_real_distribution<double>(-1, 1)(random);
  switch (random() % 64) {
  case 0:
    return 0.0;
  case 1:
    return -0.0;
  case 2:
    return std::ldexp(x, -1060);
  case 3:
    return std::ldexp(x, -520);
  case 4:
    return random() % 64 == 0 ? std::ldexp(x, 700) : x;
  default:
    return std::ldexp(x, int(random() % 3) * int(random() % 12));
  }
}

/// Of half of the products C is minus A B, rounded, so that nearly everything cancels.
void fill(Product &p, bool cancels, std::mt19937_64 &random)
{
  for (auto &row : p.a)
    for (double &x : row)
      x = draw(random);
  for (auto &row : p.b)
    for (double &x : row)
      x = draw(random);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < 8; ++j) {
      double sum = 0;
      for (int k = 0; k < 4 * steps; ++k)
        sum += p.a[i][k] * p.b[k][j];
      p.c[i][j] = cancels && std::isfinite(sum) ? -sum : draw(random);
    }
}

void multiply_on_host(Product &p)
{
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < 8; ++j)
      for (int k = 0; k < 4 * steps; ++k)
        p.c[i][j] = std::fma(p.a[i][k], p.b[k][j], p.c[i][j]);
}

bool same(double x, double y)
{
  return std::isnan(x) ? std::isnan(y) : std::memcmp(&x, &y, sizeof x) == 0;
}

template <class Products, bool AtOnce>
int count_different()
{
  std::mt19937_64 random(1);
  std::vector<Product> host(tiles);
  for (int t = 0; t < tiles; ++t)
    fill(host[t], t % 2 != 0, random);
  DeviceArray<Product> products(host, nullptr);
  check(launch_kernel(multiply_on_device<Products, AtOnce>, {tiles, 32, 0, nullptr}, products.data()), "launching");
  std::vector<Product> device(tiles);
  check(cudaMemcpy(device.data(), products.data(), products.bytes(), cudaMemcpyDeviceToHost), "reading the results");
  int different = 0;
  for (int t = 0; t < tiles; ++t) {
    multiply_on_host(host[t]);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < 8; ++j)
        if (!same(host[t].c[i][j], device[t].c[i][j]) && ++different <= 8)
          std::printf("  tile %d, entry (%d, %d): host %a, device %a\n", t, i, j, host[t].c[i][j], device[t].c[i][j]);
  }
  return different;
}

/// Compares `tiles` products, says what differs, and whether the trial agrees. Returns whether none differ.
template <class Products>
bool compare(const char *name, bool &failed)
{
  const int by_eight = count_different<Products, false>(), at_once = count_different<Products, true>();
  std::printf("%s: of %d entries %d differ in products of 8 rows, %d in those of 16\n", name, 8 * rows * tiles,
              by_eight, at_once);
  const bool same = by_eight + at_once == 0;
  bool alike = false;
  check(try_on_device<Products>(alike), "trying products");
  if (alike != same) {
    std::printf("%s: the trial says the opposite\n", name);
    failed = true;
  }
  return same;
}

/// Products that a trial has to notice, made of 8 rows of those that are right.
template <class Half>
struct WrongProducts {
  static __device__ void multiply(double (&c)[2], double a, double b) { Half::multiply(c, a, b); }
  static __device__ void multiply(double (&upper)[2], double (&lower)[2], double a_upper, double a_lower, double b,
                                  int wanted = 1)
  {
    if (wanted) {
      Half::multiply(upper, a_upper, b);
      Half::multiply(lower, a_lower, b);
    }
  }
};

/// Terms in descending order
struct Descending {
  static __device__ void multiply(double (&c)[2], double a, double b)
  {
    const int lane = threadIdx.x & 31;
    FmaProducts::multiply(c, __shfl_sync(~0u, a, lane ^ 3), __shfl_sync(~0u, b, lane ^ 3));
  }
};

/// The sum of the products first, then C
struct SumFirst {
  static __device__ void multiply(double (&c)[2], double a, double b)
  {
    double sum[2] = {};
    FmaProducts::multiply(sum, a, b);
    c[0] += sum[0];
    c[1] += sum[1];
  }
};

/// Subnormal results as zeros
struct Flushed {
  static __device__ void multiply(double (&c)[2], double a, double b)
  {
    FmaProducts::multiply(c, a, b);
    for (double &x : c)
      x = fabs(x) < 0x1p-1022 ? copysign(0.0, x) : x;
  }
};

template <class Half>
void expect_noticed(const char *name, bool &failed)
{
  bool alike = true;
  check(try_on_device<WrongProducts<Half>>(alike), "trying products");
  if (alike) {
    std::printf("the trial does not notice: %s\n", name);
    failed = true;
  }
}

} // namespace
} // namespace tessera

int main()
{
  using namespace tessera;
  skip_without_gpu();
  bool failed = false;
  std::printf("%s\n", in_words(device_limits()).c_str());
  const bool tensor_cores = compare<TensorProducts>("tensor cores", failed);
  if (!compare<FmaProducts>("fused multiply-adds", failed))
    failed = true;
  if (device_limits().tensor_cores && !tensor_cores)
    failed = true;
  expect_noticed<Descending>("terms in descending order", failed);
  expect_noticed<SumFirst>("terms added up before C", failed);
  expect_noticed<Flushed>("subnormal results flushed to zero", failed);
  std::printf(failed ? "FAILED\n" : "products have the bits of the host\n");
  return failed;
}
