// Times NVIDIA's direct solver cuDSS as direct_times times Tessera's: analysis, factorization, solve; and says how good
// the solution is. Needs a GPU.
//
//   cudss_times [-type general|symmetric|spd] [-no_matching] [-deterministic] [-refine STEPS]
//               [-threading_layer FILE|default] [-columns N] [-repeat N] [-row]
//               (FILE | kkt3d:N | poisson:N | convection:N) ...
//
// FILE: Matrix Market (.mtx, .mtx.gz) or PETSc's binary format. cuDSS runs with its defaults but for what these options
// say. -type: symmetric by default; general is LU, spd Cholesky. -threading_layer: without it the analysis has one
// thread; `default` is the file for GNU's OpenMP that was found beside the library, and OMP_NUM_THREADS says how many
// threads there are.
//
// A line for each system: rows, entries of the factor and operations as cuDSS tells them; seconds of the analysis,
// which are those of reordering and symbolic factorization; milliseconds of the first factorization, of one with the
// pattern known and of a solve (medians of N, 5 by default), with all data in device memory; the relative residual and
// the scaled backward error of the last solution of b = A times random numbers; inertia, replaced pivots; megabytes of
// device memory taken since the CUDA context was made; whether all solutions have the same bits. -columns: right-hand
// sides of a solve, each twice the one before, of which the last one is judged. -row: a line of key=value words in its
// place, with the keys of the example programs, seconds throughout.

#include "cudss_driver.hpp"
#include "median.hpp"
#include "named_system.hpp"
#include "right_hand_sides.hpp"
#include "support/backward_error.hpp"
#include "support/random_matrix.hpp"

#include <cstring>
#include <exception>

using namespace tessera;

namespace {

struct Options {
  int repeat = 5;
  Index columns = 1;
  bool row = false;
  std::string threading_layer;
  CudssOptions cudss;
};

struct Times {
  double reordering, symbolic, first;
  std::vector<double> factor, solve;
};

struct Accuracy {
  double residual, backward_error, forward_error;
};

/// The relative residual, the scaled backward error, and the largest error relative to the largest number.
Accuracy accuracy_of(const Matrix &a, const std::vector<double> &x, const std::vector<double> &b,
                     const std::vector<double> &exact)
{
  double wrong = 0, largest = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    wrong = std::max(wrong, std::abs(x[i] - exact[i]));
    largest = std::max(largest, std::abs(exact[i]));
  }
  return {relative_residual(a, x, b), test::backward_error(a, x, b), wrong / largest};
}

void print_row(const std::string &name, const Matrix &a, const Times &times, const Accuracy &accuracy,
               const CudssReport &report, double bytes, bool same_bits)
{
  std::printf("name=%s rows=%d entries=%lld iterations=1 solved=%s reason=%s setup_seconds=%.6g solve_seconds=%.6g "
              "repeat_setup_seconds=%.6g repeat_solve_seconds=%.6g same_bits=%s relative_residual=%.4e "
              "backward_error=%.4e forward_error=%.4e reordering_seconds=%.6g symbolic_seconds=%.6g "
              "factor_entries=%lld flops=%lld positive=%d negative=%d perturbed=%d device_bytes=%.0f\n",
              name.c_str(), int(a.pattern.rows), (long long)a.pattern.entries(),
              accuracy.residual <= 1e-6 ? "true" : "false",
              accuracy.residual <= 1e-6 ? "CONVERGED_RTOL" : "DIVERGED_INACCURATE",
              times.reordering + times.symbolic + times.first, times.solve.front(), median(times.factor),
              median(times.solve), same_bits ? "true" : "false", accuracy.residual, accuracy.backward_error,
              accuracy.forward_error, times.reordering, times.symbolic, (long long)report.factor_entries,
              (long long)report.flops, report.positive, report.negative, report.perturbed, bytes);
}

void print_line(const std::string &name, const Matrix &a, const Times &times, const Accuracy &accuracy,
                const CudssReport &report, double bytes, bool same_bits)
{
  std::printf("%-28s n %8d nnz(L) %.2e flops %.2e: analysis %.3f s (reordering %.3f, symbolic %.3f) first %.2f ms "
              "factor %.2f ms (%.2f Gflop/s) solve %.2f ms residual %.1e error %.1e ",
              name.c_str(), int(a.pattern.rows), double(report.factor_entries), double(report.flops),
              times.reordering + times.symbolic, times.reordering, times.symbolic, 1e3 * times.first,
              1e3 * median(times.factor), 1e-9 * double(report.flops) / median(times.factor), 1e3 * median(times.solve),
              accuracy.residual, accuracy.backward_error);
  if (report.positive >= 0)
    std::printf("inertia -%d 0:%d +%d ", report.negative, int(a.pattern.rows) - report.negative - report.positive,
                report.positive);
  std::printf("perturbed %d MB %.0f same bits %s\n", report.perturbed, 1e-6 * bytes, same_bits ? "yes" : "no");
}

void measure(const std::string &argument, const Options &options)
{
  const std::string name = argument.substr(argument.find_last_of('/') + 1);
  const Matrix a = system_of(argument);
  check_type(name, a, options.cudss.type);
  const Index n = a.pattern.rows;
  const std::vector<double> all = columns_of(test::product(a, test::random_vector(n, 1)), options.columns);
  const std::vector<double> b = last_column(all, n),
                            exact = last_column(columns_of(test::random_vector(n, 1), options.columns), n);
  const CudssLibrary library(options.threading_layer);
  CudssSolver solver(library, a.pattern, options.cudss, options.columns);
  solver.set_values(a.value);
  solver.set_right_hand_sides(all);
  Times times;
  times.reordering = seconds([&] { solver.reorder(); });
  times.symbolic = seconds([&] { solver.factor_symbolically(); });
  times.first = seconds([&] { solver.factor(); });
  solver.solve(); // the first one prepares more
  const std::vector<double> first = solver.solutions();
  std::vector<double> x;
  bool same_bits = true;
  for (int r = 0; r < options.repeat; ++r) {
    times.factor.push_back(seconds([&] { solver.refactor(); }));
    times.solve.push_back(seconds([&] { solver.solve(); }));
    x = solver.solutions();
    same_bits = same_bits && std::memcmp(x.data(), first.data(), x.size() * sizeof(double)) == 0;
  }
  (options.row ? print_row : print_line)(name, a, times, accuracy_of(a, last_column(x, n), b, exact), solver.report(),
                                         double(library.bytes()), same_bits);
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv)
{
  Options options;
  int status = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto next = [&] { return std::string(i + 1 < argc ? argv[++i] : ""); };
    if (argument == "-repeat")
      options.repeat = std::max(1, std::atoi(next().c_str()));
    else if (argument == "-columns")
      options.columns = std::max(1, std::atoi(next().c_str()));
    else if (argument == "-row")
      options.row = true;
    else if (!take_cudss_argument(argument, next, options.cudss, options.threading_layer)) {
      if (argument[0] == '-')
        refuse_arguments("unknown option " + argument);
      try {
        measure(argument, options);
      } catch (const std::exception &error) {
        std::fprintf(stderr, "error: %s: %s\n", argument.c_str(), error.what());
        status = 1; // the other systems may do
      }
    }
  }
  return status;
}
