// Runs every tile kernel on the host and on the GPU over the same tiles and compares all bytes they write.
#include "launch.cuh"
#include "tile_bits.hpp"

#include <cstdio>
#include <cstring>
#include <limits>

namespace tessera {
namespace {

int failures = 0;

void check(cudaError_t status, const char *what)
{
  if (status != cudaSuccess) {
    std::printf("%s: %s\n", what, cudaGetErrorString(status));
    ++failures;
  }
}

template <class T>
class DeviceCopy {
public:
  explicit DeviceCopy(const std::vector<T> &x) : size(x.size() * sizeof(T))
  {
    check(cudaMalloc(&data, size), "cudaMalloc");
    check(cudaMemcpy(data, x.data(), size, cudaMemcpyHostToDevice), "copy to the device");
  }
  ~DeviceCopy() { cudaFree(data); }
  DeviceCopy(const DeviceCopy &) = delete;
  DeviceCopy &operator=(const DeviceCopy &) = delete;
  void read(std::vector<T> &x)
  {
    check(cudaMemcpy(x.data(), data, size, cudaMemcpyDeviceToHost), "copy from the device");
  }
  T *data = nullptr;

private:
  std::size_t size;
};

template <class T, int W>
const char *part_of(std::size_t byte)
{
  using O = TileOutput<T, W>;
  using F = FactorBits<T, W>;
  if (byte < offsetof(O, lu)) {
    byte %= sizeof(F);
    return byte < offsetof(F, D)          ? "L"
           : byte < offsetof(F, inverse)  ? "D, E"
           : byte < offsetof(F, forward)  ? "inverse"
           : byte < offsetof(F, backward) ? "forward solve"
           : byte < offsetof(F, diagonal) ? "backward solve"
           : byte < offsetof(F, perm)     ? "function of D"
           : byte < offsetof(F, counts)   ? "perm"
                                          : "counts";
  }
  return byte < offsetof(O, product)      ? "lu"
         : byte < offsetof(O, norms)      ? "product"
         : byte < offsetof(O, permuted)   ? "norms"
         : byte < offsetof(O, reductions) ? "permuted"
         : byte < offsetof(O, lu_perm)    ? "reductions"
                                          : "lu pivots";
}

template <Pivoting P, class T, int W>
void factor_and_solve(std::int64_t count, const TileInput<T, W> *in, TileOutput<T, W> *out)
{
  check(launch<W>(nullptr, count, FactorBatch<P, T, W>{in, out}), "ldlt");
  check(launch<W>(nullptr, count, SolveBatch<P, T, W>{in, out}), "solve");
}

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

template <class T, int W>
void compare()
{
  const auto in = make_batch<T, W>();
  const std::int64_t count = std::int64_t(in.size());
  std::vector<TileOutput<T, W>> host(in.size()), device;
  std::memset(static_cast<void *>(host.data()), 0x5a,
              host.size() * sizeof host[0]); // what is not written is compared too
  device = host;
  DeviceCopy<TileInput<T, W>> input(in);
  DeviceCopy<TileOutput<T, W>> output(device);
  factor_and_solve<Pivoting::none>(count, input.data, output.data);
  factor_and_solve<Pivoting::bunch_kaufman>(count, input.data, output.data);
  factor_and_solve<Pivoting::rook>(count, input.data, output.data);
  check(launch<W>(nullptr, count, OtherBatch<T, W>{input.data, output.data}), "other kernels");
  check(cudaDeviceSynchronize(), "kernels");
  output.read(device);
  run_on_host<T, W>(in, host);
  unify_nans<T>(host);
  unify_nans<T>(device);
  int different = 0;
  for (std::size_t item = 0; item < in.size(); ++item) {
    const auto *h = reinterpret_cast<const unsigned char *>(&host[item]);
    const auto *d = reinterpret_cast<const unsigned char *>(&device[item]);
    std::size_t byte = 0;
    while (byte < sizeof host[0] && h[byte] == d[byte])
      ++byte;
    if (byte == sizeof host[0])
      continue;
    if (++different <= 8)
      std::printf("  item %zu (n %d, case %d, variant %d): %s differs, byte %zu\n", item, in[item].n, in[item].kind,
                  in[item].variant, part_of<T, W>(byte), byte);
  }
  failures += different;
  std::printf("%s W %2d: %zu tiles, %d differ\n", sizeof(T) == 8 ? "double" : "float ", W, in.size(), different);
  std::fflush(stdout);
}

/// Counts the reciprocals that are not 1 / x rounded, for numbers of every size that a kernel may ask for: item is the
/// mantissa, from the largest on and, beyond many, at random.
template <class T>
struct Reciprocals {
  unsigned long long *wrong;

  template <class G>
  TESSERA_COLLECTIVE void operator()(const G &g, std::int64_t item) const
  {
    constexpr int digits = sizeof(T) == 8 ? 52 : 23, most = sizeof(T) == 8 ? 1020 : 124;
    std::uint64_t below = std::uint64_t(item) * 4 + std::uint64_t(g.template id<T>());
    if (item >= 1 << 16)
      below = below * 0x9e3779b97f4a7c15u & ((std::uint64_t(1) << digits) - 1);
    for (int exponent = -most; exponent <= most; exponent += most / 31) {
      const T power = scalbn(T(1), exponent), x = nextafter(2 * power, T(0)) - power * rounding<T> * T(below);
      if (G::reciprocal(x) != 1 / x || G::reciprocal(-x) != 1 / -x)
        atomicAdd(wrong, 1ull);
    }
  }
};

template <class T>
void check_reciprocals()
{
  std::vector<unsigned long long> wrong(1, 0);
  DeviceCopy<unsigned long long> on_device(wrong);
  check(launch<4>(nullptr, 1 << 22, Reciprocals<T>{on_device.data}), "reciprocals");
  on_device.read(wrong);
  failures += wrong[0] != 0;
  std::printf("%s reciprocals: %llu wrong\n", sizeof(T) == 8 ? "double" : "float ", wrong[0]);
}

/// Number of tiles and calls that went wrong
int compare_all()
{
  check_reciprocals<double>();
  check_reciprocals<float>();
  compare<double, 4>();
  compare<double, 8>();
  compare<double, 16>();
  compare<double, 32>();
  compare<float, 4>();
  compare<float, 8>();
  compare<float, 16>();
  compare<float, 32>();
  return failures;
}

} // namespace
} // namespace tessera

int main()
{
  const int failures = tessera::compare_all();
  std::printf(failures ? "FAILED\n" : "host and device agree bit by bit\n");
  return failures != 0;
}
