// Runs every tile kernel on the host and on the GPU over the same tiles and compares all bytes they write.
#include "compare_bits.cuh"
#include "cuda/runtime/launch.cuh"
#include "tile_bits.hpp"

namespace tessera {
namespace {

template <class T, int W>
const char *part_of(std::size_t byte)
{
  using O = TileOutput<T, W>;
  using F = FactorBits<T, W>;
  if (byte >= offsetof(O, in_order) && byte < offsetof(O, lu))
    return byte < offsetof(O, accepted) ? "LDLT in order" : "whether the order is accepted, counts";
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

/// Number of tiles that differ
template <class T, int W>
int compare()
{
  const auto in = make_batch<T, W>();
  const std::int64_t count = std::int64_t(in.size());
  std::vector<TileOutput<T, W>> host(in.size());
  const DeviceArray<TileInput<T, W>> input(in, nullptr);
  const DeviceArray<TileOutput<T, W>> output(count, nullptr);
  constexpr int unwritten = 0x5a; // what is not written is compared too
  std::memset(static_cast<void *>(host.data()), unwritten, host.size() * sizeof host[0]);
  check(cudaMemset(output.data(), unwritten, output.bytes()), "setting the results");
  factor_and_solve<Pivoting::none>(count, input.data(), output.data());
  factor_and_solve<Pivoting::bunch_kaufman>(count, input.data(), output.data());
  factor_and_solve<Pivoting::rook>(count, input.data(), output.data());
  check(launch<W>(nullptr, count, InOrderBatch<T, W>{input.data(), output.data()}), "LDLT in order");
  check(launch<W>(nullptr, count, OtherBatch<T, W>{input.data(), output.data()}), "other kernels");
  run_on_host<T, W>(in, host);
  return count_different<T, W>(host, output, [&](std::size_t item, std::size_t byte) {
    std::printf("  item %zu (n %d, case %d, variant %d): %s differs, byte %zu\n", item, in[item].n, in[item].kind,
                in[item].variant, part_of<T, W>(byte), byte);
  });
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

/// How many of them are wrong
template <class T>
unsigned long long wrong_reciprocals()
{
  std::vector<unsigned long long> wrong(1, 0);
  const DeviceArray<unsigned long long> on_device(wrong, nullptr);
  check(launch<4>(nullptr, 1 << 22, Reciprocals<T>{on_device.data()}), "reciprocals");
  check(cudaMemcpy(wrong.data(), on_device.data(), on_device.bytes(), cudaMemcpyDeviceToHost), "reading a count");
  std::printf("%s reciprocals: %llu wrong\n", sizeof(T) == 8 ? "double" : "float ", wrong[0]);
  return wrong[0];
}

} // namespace
} // namespace tessera

int main()
{
  using namespace tessera;
  skip_without_gpu();
  const unsigned long long wrong = wrong_reciprocals<double>() + wrong_reciprocals<float>();
  return compare_all(wrong > 0,
                     [](auto zero, auto width) { return compare<decltype(zero), decltype(width)::value>(); });
}
