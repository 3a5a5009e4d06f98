// Times of a block factor on a GPU, without PETSc: analysis, first and same-pattern factorization, apply; and the
// floors of an apply, measured in the same run: the bytes of the factor read by both sweeps over the copy bandwidth,
// and the levels of both sweeps times the hand-over between thread blocks.
//
//   device_factor SYSTEM [block size [fill level [drop tolerance [repeats [ordering [precision]]]]]]
//
// SYSTEM: symmetric; kkt3d:N, poisson:N, a Matrix Market file, or one in PETSc's binary format with both triangles.
// Fill level -1: complete. Ordering: nd, or color, which has few levels without fill, or auto. Defaults: 32, -1, 1e-3,
// 7, auto, double. Without dropping small pivots are replaced as PCBILDLT does it.

#include "analysis/symbolic/merge_leaves.hpp"
#include "cuda/runtime/launch_kernel.cuh"
#include "factor/bildlt/factorization.hpp"
#include "factor/bildlt/strengthen.hpp"

#include "median.hpp"
#include "named_system.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <numeric>

using namespace tessera;

namespace {

void check(cudaError_t status)
{
  if (status != cudaSuccess) {
    std::printf("CUDA error: %s\n", cudaGetErrorString(status));
    std::exit(1);
  }
}

/// Seconds of a call that ends when the device has done it.
template <class Call>
double seconds(const Call &call)
{
  check(cudaDeviceSynchronize());
  const auto begin = std::chrono::steady_clock::now();
  call();
  check(cudaDeviceSynchronize());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

template <class Call>
double median_seconds(int repeats, const Call &call)
{
  std::vector<double> times(repeats);
  for (double &time : times)
    time = seconds(call);
  return median(times);
}

/// Bytes that a copy in device memory reads and writes in a second.
double copy_bandwidth()
{
  const std::size_t size = std::size_t(1) << 30;
  char *from, *to;
  check(cudaMalloc(&from, size));
  check(cudaMalloc(&to, size));
  check(cudaMemset(from, 1, size));
  const double time = median_seconds(9, [&] { check(cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToDevice)); });
  check(cudaFree(from));
  check(cudaFree(to));
  return 2.0 * size / time;
}

/// Thread block b stores its number where block b + 1 reads until it is there.
__global__ void hand_over(double *x)
{
  const int b = blockIdx.x;
  double before = 0;
  if (b > 0)
    do
      asm volatile("ld.relaxed.gpu.global.f64 %0, [%1];" : "=d"(before) : "l"(x + b - 1) : "memory");
    while (before == 0);
  asm volatile("st.relaxed.gpu.global.f64 [%0], %1;" ::"l"(x + b), "d"(before + 1) : "memory");
}

/// Seconds from a value's store by a thread block to that of the next block, which waits for it.
double hand_over_latency()
{
  constexpr int blocks = 500;
  double *x;
  check(cudaMalloc(&x, blocks * sizeof *x));
  std::vector<double> times;
  for (int i = 0; i < 9; ++i) {
    check(cudaMemset(x, 0, blocks * sizeof *x));
    const double chain = seconds([&] { check(launch_kernel(hand_over, {blocks, 1, 0, nullptr}, x)); });
    check(cudaMemset(x, 0, blocks * sizeof *x));
    times.push_back((chain - seconds([&] { check(launch_kernel(hand_over, {1, 1, 0, nullptr}, x)); })) / (blocks - 1));
  }
  check(cudaFree(x));
  return median(times);
}

double *upload(const std::vector<double> &x)
{
  double *on_device;
  check(cudaMalloc(&on_device, x.size() * sizeof(double)));
  check(cudaMemcpy(on_device, x.data(), x.size() * sizeof(double), cudaMemcpyHostToDevice));
  return on_device;
}

Analysis analyze(const char *path, const Matrix &matrix, const AnalysisOptions &options)
{
  std::vector<Offset> source(matrix.pattern.entries());
  std::iota(source.begin(), source.end(), 0);
  Analysis analysis;
  const double time = seconds([&] { analysis = analyze_matrix(matrix, source, options); });
  if (analysis.status != AnalysisStatus::Ok)
    refuse_file(path, "cannot be analysed");
  std::printf("analysis %.3f s:", time);
  for (const StepTime &t : analysis.times)
    std::printf(" %s %.3f;", name_of(t.step), t.seconds);
  std::printf("\n%d blocks, %lld tiles, %d levels\n", analysis.structure.blocks(),
              static_cast<long long>(analysis.structure.tiles.upper.entries()), analysis.structure.levels.levels());
  return analysis;
}

void time_factor(const Analysis &analysis, const Matrix &matrix, const FactorOptions &options, int repeats,
                 Precision precision)
{
  const auto factorization = make_cuda_factorization(analysis, precision);
  double *a = upload(matrix.value), *r = upload(std::vector<double>(matrix.pattern.rows, 1)),
         *z = upload(std::vector<double>(matrix.pattern.rows, 0));
  FactorReport report;
  const auto factor = [&] { report = factorization->factor(a, Place::Device, options); };
  const auto apply = [&] { factorization->apply(r, Place::Device, z, Place::Device, false); };
  const double first = seconds(factor), again = median_seconds(repeats, factor);
  seconds(apply);
  const double applied = median_seconds(3 * repeats, apply);
  const double bytes = 2.0 * (precision == Precision::Single ? sizeof(float) : sizeof(double)) *
                       double(report.entries) / copy_bandwidth();
  const double depth = 2.0 * analysis.structure.levels.levels() * hand_over_latency();
  std::printf("factor: first %.3f ms, same pattern %.3f ms, %lld entries, %.2f GB of device memory\n", 1e3 * first,
              1e3 * again, static_cast<long long>(report.entries), 1e-9 * double(factorization->bytes()));
  std::printf("apply %.3f ms; floors: bytes %.3f ms, depth %.3f ms\n", 1e3 * applied, 1e3 * bytes, 1e3 * depth);
  for (double *p : {a, r, z})
    check(cudaFree(p));
}

} // namespace

int main(int argc, char **argv)
{
  if (argc < 2) {
    std::printf(
        "usage: %s SYSTEM [block size [fill level [drop tolerance [repeats [nd|color|auto [single|double]]]]]]\n",
        argv[0]);
    return 1;
  }
  AnalysisOptions analysis_options;
  analysis_options.pairs_apart = true; // as PCBILDLT has it
  analysis_options.blocking.level_flops = device_level_flops;
  analysis_options.blocking.leaves = device_leaf;
  analysis_options.short_level = device_short_level;
  FactorOptions factor_options;
  if (argc > 2)
    analysis_options.blocking.max_rows = analysis_options.blocking.low_fill_rows = std::atoi(argv[2]);
  analysis_options.fill_level = argc > 3 ? std::atoi(argv[3]) : complete_level;
  factor_options.drop_tolerance = argc > 4 ? std::atof(argv[4]) : 1e-3;
  if (argc > 6 && std::strcmp(argv[6], "auto") != 0) {
    analysis_options.short_level = 0;
    analysis_options.blocking.ordering = std::strcmp(argv[6], "color") == 0 ? Ordering::Color : Ordering::ND;
  }
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0));
  const Matrix matrix = system_of(argv[1]);
  std::printf("%s: %d rows, %lld entries; %s\n", argv[1], matrix.pattern.rows,
              static_cast<long long>(matrix.pattern.entries()), properties.name);
  const Analysis analysis = analyze(argv[1], matrix, analysis_options);
  factor_options.perturbation = automatic_perturbation(keeps_all(analysis, factor_options), analysis.structure.rows);
  time_factor(analysis, matrix, factor_options, argc > 5 ? std::max(1, std::atoi(argv[5])) : 7,
              argc > 7 && std::strcmp(argv[7], "single") == 0 ? Precision::Single : Precision::Double);
  return 0;
}
