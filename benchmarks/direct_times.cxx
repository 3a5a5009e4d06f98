// Times the direct solver: analysis, factorization, solve; and says how good the solution is.
//
//   direct_times [-backend host|cuda] [-threads N] [-repeat N] [-definite | -lu] [-ordering auto|nd|amd|metis|natural]
//   [-nemin N] [-u U] [-refine STEPS] [-columns N] [-row | -plan]
//                (FILE.mtx[.gz] | kkt3d:N | poisson:N | convection:N) ...
//
// LDLT, with -definite LLT, with -lu LU. poisson:N is the 7-point Laplacian on N x N x N points. A line for each
// system: rows, entries of L, flops (additions and multiplications), seconds of the analysis, milliseconds of a
// factorization (median of N runs after one more), as they were predicted, and of a solve, the scaled backward error of
// one solution of b = A times random numbers, inertia, and pivots. -columns: right-hand sides of a solve, each twice
// the one before, of which the last one is judged. -row: a line of key=value words in its place, seconds throughout.
// -plan: the analysis only: its processor time, entries, flops, fronts, those on the longest path to a root, and
// entries of all that fronts hand to their parents, as squares; seconds of its steps. With -backend cuda that of a plan
// for a GPU, which it does not need; and the seconds of its arrays, fronts of warps, thread blocks and tiles, and GB:
// entries of the factor, the factor as it is kept, and what contributions take beside it, on an H100 or H200.

#include "any_plan.hpp"
#include "factor/front/device/front_kinds.hpp"
#include "factor/front/direct_factorization.hpp"
#include "factor/front/predicted_time.hpp"
#include "factor/lu/lu_factorization.hpp"
#include "median.hpp"
#include "named_system.hpp"
#include "plan_arguments.hpp"
#include "right_hand_sides.hpp"
#include "support/backward_error.hpp"
#include "support/random_matrix.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <omp.h>
#include <string>
#ifdef TESSERA_WITH_CUDA
#include <cuda_runtime.h>
#endif

using namespace tessera;

namespace {

struct Options {
  int repeat = 3;
  Index columns = 1; ///< right-hand sides
  bool on_device = false, lu = false, row = false, plan_only = false;
  FactorKind kind = FactorKind::LDLT;
  PlanOptions plan;
  DirectOptions direct;
  RefinementOptions refinement{1e-14, 0};
};

double seconds()
{
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Numbers where a factorization wants them.
class Numbers {
public:
  Numbers(const std::vector<double> &x, Place place) : on_host_(x), place_(place)
  {
#ifdef TESSERA_WITH_CUDA
    if (place == Place::Device &&
        (cudaMalloc(&on_device_, x.size() * sizeof(double) + 1) != cudaSuccess ||
         cudaMemcpy(on_device_, x.data(), x.size() * sizeof(double), cudaMemcpyHostToDevice) != cudaSuccess))
      std::exit(1);
#endif
  }
  Numbers(const Numbers &) = delete;
  Numbers &operator=(const Numbers &) = delete;
  ~Numbers()
  {
#ifdef TESSERA_WITH_CUDA
    cudaFree(on_device_);
#endif
  }

  double *data()
  {
    return place_ == Place::Host ? on_host_.data() : on_device_;
  }

  /// Waits for the device.
  const std::vector<double> &on_host()
  {
#ifdef TESSERA_WITH_CUDA
    if (place_ == Place::Device && cudaMemcpy(on_host_.data(), on_device_, on_host_.size() * sizeof(double),
                                              cudaMemcpyDeviceToHost) != cudaSuccess)
      std::exit(1);
#endif
    return on_host_;
  }

  void wait() const
  {
#ifdef TESSERA_WITH_CUDA
    if (place_ == Place::Device)
      cudaDeviceSynchronize();
#endif
  }

private:
  std::vector<double> on_host_;
  Place place_;
  double *on_device_ = nullptr;
};

std::unique_ptr<DirectFactorization> make_factorization(const AnyPlan &plan, const Options &options)
{
#ifdef TESSERA_WITH_CUDA
  if (options.on_device)
    return options.lu ? make_cuda_lu(plan.lu.plan) : make_cuda_direct(plan.symmetric.plan, options.kind);
#endif
  return options.lu ? make_host_lu(plan.lu.plan) : make_host_direct(plan.symmetric.plan, options.kind);
}

std::uint64_t checksum(const std::vector<double> &x)
{
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (double value : x) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    sum = (sum ^ bits) * 0x100000001b3u;
  }
  return sum;
}

struct Measured {
  std::string name;
  Index rows;
  const FrontPlan &fronts;
  const DirectReport &report;
  double analysis, factor, predicted, solve; ///< seconds; predicted: of a factorization
  Offset bytes;
  double backward_error;
  int steps; ///< of refinement
  std::uint64_t bits;
};

void print_row(const Measured &m)
{
  std::printf(
      "name=%s rows=%d fronts=%d largest_front=%d factor_entries=%lld flops=%.6g solved=%s reason=%d "
      "analysis_seconds=%.6g repeat_setup_seconds=%.6g predicted_seconds=%.3g repeat_solve_seconds=%.6g "
      "backward_error=%.4e "
      "refinement_steps=%d positive=%lld negative=%lld uncertain=%lld two_by_two=%lld delayed=%lld asked_host=%d "
      "zero=%lld measured=%lld bordered=%lld "
      "device_bytes=%lld bits=%016llx\n",
      m.name.c_str(), int(m.rows), int(m.fronts.tree.fronts()), int(m.fronts.largest_front),
      (long long)m.fronts.factor_entries, m.report.flops, m.report.status == DirectReport::Complete ? "true" : "false",
      int(m.report.status), m.analysis, m.factor, m.predicted, m.solve, m.backward_error, m.steps,
      (long long)m.report.positive, (long long)m.report.negative, (long long)m.report.uncertain,
      (long long)m.report.two_by_two, (long long)m.report.delayed, int(m.report.asked_host), (long long)m.report.zero,
      (long long)m.report.measured, (long long)m.report.bordered, (long long)m.bytes, (unsigned long long)m.bits);
}

void print_line(const Measured &m)
{
  std::printf("%-28s n %8d nnz(L) %.2e flops %.2e fronts %d largest %d: ", m.name.c_str(), int(m.rows),
              double(m.fronts.factor_entries), m.fronts.flops, int(m.fronts.tree.fronts()),
              int(m.fronts.largest_front));
  if (m.report.status != DirectReport::Complete) {
    std::printf("status %d row %d\n", int(m.report.status), int(m.report.failed_row));
    return;
  }
  std::printf("analysis %.3f s factor %.2f ms (%.2f Gflop/s; predicted %.2g ms) solve %.2f ms error %.1e (%d steps) "
              "inertia -%lld 0:%lld "
              "+%lld 2x2 %lld delayed %lld flops %.2e MB %.0f bits %016llx\n",
              m.analysis, 1e3 * m.factor, 1e-9 * m.report.flops / m.factor, 1e3 * m.predicted, 1e3 * m.solve,
              m.backward_error, m.steps, (long long)m.report.negative, (long long)m.report.zero,
              (long long)m.report.positive, (long long)m.report.two_by_two, (long long)m.report.delayed, m.report.flops,
              1e-6 * double(m.bytes), (unsigned long long)m.bits);
}

/// Fronts on the longest path to a root.
Index longest_path(const AssemblyTree &tree)
{
  std::vector<Index> path(tree.fronts(), 1);
  for (Index s = 0; s < tree.fronts(); ++s)
    if (tree.parent[s] >= 0)
      path[tree.parent[s]] = std::max(path[tree.parent[s]], path[s] + 1);
  return path.empty() ? 0 : *std::max_element(path.begin(), path.end());
}

/// Seconds of the steps of the analysis.
void print_steps(const AnyPlan &plan, const Options &options)
{
  for (const StepTime &step : plan.steps(options.lu))
    std::printf("    %s %.4f", name_of(step.step), step.seconds);
  std::printf("\n");
}

/// What a plan comes to in the memory of a GPU.
void show_device_plan(const FrontPlan &fronts)
{
  const double begin = seconds();
  const DevicePlan plan = make_device_plan(fronts, usual_block_rows);
  const double time = seconds() - begin;
  int kinds[3] = {};
  for (const DeviceFront &f : plan.front)
    ++kinds[int(f.kind)];
  const double factor = double(plan.sides) * double(plan.factor_numbers), gigabytes = 8e-9;
  std::printf("    arrays %.3f s, fronts %d %d %d, entries %.3f GB, kept %.3f GB, contributions beside %.3f GB\n", time,
              kinds[0], kinds[1], kinds[2], gigabytes * double(fronts.factor_entries), gigabytes * factor,
              gigabytes * (double(plan.memory_numbers) - factor));
}

void show_plan(const std::string &name, const Options &options)
{
  const Matrix a = system_of(name);
  const std::clock_t begin = std::clock();
  const AnyPlan plan(a, options.plan, options.lu);
  const double time = double(std::clock() - begin) / CLOCKS_PER_SEC;
  const FrontPlan &fronts = plan.fronts(options.lu);
  double contributions = 0;
  for (Index s = 0; s < fronts.tree.fronts(); ++s)
    contributions += double(fronts.tree.below_rows(s)) * double(fronts.tree.below_rows(s));
  std::printf("%-28s n %8d nnz(L) %.3e flops %.3e fronts %7d path %4d contributions %.2e analysis %.3f s\n",
              name.substr(name.find_last_of('/') + 1).c_str(), int(a.pattern.rows), double(fronts.factor_entries),
              fronts.flops, int(fronts.tree.fronts()), int(longest_path(fronts.tree)), contributions, time);
  print_steps(plan, options);
  if (options.on_device)
    show_device_plan(fronts);
  std::fflush(stdout);
}

void measure(const std::string &name, const Options &options)
{
  const Matrix a = system_of(name);
  const Index n = a.pattern.rows;
  double begin = seconds();
  const AnyPlan plan(a, options.plan, options.lu);
  const double analysis = seconds() - begin;
  const FrontPlan &fronts = plan.fronts(options.lu);
  const auto factorization = make_factorization(plan, options);
  Numbers values(a.value, factorization->place());
  std::vector<double> factor_times, solve_times;
  DirectReport report;
  SolveReport solved;
  DirectReport first;
  for (int r = 0; r <= options.repeat; ++r) {
    begin = seconds();
    report = factorization->factor(values.data(), options.direct);
    if (r == 0)
      first = report;
    else
      factor_times.push_back(seconds() - begin);
  }
  report.asked_host = first.asked_host; // which are done once, in general
  report.measured = first.measured;
  const std::vector<double> exact = test::random_vector(n, 1);
  const std::vector<double> b = test::product(a, exact), all = columns_of(b, options.columns);
  Numbers right(all, factorization->place()), solution(all, factorization->place());
  for (int r = 0; r <= options.repeat && report.status == DirectReport::Complete; ++r) {
    begin = seconds();
    solved = factorization->solve(options.columns, right.data(), n, solution.data(), n, options.refinement);
    solution.wait();
    if (r > 0)
      solve_times.push_back(seconds() - begin);
  }
  const Measured measured{name.substr(name.find_last_of('/') + 1),
                          n,
                          fronts,
                          report,
                          analysis,
                          median(factor_times),
                          options.on_device ? predicted_device_time(fronts)
                                            : predicted_host_time(fronts, omp_get_max_threads()),
                          solve_times.empty() ? 0 : median(solve_times),
                          factorization->bytes(),
                          test::backward_error(a, last_column(solution.on_host(), n), last_column(all, n)),
                          int(solved.steps),
                          checksum(solution.on_host())};
  (options.row ? print_row : print_line)(measured);
  if (!options.row)
    print_steps(plan, options);
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv)
{
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const auto next = [&] { return std::string(i + 1 < argc ? argv[++i] : ""); };
    if (arg == "-backend") {
      options.on_device = next() == "cuda";
      if (options.on_device)
        prefer_device(options.plan);
    } else if (arg == "-threads")
      omp_set_num_threads(std::atoi(next().c_str()));
    else if (arg == "-repeat")
      options.repeat = std::max(1, std::atoi(next().c_str()));
    else if (arg == "-definite") {
      options.kind = FactorKind::LLT;
      options.plan.preprocessing = Preprocessing::None;
    } else if (arg == "-lu") {
      options.lu = true;
      if (!options.on_device)
        options.plan = lu_plan_options();
    } else if (arg == "-row")
      options.row = true;
    else if (arg == "-columns")
      options.columns = std::max(1, std::atoi(next().c_str()));
    else if (arg == "-plan")
      options.plan_only = true;
    else if (arg == "-refine")
      options.refinement.most = std::atoi(next().c_str());
    else if (arg == "-u")
      options.direct.threshold = std::atof(next().c_str());
    else if (!take_plan_argument(arg, next, options.plan))
      (options.plan_only ? show_plan : measure)(arg, options);
  }
}
