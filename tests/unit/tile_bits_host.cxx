// The host half of the comparison of bits, compiled by the host compiler as the library is.
#include "host/launch.hpp"
#include "tile_bits.hpp"
#include "tile_cases.hpp"

#include <algorithm>
#include <random>

namespace tessera {

template <class T, int W>
std::vector<TileInput<T, W>> make_batch()
{
  std::vector<TileInput<T, W>> batch;
  for_each_tile<W>(4, [&](int n, Case c, unsigned variant) {
    TileInput<T, W> x{};
    const auto A = make_tile<T>(c, n, W, variant), B = make_tile<T>(Case::random, W, W, 99 + variant);
    std::copy(A.begin(), A.end(), x.A);
    std::copy(B.begin(), B.end(), x.B);
    x.delta = variant % 2 ? T(1e-2) : T(0);
    x.pairs = variant < 2 ? 0 : 0x11111111u;
    x.n = n;
    x.c = 1 + (n + int(c)) % W;
    x.kind = std::int32_t(c);
    x.variant = std::int32_t(variant);
    batch.push_back(x);
  });
  // Groups that share a warp get tiles of other sizes and kinds, so that their steps are not the same
  std::shuffle(batch.begin(), batch.end(), std::mt19937(1));
  return batch;
}

template <class T, int W>
void run_on_host(const std::vector<TileInput<T, W>> &in, std::vector<TileOutput<T, W>> &out)
{
  const std::int64_t count = std::int64_t(in.size());
  const auto solve = [&](auto factor, auto apply) {
    launch<W>(count, factor);
    launch<W>(count, apply);
  };
  solve(FactorBatch<Pivoting::none, T, W>{in.data(), out.data()},
        SolveBatch<Pivoting::none, T, W>{in.data(), out.data()});
  solve(FactorBatch<Pivoting::bunch_kaufman, T, W>{in.data(), out.data()},
        SolveBatch<Pivoting::bunch_kaufman, T, W>{in.data(), out.data()});
  solve(FactorBatch<Pivoting::rook, T, W>{in.data(), out.data()},
        SolveBatch<Pivoting::rook, T, W>{in.data(), out.data()});
  launch<W>(count, InOrderBatch<T, W>{in.data(), out.data()});
  launch<W>(count, OtherBatch<T, W>{in.data(), out.data()});
}

#define TESSERA_INSTANTIATE(T, W)                                                                                      \
  template std::vector<TileInput<T, W>> make_batch<T, W>();                                                            \
  template void run_on_host<T, W>(const std::vector<TileInput<T, W>> &, std::vector<TileOutput<T, W>> &);
TESSERA_FOR_ALL_GROUPS(TESSERA_INSTANTIATE)

} // namespace tessera
