// Tile kernels on one core against LAPACK, a fresh copy of the tile each time. Run with OPENBLAS_NUM_THREADS=1.
#include "host/lanes/group_host.hpp"
#include "tile/ldlt.hpp"
#include "tile/lu.hpp"
#include "tile/product.hpp"
#include "tile/triangular.hpp"

#include <benchmark/benchmark.h>
#include <cstring>
#include <random>
#include <vector>

extern "C" {
void dsytrf_rook_(const char *uplo, const int *n, double *a, const int *lda, int *ipiv, double *work, const int *lwork,
                  int *info);
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc);
}

using namespace tessera;

namespace {

/// Enough tiles that branches on their pivots are not learned by heart
constexpr int different = 64;

template <class T>
std::vector<T> tiles(int n)
{
  std::mt19937 bits(1);
  std::vector<T> a(std::size_t(different) * n * n);
  for (T &x : a)
    x = T(double(bits()) / 2147483648.0 - 1);
  return a;
}

template <class T, int W, Pivoting P>
void factor_ldlt(benchmark::State &state)
{
  const auto all = tiles<T>(W);
  std::vector<T> a(W * W);
  T D[W], E[W];
  std::int32_t perm[W];
  PivotCounts counts;
  int i = 0;
  for (auto _ : state) {
    std::memcpy(a.data(), &all[std::size_t(i++ % different) * W * W], sizeof(T) * W * W);
    ldlt<P>(HostGroup<W>{}, a.data(), W, W, LdltOptions<T>{}, a.data(), D, E, perm, &counts);
    benchmark::DoNotOptimize(a.data());
    benchmark::ClobberMemory();
  }
}

template <int W>
void lapack_sytrf_rook(benchmark::State &state)
{
  const auto all = tiles<double>(W);
  std::vector<double> a(W * W), work(64 * W);
  int ipiv[W], info, i = 0;
  const int n = W, size = 64 * W;
  for (auto _ : state) {
    std::memcpy(a.data(), &all[std::size_t(i++ % different) * W * W], sizeof(double) * W * W);
    dsytrf_rook_("L", &n, a.data(), &n, ipiv, work.data(), &size, &info);
    benchmark::DoNotOptimize(a.data());
    benchmark::ClobberMemory();
  }
}

template <class T, int W>
void factor_lu(benchmark::State &state)
{
  const auto all = tiles<T>(W);
  std::vector<T> a(W * W);
  std::int32_t perm[W];
  LuCounts counts;
  int i = 0;
  for (auto _ : state) {
    std::memcpy(a.data(), &all[std::size_t(i++ % different) * W * W], sizeof(T) * W * W);
    lu(HostGroup<W>{}, a.data(), W, W, T(0), a.data(), perm, &counts);
    benchmark::DoNotOptimize(a.data());
    benchmark::ClobberMemory();
  }
}

template <int W>
void lapack_getrf(benchmark::State &state)
{
  const auto all = tiles<double>(W);
  std::vector<double> a(W * W);
  int ipiv[W], info, i = 0;
  const int n = W;
  for (auto _ : state) {
    std::memcpy(a.data(), &all[std::size_t(i++ % different) * W * W], sizeof(double) * W * W);
    dgetrf_(&n, &n, a.data(), &n, ipiv, &info);
    benchmark::DoNotOptimize(a.data());
    benchmark::ClobberMemory();
  }
}

template <class T, int W>
void inverse(benchmark::State &state)
{
  const auto all = tiles<T>(W);
  std::vector<T> x(W * W);
  std::int32_t perm[W];
  for (int i = 0; i < W; ++i)
    perm[i] = i;
  for (auto _ : state) {
    inverse_lower(HostGroup<W>{}, all.data(), W, W, perm, x.data(), W);
    benchmark::DoNotOptimize(x.data());
    benchmark::ClobberMemory();
  }
}

template <bool Transposed, class T, int W>
void product(benchmark::State &state)
{
  const auto all = tiles<T>(W);
  std::vector<T> c(all.begin(), all.begin() + W * W);
  for (auto _ : state) {
    subtract_product<Transposed>(HostGroup<W>{}, all.data(), W, &all[W * W], W, c.data(), W, W, W, W);
    benchmark::DoNotOptimize(c.data());
    benchmark::ClobberMemory();
  }
  state.counters["Flop/s"] =
      benchmark::Counter(2.0 * W * W * W * double(state.iterations()), benchmark::Counter::kIsRate);
}

template <int W>
void blas_gemm(benchmark::State &state)
{
  const auto all = tiles<double>(W);
  std::vector<double> c(all.begin(), all.begin() + W * W);
  const int n = W;
  const double minus = -1, one = 1;
  for (auto _ : state) {
    dgemm_("N", "N", &n, &n, &n, &minus, all.data(), &n, &all[W * W], &n, &one, c.data(), &n);
    benchmark::DoNotOptimize(c.data());
    benchmark::ClobberMemory();
  }
  state.counters["Flop/s"] =
      benchmark::Counter(2.0 * W * W * W * double(state.iterations()), benchmark::Counter::kIsRate);
}

BENCHMARK(factor_ldlt<double, 8, Pivoting::rook>);
BENCHMARK(lapack_sytrf_rook<8>);
BENCHMARK(factor_ldlt<double, 16, Pivoting::rook>);
BENCHMARK(lapack_sytrf_rook<16>);
BENCHMARK(factor_ldlt<double, 32, Pivoting::rook>);
BENCHMARK(lapack_sytrf_rook<32>);
BENCHMARK(factor_ldlt<double, 32, Pivoting::bunch_kaufman>);
BENCHMARK(factor_ldlt<double, 32, Pivoting::none>);
BENCHMARK(factor_ldlt<float, 32, Pivoting::rook>);
BENCHMARK(factor_lu<double, 8>);
BENCHMARK(lapack_getrf<8>);
BENCHMARK(factor_lu<double, 16>);
BENCHMARK(lapack_getrf<16>);
BENCHMARK(factor_lu<double, 32>);
BENCHMARK(lapack_getrf<32>);
BENCHMARK(factor_lu<float, 32>);
BENCHMARK(inverse<double, 16>);
BENCHMARK(inverse<double, 32>);
BENCHMARK(product<false, double, 8>);
BENCHMARK(blas_gemm<8>);
BENCHMARK(product<false, double, 16>);
BENCHMARK(blas_gemm<16>);
BENCHMARK(product<false, double, 32>);
BENCHMARK(blas_gemm<32>);
BENCHMARK(product<true, double, 32>);
BENCHMARK(product<false, float, 32>);

} // namespace

BENCHMARK_MAIN();
