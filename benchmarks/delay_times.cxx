// Times what delayed pivots cost on a GPU: values change after the analysis, so that pivots of the plan fail.
//
//   delay_times [-threads N] [-repeat N] [-lu] [-share P,Q,...] SYSTEM ...
//
// SYSTEM as for direct_times. Its values are analysed; then a share of the diagonal entries, at random, is multiplied
// by 1e-9, and the matrix is factored: once with columns delayed on the GPU, once with pivots searched by the host. A
// line for each share and each of the two: milliseconds of the first factorization, which ends with pivots that are
// good enough, and of the next ones (median of N); how often the GPU factored again and the host searched; operations
// over those of the plan of the analysis; fronts that columns have gone up by; the scaled backward error of a solution
// without refinement, and negative eigenvalues.

#include "any_plan.hpp"
#include "cuda_array.hpp"
#include "factor/lu/lu_factorization.hpp"
#include "median.hpp"
#include "named_system.hpp"
#include "support/backward_error.hpp"
#include "support/random_matrix.hpp"
#include "support/weak_diagonal.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <omp.h>
#include <string>

using namespace tessera;

namespace {

struct Options {
  int repeat = 3;
  bool lu = false;
  std::vector<double> shares = {1e-4, 1e-3, 1e-2};
  PlanOptions plan;
};

double seconds()
{
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void measure(const AnyPlan &plan, const Matrix &a, bool delays, const Options &options)
{
  const auto factorization =
      options.lu ? make_cuda_lu(plan.lu.plan) : make_cuda_direct(plan.symmetric.plan, FactorKind::LDLT);
  const Index n = a.pattern.rows;
  CudaArray<double> values(a.value), right(n), solution(n);
  DirectOptions direct;
  direct.least_delay_flops = delays ? 0 : std::numeric_limits<double>::infinity();
  const auto factor = [&](DirectReport &report) {
    const double begin = seconds();
    report = factorization->factor(values.data(), direct);
    return seconds() - begin;
  };
  DirectReport first, again;
  const double time = factor(first);
  std::vector<double> times;
  for (int r = 0; r < options.repeat; ++r)
    times.push_back(factor(again));
  const std::vector<double> b = test::product(a, test::random_vector(n, 1));
  right.set(b);
  factorization->solve(1, right.data(), n, solution.data(), n, {1e-14, 0});
  cudaDeviceSynchronize();
  std::printf(
      "    %s first %9.2f ms, then %8.2f; factored again %d times, searched %d; flops x %.3f, delayed %lld, error "
      "%.1e, negative %lld%s\n",
      delays ? "delays  " : "searches", 1e3 * time, 1e3 * median(times), int(first.delay_rounds), int(first.searches),
      first.flops / plan.fronts(options.lu).flops, (long long)first.delayed,
      test::backward_error(a, solution.on_host(), b), (long long)first.negative,
      first.status == DirectReport::Complete && again.delay_rounds + again.searches == 0 ? "" : ", FAILED");
  std::fflush(stdout);
}

void measure(const std::string &name, const Options &options)
{
  const Matrix a = system_of(name);
  const AnyPlan plan(a, options.plan, options.lu);
  for (double share : options.shares) {
    std::printf("%s: %d rows, %.2e flops, a share of %g\n", name.c_str(), int(a.pattern.rows),
                plan.fronts(options.lu).flops, share);
    const Matrix weak = test::with_weak_diagonal(a, share);
    measure(plan, weak, true, options);
    measure(plan, weak, false, options);
  }
}

} // namespace

int main(int argc, char **argv)
{
  Options options;
  prefer_device(options.plan);
  options.plan.most_block_levels = 0; // LU of the whole
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const auto next = [&] { return std::string(i + 1 < argc ? argv[++i] : ""); };
    if (arg == "-threads")
      omp_set_num_threads(std::atoi(next().c_str()));
    else if (arg == "-repeat")
      options.repeat = std::max(1, std::atoi(next().c_str()));
    else if (arg == "-lu")
      options.lu = true;
    else if (arg == "-share") {
      options.shares.clear();
      const std::string list = next();
      for (const char *at = list.c_str(); *at; at += std::strspn(at, ","))
        options.shares.push_back(std::strtod(at, const_cast<char **>(&at)));
    } else
      measure(arg, options);
  }
}
