// Products of double-precision tensor cores beside chains of fma on the host: every bit has to be the same, or factors
// of the GPU would not be those of the host.
#include "tensor_cores.cuh"

#include "device_array.cuh"

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
template <bool AtOnce>
__global__ void multiply_on_device(Product *products)
{
  Product &p = products[blockIdx.x];
  const int row = threadIdx.x / 4, column = threadIdx.x % 4;
  double *const upper = &p.c[row][2 * column], *const lower = &p.c[row + 8][2 * column];
  double c[2] = {upper[0], upper[1]}, d[2] = {lower[0], lower[1]};
  for (int k = 0; k < 4 * steps; k += 4) {
    const double a = p.a[row][k + column], a8 = p.a[row + 8][k + column], b = p.b[k + column][row];
    if (AtOnce) {
      multiply_tensor(c, d, a, a8, b);
      multiply_tensor(c, d, b, b, b, false);
    } else {
      multiply_tensor(c, a, b);
      multiply_tensor(d, a8, b);
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

template <bool AtOnce>
int count_different()
{
  std::mt19937_64 random(1);
  std::vector<Product> host(tiles);
  for (int t = 0; t < tiles; ++t)
    fill(host[t], t % 2 != 0, random);
  DeviceArray<Product> products(host, nullptr);
  multiply_on_device<AtOnce><<<tiles, 32>>>(products.data());
  check(cudaGetLastError(), "launching");
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

} // namespace
} // namespace tessera

int main()
{
  const int by_eight = tessera::count_different<false>(), at_once = tessera::count_different<true>();
  std::printf("of %d entries %d differ in products of 8 rows, %d in those of 16\n", 8 * tessera::rows * tessera::tiles,
              by_eight, at_once);
  return by_eight + at_once > 0;
}
