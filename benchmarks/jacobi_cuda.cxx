// Jacobi-LDLT beside the level-scheduled factorization on a GPU, and both backends of it beside each other.
//
//   jacobi_cuda [-sweeps S] [-stages T] [-epsilon E] [-repeat R] [-level K] (FILE.mtx[.gz] | kkt3d:N) ...
//
// For each symmetric matrix a line: milliseconds, the least of R setups with the same pattern, values in device memory,
//   levels    block incomplete LDLT by level sets, the same blocks and tiles, nothing dropped
//   first     Jacobi-LDLT from U = 0, its perturbation chosen automatically
//   later     the same with the perturbation that was chosen, and as many sweeps as brought most of it
//   unwatched S sweeps without measuring the reconstruction error
//   ratio     levels over later
//   warm      a setup from the last factor, after every value has been multiplied by 1 + 0.01 r, -1 <= r <= 1 random:
//             milliseconds, sweeps, and the error over that of a setup from U = 0
//   apply     of the Jacobi factor: by levels, and by 5 sweeps
// then whether host and device give the same bits in the factor and in an application by sweeps, and whether two runs
// do. kkt3d:N is the matrix of examples/kkt3d -numbering field for N.
#include "analysis/analysis.hpp"
#include "base/random.hpp"
#include "factor/bildlt/factorization.hpp"
#include "factor/jldlt/factorization.hpp"
#include "kkt3d.hpp"
#include "support/matrix_market.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <numeric>

using namespace tessera;

namespace {

struct Options {
  Index sweeps = JacobiOptions().sweeps, stages = JacobiOptions().stages, level = 0;
  int repeat = 5;
  double epsilon = automatic_epsilon;
  bool compare = true;
};

template <class Action>
double least_milliseconds(int repeat, const Action &action)
{
  double least = 1e300;
  for (int i = 0; i <= repeat; ++i) {
    cudaDeviceSynchronize();
    const auto begin = std::chrono::steady_clock::now();
    action();
    cudaDeviceSynchronize();
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    least = i > 0 && ms < least ? ms : least; // the first warms up
  }
  return least;
}

bool same(const FactorCopy &x, const FactorCopy &y)
{
  return x.inverse == y.inverse && x.d == y.d && x.e == y.e && x.value == y.value;
}

/// The matrix with every value times 1 + 0.01 r, r from splitmix64 of the place of the entry or of its mirror image.
std::vector<double> change_values(const Matrix &matrix)
{
  std::vector<double> value = matrix.value;
  const Pattern &pattern = matrix.pattern;
  for (Index i = 0; i < pattern.rows; ++i)
    for (Offset p = pattern.start[i]; p < pattern.start[i + 1]; ++p) {
      const Index j = pattern.column[p];
      const std::uint64_t seed = std::uint64_t(std::min(i, j)) << 32 | std::uint64_t(std::max(i, j));
      const std::uint64_t z = SplitMix64(seed).bits();
      value[p] *= 1 + 0.01 * (double(z >> 11) / double(std::uint64_t(1) << 52) - 1);
    }
  return value;
}

struct WarmStart {
  double milliseconds = 1e300, error_ratio = 0;
  Index sweeps = 0;
  bool warm = false; ///< whether the last factor was taken
};

/// Setups from the factor of a matrix for one whose values differ little, back and forth.
WarmStart measure_warm(JacobiFactorization &jacobi, const Matrix &matrix, double *values, JacobiOptions o, int repeat)
{
  const std::size_t bytes = matrix.value.size() * sizeof(double);
  const std::vector<double> changed = change_values(matrix);
  double *changed_values;
  cudaMalloc(&changed_values, bytes);
  cudaMemcpy(changed_values, changed.data(), bytes, cudaMemcpyHostToDevice);
  WarmStart result;
  jacobi.factor(values, Place::Device, o);
  o.warm_start = true;
  for (int i = 0; i <= repeat; ++i) {
    if (i > 0)
      jacobi.factor(values, Place::Device, o);
    cudaDeviceSynchronize();
    const auto begin = std::chrono::steady_clock::now();
    const JacobiReport report = jacobi.factor(changed_values, Place::Device, o);
    cudaDeviceSynchronize();
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    result.milliseconds = std::min(result.milliseconds, ms);
    result.sweeps = report.sweeps;
    result.warm = report.warm;
    result.error_ratio = report.final_error;
  }
  o.warm_start = false;
  result.error_ratio /= jacobi.factor(changed_values, Place::Device, o).final_error;
  jacobi.factor(values, Place::Device, o);
  cudaFree(changed_values);
  return result;
}

void measure(const char *name, const Matrix &matrix, const Options &options)
{
  std::vector<Offset> source(matrix.pattern.entries());
  std::iota(source.begin(), source.end(), 0);
  AnalysisOptions analysis_options;
  analysis_options.fill_level = options.level;
  analysis_options.blocking.ordering = Ordering::ND;
  analysis_options.blocking.strategy = BlockStrategy::BR;
  const auto begin = std::chrono::steady_clock::now();
  const Analysis analysis = analyze_matrix(matrix, source, analysis_options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const BlockStructure &s = analysis.structure;
  double *values;
  cudaMalloc(&values, matrix.value.size() * sizeof(double));
  cudaMemcpy(values, matrix.value.data(), matrix.value.size() * sizeof(double), cudaMemcpyHostToDevice);
  double levels;
  {
    const auto factorization = make_cuda_factorization(analysis, Precision::Double);
    levels = least_milliseconds(options.repeat, [&] { factorization->factor(values, Place::Device, FactorOptions()); });
  }
  const auto jacobi = make_cuda_jacobi(analysis);
  JacobiOptions o;
  o.sweeps = options.sweeps;
  o.stages = options.stages;
  o.epsilon = options.epsilon;
  o.warm_start = false;
  JacobiReport report;
  jacobi->factor(values, Place::Device, o);
  double first = 1e300;
  for (int i = 0; i < 2; ++i) {
    cudaMemset(values, 0xff, sizeof(double)); // not a number: what was known is forgotten
    jacobi->factor(values, Place::Device, o);
    cudaMemcpy(values, matrix.value.data(), sizeof(double), cudaMemcpyHostToDevice);
    const auto start = std::chrono::steady_clock::now();
    report = jacobi->factor(values, Place::Device, o);
    first =
        std::min(first, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  o.epsilon = report.epsilon;
  const double later = least_milliseconds(options.repeat, [&] { report = jacobi->factor(values, Place::Device, o); });
  const double error = report.final_error;
  const Index sweeps = report.sweeps;
  const WarmStart warm = measure_warm(*jacobi, matrix, values, o, options.repeat);
  o.watch = false;
  const double unwatched = least_milliseconds(options.repeat, [&] { jacobi->factor(values, Place::Device, o); });
  std::vector<double> r(s.rows, 1.0), z(s.rows), z_host(s.rows);
  double *r_device, *z_device;
  cudaMalloc(&r_device, s.rows * sizeof(double));
  cudaMalloc(&z_device, s.rows * sizeof(double));
  cudaMemcpy(r_device, r.data(), s.rows * sizeof(double), cudaMemcpyHostToDevice);
  const auto apply = [&] { jacobi->apply(r_device, Place::Device, z_device, Place::Device, false); };
  const double by_levels = least_milliseconds(options.repeat, apply);
  jacobi->set_apply_sweeps(5);
  const double by_sweeps = least_milliseconds(options.repeat, apply);
  std::printf("| %s | %d | %d | %d | %.2f | %.3g | %.3g | %.3g | %.3g | %.1f | %.3g | %.3g | %d | %.2g | %.2e | %.3g%s "
              "| %d | %.3g |",
              name, s.rows, s.blocks(), s.levels.levels(), seconds, levels, first, later, unwatched, levels / later,
              by_levels, by_sweeps, sweeps, report.epsilon, error, warm.milliseconds, warm.warm ? "" : " (not taken)",
              warm.sweeps, warm.error_ratio);
  std::fflush(stdout);
  if (options.compare) {
    o.watch = true;
    jacobi->factor(values, Place::Device, o); // the unwatched ones have left what was known as it was
    const FactorCopy device = jacobi->copy();
    jacobi->apply(r.data(), Place::Host, z.data(), Place::Host, false);
    jacobi->factor(values, Place::Device, o);
    const bool repeats = same(device, jacobi->copy());
    const auto host = make_host_jacobi(analysis);
    host->factor(matrix.value.data(), Place::Host, o);
    const JacobiReport host_report = host->factor(matrix.value.data(), Place::Host, o); // a later one, too
    host->set_apply_sweeps(5);
    host->apply(r.data(), Place::Host, z_host.data(), Place::Host, false);
    std::printf(" %s | %s | %s |", same(device, host->copy()) && host_report.final_error == error ? "yes" : "NO",
                z == z_host ? "yes" : "NO", repeats ? "yes" : "NO");
  }
  std::printf("\n");
  std::fflush(stdout);
  cudaFree(values);
  cudaFree(r_device);
  cudaFree(z_device);
}

} // namespace

int main(int argc, char **argv)
{
  Options options;
  std::printf(
      "| matrix | rows | blocks | level sets | analysis, s | levels | first | later | unwatched | ratio | apply "
      "by levels | by sweeps | sweeps | epsilon | error | warm | sweeps | error, /cold | bits | apply | repeat |\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|---|---|\n");
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "-level") && i + 1 < argc)
      options.level = std::atoi(argv[++i]);
    else if (!std::strcmp(argv[i], "-sweeps") && i + 1 < argc)
      options.sweeps = std::atoi(argv[++i]);
    else if (!std::strcmp(argv[i], "-stages") && i + 1 < argc)
      options.stages = std::atoi(argv[++i]);
    else if (!std::strcmp(argv[i], "-repeat") && i + 1 < argc)
      options.repeat = std::atoi(argv[++i]);
    else if (!std::strcmp(argv[i], "-epsilon") && i + 1 < argc)
      options.epsilon = std::atof(argv[++i]);
    else if (!std::strcmp(argv[i], "-no_bits"))
      options.compare = false;
    else if (!std::strncmp(argv[i], "kkt3d:", 6))
      measure(argv[i], Kkt3d(std::atoi(argv[i] + 6)).assemble(), options);
    else {
      Matrix matrix;
      const char *name = std::strrchr(argv[i], '/') ? std::strrchr(argv[i], '/') + 1 : argv[i];
      if (test::read_matrix_market(argv[i], matrix))
        measure(std::string(name, std::strcspn(name, ".")).c_str(), matrix, options);
      else
        std::printf("%s: not a matrix\n", argv[i]);
    }
  }
  return 0;
}
