// Times dense symmetric factorizations on a GPU beside cuSOLVER's, which has to run in the same memory.
//
//   dense_times [-repeat N] [-batch COUNT:ROWS] ROWS ...
//
// ROWS: a matrix of random numbers in -1 .. 1, as one front: Tessera's LDLᵀ with pivoting over whole columns,
// cuSOLVER's sytrf (Bunch-Kaufman pivoting; once). With ROWS added to the diagonal, which makes it definite: Tessera's
// LDLᵀ and LLᵀ, cuSOLVER's potrf. -batch: so many definite matrices of ROWS rows each, as fronts of one block diagonal
// matrix, beside cuSOLVER's batched potrf. Times are medians of N (5) after one more, with values in device memory;
// Tessera's is that of a factorization with the pattern known. Tflop/s count rows³/3 operations for all of them. The
// scaled backward error is that of Tessera's solution without refinement.

#include "cuda_array.hpp"
#include "factor/front/direct_factorization.hpp"
#include "factor/front/make_plan.hpp"
#include "median.hpp"
#include "support/backward_error.hpp"
#include "support/random_matrix.hpp"

#include <cusolverDn.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <string>
#include <vector>

using namespace tessera;

namespace {

using tessera::check;

void check(cusolverStatus_t status, const char *what)
{
  if (status != CUSOLVER_STATUS_SUCCESS)
    throw std::runtime_error(std::string(what) + ": cuSOLVER's status is " + std::to_string(int(status)));
}

/// `blocks` dense symmetric matrices of n rows on a diagonal, with `shift` added to their diagonal entries.
Matrix block_diagonal(Index blocks, Index n, double shift)
{
  test::Random random(1);
  std::vector<double> block(std::size_t(n) * n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j)
      block[std::size_t(i) * n + j] = block[std::size_t(j) * n + i] = random.between(-1, 1) + (i == j ? shift : 0);
  Matrix a;
  a.pattern.rows = a.pattern.cols = blocks * n;
  a.pattern.column.reserve(std::size_t(blocks) * block.size());
  a.value.reserve(std::size_t(blocks) * block.size());
  for (Index b = 0; b < blocks; ++b) {
    a.value.insert(a.value.end(), block.begin(), block.end());
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j)
        a.pattern.column.push_back(b * n + j);
      a.pattern.start.push_back(Offset(a.pattern.column.size()));
    }
  }
  return a;
}

/// Median seconds of run() after prepare(), which is not timed.
template <class Prepare, class Run>
double median_seconds(int repeat, const Prepare &prepare, const Run &run)
{
  std::vector<double> times;
  for (int r = 0; r <= repeat; ++r) {
    prepare();
    check(cudaDeviceSynchronize(), "CUDA");
    const auto begin = std::chrono::steady_clock::now();
    run();
    check(cudaDeviceSynchronize(), "CUDA");
    if (r > 0)
      times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return median(times);
}

void print(const char *what, Index blocks, Index n, double seconds, const std::string &more)
{
  const double flops = double(blocks) * n * n * n / 3;
  std::printf("  %-28s %9.3f ms %7.2f Tflop/s%s\n", what, 1e3 * seconds, 1e-12 * flops / seconds, more.c_str());
  std::fflush(stdout);
}

/// As PETSc's dense matrices are factored: not matched, in the given order.
void time_tessera(const char *what, Index blocks, Index n, const Matrix &a, FactorKind kind, int repeat)
{
  PlanOptions options;
  prefer_device(options);
  options.preprocessing = kind == FactorKind::LLT ? Preprocessing::None : Preprocessing::Equilibrate;
  options.ordering = Ordering::Natural;
  std::vector<Offset> source(a.value.size());
  std::iota(source.begin(), source.end(), 0);
  const FrontPlan plan = make_plan(a, source, options).plan;
  const auto factorization = make_cuda_direct(plan, kind);
  CudaArray<double> values(a.value);
  DirectReport report;
  const double seconds = median_seconds(
      repeat, [] {}, [&] { report = factorization->factor(values.data(), DirectOptions()); });
  if (report.status != DirectReport::Complete) {
    std::printf("  %-28s fails with status %d\n", what, int(report.status));
    return;
  }
  const Index rows = a.pattern.rows;
  const std::vector<double> b = test::product(a, test::random_vector(rows, 1));
  CudaArray<double> right(b), solution(b);
  factorization->solve(1, right.data(), rows, solution.data(), rows, {1e-14, 0});
  char more[96];
  std::snprintf(more, sizeof more, "   error %.1e, searched by the host %d times", //
                test::backward_error(a, solution.on_host(), b), int(report.searches));
  print(what, blocks, n, seconds, more);
}

/// Ends the measurement where cuSOLVER has met a pivot that it does not take: its time would be that of a part.
void check_all(const CudaArray<int> &info, const char *what)
{
  for (const int k : info.on_host())
    if (k != 0)
      throw std::runtime_error(std::string(what) + ": cuSOLVER's info is " + std::to_string(k));
}

/// cuSOLVER, by one function of its own for one matrix.
class Cusolver {
public:
  Cusolver() { check(cusolverDnCreate(&handle_), "cusolverDnCreate"); }
  Cusolver(const Cusolver &) = delete;
  Cusolver &operator=(const Cusolver &) = delete;
  ~Cusolver() { cusolverDnDestroy(handle_); }

  double potrf(Index n, const std::vector<double> &value, int repeat)
  {
    CudaArray<double> from(value), a(value.size());
    CudaArray<int> info(1);
    int size = 0;
    check(cusolverDnDpotrf_bufferSize(handle_, CUBLAS_FILL_MODE_LOWER, n, a.data(), n, &size), "potrf_bufferSize");
    CudaArray<double> work(size);
    const double seconds = median_seconds(
        repeat, [&] { a.copy(from); },
        [&] {
          check(cusolverDnDpotrf(handle_, CUBLAS_FILL_MODE_LOWER, n, a.data(), n, work.data(), size, info.data()),
                "potrf");
        });
    check_all(info, "potrf");
    return seconds;
  }

  double sytrf(Index n, const std::vector<double> &value, int repeat)
  {
    CudaArray<double> from(value), a(value.size());
    CudaArray<int> info(1), pivots(n);
    int size = 0;
    check(cusolverDnDsytrf_bufferSize(handle_, n, a.data(), n, &size), "sytrf_bufferSize");
    CudaArray<double> work(size);
    const double seconds = median_seconds(
        repeat, [&] { a.copy(from); },
        [&] {
          check(cusolverDnDsytrf(handle_, CUBLAS_FILL_MODE_LOWER, n, a.data(), n, pivots.data(), work.data(), size,
                                 info.data()),
                "sytrf");
        });
    check_all(info, "sytrf");
    return seconds;
  }

  double batched_potrf(Index blocks, Index n, const std::vector<double> &value, int repeat)
  {
    CudaArray<double> from(value), a(value.size());
    std::vector<double *> begin(blocks);
    for (Index b = 0; b < blocks; ++b)
      begin[b] = a.data() + std::size_t(b) * n * n;
    CudaArray<double *> matrices(begin);
    CudaArray<int> info(blocks);
    const double seconds = median_seconds(
        repeat, [&] { a.copy(from); },
        [&] {
          check(cusolverDnDpotrfBatched(handle_, CUBLAS_FILL_MODE_LOWER, n, matrices.data(), n, info.data(), blocks),
                "potrfBatched");
        });
    check_all(info, "potrfBatched");
    return seconds;
  }

private:
  cusolverDnHandle_t handle_ = nullptr;
};

void measure_one(Index n, int repeat)
{
  Cusolver cusolver;
  std::printf("%d rows\n", int(n));
  {
    const Matrix a = block_diagonal(1, n, 0);
    time_tessera("Tessera LDLT", 1, n, a, FactorKind::LDLT, repeat);
    print("cuSOLVER sytrf", 1, n, cusolver.sytrf(n, a.value, 1), "");
  }
  const Matrix a = block_diagonal(1, n, n);
  time_tessera("Tessera LDLT, definite", 1, n, a, FactorKind::LDLT, repeat);
  time_tessera("Tessera LLT", 1, n, a, FactorKind::LLT, repeat);
  print("cuSOLVER potrf", 1, n, cusolver.potrf(n, a.value, repeat), "");
}

void measure_batch(Index blocks, Index n, int repeat)
{
  Cusolver cusolver;
  std::printf("%d times %d rows\n", int(blocks), int(n));
  const Matrix a = block_diagonal(blocks, n, n);
  time_tessera("Tessera LDLT, definite", blocks, n, a, FactorKind::LDLT, repeat);
  time_tessera("Tessera LLT", blocks, n, a, FactorKind::LLT, repeat);
  print("cuSOLVER batched potrf", blocks, n, cusolver.batched_potrf(blocks, n, a.value, repeat), "");
}

int run(int argc, char **argv)
{
  int repeat = 5;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::string next = i + 1 < argc ? argv[i + 1] : "";
    if (argument == "-repeat") {
      repeat = std::max(1, std::atoi(next.c_str()));
      ++i;
    } else if (argument == "-batch") {
      const std::size_t colon = next.find(':');
      if (colon == std::string::npos)
        return std::fprintf(stderr, "error: -batch COUNT:ROWS\n"), 2;
      measure_batch(std::atoi(next.c_str()), std::atoi(next.c_str() + colon + 1), repeat);
      ++i;
    } else if (std::atoi(argument.c_str()) > 0) {
      measure_one(std::atoi(argument.c_str()), repeat);
    } else {
      return std::fprintf(stderr, "error: unknown argument %s: [-repeat N] [-batch COUNT:ROWS] ROWS ...\n",
                          argument.c_str()),
             2;
    }
  }
  return 0;
}

} // namespace

int main(int argc, char **argv)
{
  try {
    return run(argc, argv);
  } catch (const std::exception &error) {
    return std::fprintf(stderr, "error: %s\n", error.what()), 1;
  }
}
