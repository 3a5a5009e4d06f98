// The host half of the comparison of full pivoting, compiled by the host compiler as the library is.
#include "full_pivoting_bits.hpp"
#include "host/launch.hpp"
#include "tile_cases.hpp"

namespace tessera {

template <class T, int W>
std::vector<FullInput<T, W>> make_full_batch()
{
  std::vector<FullInput<T, W>> batch;
  for_each_tile<W>(2, [&](int n, Case c, unsigned variant) {
    FullInput<T, W> x{};
    const auto A = make_tile<T>(c, n, W, variant);
    std::copy(A.begin(), A.end(), x.A);
    x.delta = variant % 2 ? T(1e-2) : T(0);
    x.n = n;
    x.kind = std::int32_t(c);
    batch.push_back(x);
  });
  return batch;
}

template <class T, int W>
std::vector<FullOutput<T, W>> run_full_batch(const std::vector<FullInput<T, W>> &in)
{
  std::vector<FullOutput<T, W>> out(in.size());
  launch<W>(std::int64_t(in.size()), FullBatch<T, W>{in.data(), out.data()});
  return out;
}

#define TESSERA_INSTANTIATE(T, W)                                                                                      \
  template std::vector<FullInput<T, W>> make_full_batch<T, W>();                                                       \
  template std::vector<FullOutput<T, W>> run_full_batch<T, W>(const std::vector<FullInput<T, W>> &);
TESSERA_FOR_ALL_GROUPS(TESSERA_INSTANTIATE)

} // namespace tessera
