// Times the substitutions of the direct solver on a GPU, with factors of arbitrary numbers.
//
//   front_solve_times [-columns N] [-repeat N] [-block_rows N] [-nemin N] [-ordering auto|nd|amd|metis|natural]
//                     (FILE.mtx[.gz] | kkt3d:N | poisson:N) ...
//
// A line for each system: rows, fronts by kind, panels on the longest way from a leaf to a root, megabytes of the
// factor, the time of a solve (median of N after two more), and beside it what reading the factor once for each
// direction takes at 4 TB/s, the rate of a device copy on an H200. Every solve has to give the same bits.

#include "cuda/front/solve/solve.cuh"
#include "cuda/runtime/launch_kernel.cuh"
#include "factor/front/make_plan.hpp"
#include "median.hpp"
#include "named_system.hpp"
#include "plan_arguments.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

using namespace tessera;

namespace {

struct Options {
  Index columns = 1, block_rows = 160;
  int repeat = 20;
  PlanOptions plan;
};

/// Small numbers, so that no solution overflows
__global__ void fill(double *x, Offset n)
{
  for (Offset i = Offset(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += Offset(gridDim.x) * blockDim.x)
    x[i] = 1e-6 * double(i * 2654435761u % 1024);
}

struct Shape {
  Index count[3] = {0, 0, 0};
  Index panels[3] = {0, 0, 0}; ///< on the longest way, by kind
};

Shape shape_of(const DevicePlan &fronts)
{
  Shape shape;
  std::vector<Index> length(fronts.front.size(), 0);
  std::size_t longest = 0;
  for (std::size_t s = fronts.front.size(); s-- > 0;) {
    const DeviceFront &f = fronts.front[s];
    ++shape.count[int(f.kind)];
    length[s] = f.panels() + (f.parent >= 0 ? length[f.parent] : 0);
    if (length[s] > length[longest])
      longest = s;
  }
  for (Index s = fronts.front.empty() ? -1 : Index(longest); s >= 0; s = fronts.front[s].parent)
    shape.panels[int(fronts.front[s].kind)] += fronts.front[s].panels();
  return shape;
}

void measure(const std::string &name, const Options &options)
{
  const Matrix a = system_of(name);
  std::vector<Offset> source(a.value.size());
  std::iota(source.begin(), source.end(), 0);
  const FrontPlan plan = make_plan(a, source, options.plan).plan;
  const DevicePlan fronts = make_device_plan(plan, options.block_rows);
  const Index n = plan.tree.rows();
  DeviceQueue queue;
  std::vector<double> times, first, x(std::size_t(n) * options.columns);
  bool same = true;
  Shape shape = shape_of(fronts);
  {
    const DeviceCall call(queue);
    const DeviceArray<double> factor(fronts.factor_numbers, queue), solution(Offset(n) * options.columns, queue);
    const DeviceArray<std::uint32_t> live(std::vector<std::uint32_t>(fronts.words, ~0u), queue);
    const DeviceArray<std::uint32_t> swapped(std::vector<std::uint32_t>(fronts.words, 0), queue);
    const DeviceArray<double> b(std::vector<double>(std::size_t(n) * options.columns, 1.0), queue);
    check(launch_kernel(fill, {1024, 256, 0, queue}, factor.data(), fronts.factor_numbers), "filling a factor");
    const LineOrder order{plan.tree.perm, plan.scale};
    FrontSubstitution substitution(order, order, fronts, queue);
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin), "making an event");
    check(cudaEventCreate(&end), "making an event");
    for (int r = -2; r < options.repeat; ++r) {
      check(cudaEventRecord(begin, queue), "timing");
      substitution.run({{factor.data(), factor.data()}, live.data(), live.data(), swapped.data()}, false,
                       options.columns, b.data(), n, solution.data(), n);
      check(cudaEventRecord(end, queue), "timing");
      check(cudaMemcpyAsync(x.data(), solution.data(), x.size() * sizeof x[0], cudaMemcpyDeviceToHost, queue),
            "copying a solution");
      check(cudaStreamSynchronize(queue), "solving");
      float milliseconds = 0;
      check(cudaEventElapsedTime(&milliseconds, begin, end), "timing");
      if (r < 0)
        first = x;
      else
        times.push_back(milliseconds);
      same = same && std::memcmp(x.data(), first.data(), x.size() * sizeof x[0]) == 0;
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
  }
  queue.retire();
  const double megabytes = 8e-6 * double(fronts.factor_numbers);
  std::printf("%-28s n %8d fronts %d + %d + %d, longest way %d + %d + %d panels, factor %.1f MB, %d columns: %.3f ms "
              "(floor %.3f), bits %s\n",
              name.substr(name.find_last_of('/') + 1).c_str(), int(n), int(shape.count[0]), int(shape.count[1]),
              int(shape.count[2]), int(shape.panels[0]), int(shape.panels[1]), int(shape.panels[2]), megabytes,
              int(options.columns), median(times), 2 * megabytes / 4e3, same ? "the same" : "DIFFER");
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv)
{
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const auto next = [&] { return std::string(i + 1 < argc ? argv[++i] : ""); };
    if (arg == "-columns")
      options.columns = std::max(1, std::atoi(next().c_str()));
    else if (arg == "-repeat")
      options.repeat = std::max(1, std::atoi(next().c_str()));
    else if (arg == "-block_rows")
      options.block_rows = std::atoi(next().c_str());
    else if (!take_plan_argument(arg, next, options.plan))
      measure(arg, options);
  }
}
