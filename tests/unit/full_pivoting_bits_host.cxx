// The host half of the comparison of full pivoting, compiled by the host compiler as the library is.
#include "host/launch.hpp" // before the kernels

#include "full_pivoting_bits.hpp"
#include "tile_cases.hpp"

namespace tessera {

template <class T, int W>
std::vector<FullInput<T, W>> make_full_batch()
{
  std::vector<FullInput<T, W>> batch;
  for (int n = 1; n <= W; ++n)
    for (int c = 0; c < int(Case::count); ++c)
      for (unsigned variant = 0; variant < 2; ++variant) {
        FullInput<T, W> x{};
        const auto A = make_tile<T>(Case(c), n, W, variant);
        std::copy(A.begin(), A.end(), x.A);
        x.delta = variant % 2 ? T(1e-2) : T(0);
        x.n = n;
        batch.push_back(x);
      }
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
TESSERA_INSTANTIATE(double, 4)
TESSERA_INSTANTIATE(double, 8)
TESSERA_INSTANTIATE(double, 16)
TESSERA_INSTANTIATE(double, 32)
TESSERA_INSTANTIATE(float, 4)
TESSERA_INSTANTIATE(float, 8)
TESSERA_INSTANTIATE(float, 16)
TESSERA_INSTANTIATE(float, 32)

} // namespace tessera
