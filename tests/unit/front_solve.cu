// Substitutions, residuals and refinement of the direct solver in device memory, with factors made on the host. Needs a
// GPU.
#include "cuda/front/solve/residual.cuh"
#include "cuda/front/solve/solve.cuh"
#include "factor/front/make_plan.hpp"
#include "support/factor_cases.hpp"
#include "support/front_factor.hpp"
#include "support/graphs.hpp"
#include "support/random_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <set>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

/// Random values on a graph; the diagonal of either sign is larger than the rest of its row, so that it gives the
/// pivots.
Matrix dominant(const Pattern &graph, unsigned seed)
{
  Random random(seed);
  std::vector<Triplet> triplets;
  std::vector<double> size(graph.rows, 1.0);
  for (Index i = 0; i < graph.rows; ++i)
    for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p) {
      const Index j = graph.column[p];
      if (j >= i)
        continue;
      const double x = random.between(-1, 1);
      triplets.push_back({i, j, x});
      triplets.push_back({j, i, x});
      size[i] += std::abs(x);
      size[j] += std::abs(x);
    }
  for (Index i = 0; i < graph.rows; ++i)
    triplets.push_back({i, i, random.below(2) ? size[i] : -size[i]});
  return assemble(graph.rows, graph.rows, triplets);
}

Pattern complete_graph(Index n)
{
  std::vector<std::pair<Index, Index>> edges;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j)
      edges.push_back({i, j});
  return graph_of(n, edges);
}

/// Cliques of 70 and 30 vertices, all joined to one of `core` vertices, which come last.
Pattern joined_cliques(Index core)
{
  std::vector<std::pair<Index, Index>> edges;
  const Index n = 100 + core;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j)
      if (i >= 100 || (i < 70) == (j < 70))
        edges.push_back({i, j});
  return graph_of(n, edges);
}

struct Case {
  std::string name;
  Matrix matrix;
  Index block_rows = 48;
  PlanOptions options;
};

PlanOptions natural(Index nemin, double zeros = 0.1)
{
  PlanOptions options;
  options.preprocessing = Preprocessing::None;
  options.ordering = Ordering::Natural;
  options.relaxation = {nemin, zeros};
  return options;
}

std::vector<Case> cases()
{
  PlanOptions equilibrated;
  equilibrated.preprocessing = Preprocessing::Equilibrate;
  std::vector<Case> list;
  for (const NamedGraph &g : small_graphs())
    list.push_back({g.name, dominant(g.graph, 3), 48, equilibrated});
  list.push_back({"one row", dominant(graph_of(1, {}), 1), 48, {}});
  list.push_back({"two rows", dominant(graph_of(2, {{0, 1}}), 1), 48, {}});
  list.push_back({"forest", dominant(disconnected_graph(grid_graph(5, 5, 4), 6), 2), 48, equilibrated});
  list.push_back({"grid 14", dominant(grid_graph(14, 14, 14), 3), 48, equilibrated});
  list.push_back({"grid 14, large blocks", dominant(grid_graph(14, 14, 14), 3), 160, equilibrated});
  list.push_back({"grid 14, small fronts", dominant(grid_graph(14, 14, 14), 4), 96, natural(1)});
  list.push_back({"chain", dominant(grid_graph(3000, 1, 1), 5), 48, natural(1)});
  list.push_back({"star", dominant(arrow_graph(400), 6), 48, {Preprocessing::None, Ordering::AMD, {1, 0.0}}});
  list.push_back({"dense 700", dominant(complete_graph(700), 7), 48, natural(32)});
  list.push_back({"dense 320, one thread block", dominant(complete_graph(320), 8), 512, natural(32)});
  list.push_back({"many rows below", dominant(joined_cliques(2200), 9), 48, natural(1, 0)});
  list.push_back({"leaves, warp", dominant(leaves_graph(5000, 14, 3), 10), 48, natural(1, 0)});
  list.push_back({"leaves, thread block", dominant(leaves_graph(5000, 45, 5), 11), 48, natural(1, 0)});
  list.push_back({"leaves, tiles", dominant(leaves_graph(5000, 300, 4), 12), 144, natural(1, 0)});
  list.push_back({"300 leaves, large front", dominant(leaves_graph(300, 200, 3), 13), 48, natural(1, 0)});
  list.push_back({"100000 leaves", dominant(leaves_graph(100000, 20, 2), 14), 48, natural(1, 0)});
  return list;
}

std::vector<double> product(const Matrix &a, const std::vector<double> &x)
{
  const Index n = a.pattern.rows;
  std::vector<double> b(x.size(), 0.0);
  for (std::size_t at = 0; at < x.size(); at += n)
    for (Index i = 0; i < n; ++i)
      for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
        b[at + i] += a.value[p] * x[at + a.pattern.column[p]];
  return b;
}

double largest_difference(const std::vector<double> &x, const std::vector<double> &y)
{
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    most = std::isfinite(x[i]) ? std::max(most, std::abs(x[i] - y[i])) : INFINITY;
  return most;
}

template <class T>
std::vector<T> on_host(const DeviceArray<T> &x)
{
  std::vector<T> y(x.size());
  if (!y.empty())
    check(cudaMemcpy(y.data(), x.data(), y.size() * sizeof(T), cudaMemcpyDeviceToHost), "copying to the host");
  return y;
}

/// A system with its factor in device memory.
struct Solver {
  Stored stored;
  FrontPlan plan;
  DevicePlan fronts;
  FrontFactor host;
  DeviceQueue queue;
  DeviceArray<double> factor;
  DeviceArray<std::uint32_t> live, negative, swapped;
  std::unique_ptr<FrontSubstitution> substitution;

  explicit Solver(const Case &c)
      : stored(store_reversed(c.matrix)), plan(make_plan(c.matrix, stored.source, c.options).plan),
        fronts(make_device_plan(plan, c.block_rows)), host(factor_fronts(plan, fronts, stored.value))
  {
    const DeviceCall call(queue);
    upload();
    live = DeviceArray<std::uint32_t>(host.live, queue);
    negative = DeviceArray<std::uint32_t>(host.negative, queue);
    swapped = DeviceArray<std::uint32_t>(host.swapped, queue);
    const LineOrder order{plan.tree.perm, plan.scale};
    substitution = std::make_unique<FrontSubstitution>(order, order, fronts, queue);
  }
  ~Solver() { queue.retire(); }

  FrontFactorView view() const
  {
    return {{factor.data(), factor.data()}, live.data(), negative.data(), swapped.data()};
  }

  void upload() { factor = DeviceArray<double>(host.factor, queue); }

  void run(Index columns, const double *b, Offset b_leading, double *x, Offset x_leading)
  {
    substitution->run(view(), false, columns, b, b_leading, x, x_leading);
  }

  /// Vectors are `gap` more than the rows apart in device memory.
  std::vector<double> solve(const std::vector<double> &b, Index columns, Index gap = 0)
  {
    const DeviceCall call(queue);
    const std::size_t n = plan.tree.perm.size(), leading = n + gap;
    std::vector<double> apart(leading * columns, NAN), result;
    for (Index j = 0; j < columns; ++j)
      std::copy_n(b.begin() + std::ptrdiff_t(j * n), n, apart.begin() + std::ptrdiff_t(j * leading));
    const DeviceArray<double> right(apart, queue);
    std::fill(apart.begin(), apart.end(), -77.0);
    const DeviceArray<double> solution(apart, queue);
    run(columns, right.data(), Offset(leading), solution.data(), Offset(leading));
    check(cudaStreamSynchronize(queue), "solving");
    const std::vector<double> x = on_host(solution);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (i % leading < n)
        result.push_back(x[i]);
      else
        EXPECT_EQ(x[i], -77.0) << "between the vectors";
    return result;
  }

  std::vector<double> solve_by_halves(const std::vector<double> &b)
  {
    const DeviceCall call(queue);
    const DeviceArray<double> right(b, queue), middle(right.size(), queue), solution(right.size(), queue);
    substitution->run_forward(view(), right.data(), middle.data());
    substitution->run_backward(view(), middle.data(), solution.data());
    check(cudaStreamSynchronize(queue), "solving");
    return on_host(solution);
  }
};

std::string kinds(const DevicePlan &fronts)
{
  Index count[3] = {0, 0, 0};
  for (const DeviceFront &f : fronts.front)
    ++count[int(f.kind)];
  return std::to_string(count[0]) + " of a warp, " + std::to_string(count[1]) + " of a thread block, " +
         std::to_string(count[2]) + " of tiles";
}

bool same_bits(const std::vector<double> &x, const std::vector<double> &y)
{
  return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof x[0]) == 0);
}

TEST(FrontSolve, FindsKnownSolutions)
{
  for (const Case &c : cases()) {
    SCOPED_TRACE(c.name);
    Solver solver(c);
    const Index n = c.matrix.pattern.rows;
    std::printf("%-28s %6d rows: %s\n", c.name.c_str(), int(n), kinds(solver.fronts).c_str());
    std::fflush(stdout);
    const std::vector<double> exact = random_vector(20 * n, 11), b = product(c.matrix, exact);
    const std::vector<double> one(b.begin(), b.begin() + n);
    const std::vector<double> x = solver.solve(one, 1);
    EXPECT_LE(largest_difference(x, {exact.begin(), exact.begin() + n}), 1e-11);
    EXPECT_TRUE(same_bits(x, solver.solve(one, 1))) << "the second time";
    const std::vector<double> all = solver.solve(b, 20, 3);
    EXPECT_LE(largest_difference(all, exact), 1e-11);
    EXPECT_TRUE(same_bits(all, solver.solve(b, 20))) << "20 columns, the second time";
    EXPECT_TRUE(same_bits(x, {all.begin(), all.begin() + n})) << "alone and among others";
    EXPECT_TRUE(same_bits(x, solver.solve(one, 1))) << "after 20 columns";
    const std::vector<double> nine(b.begin(), b.begin() + 9 * n);
    EXPECT_TRUE(same_bits(solver.solve(nine, 9), {all.begin(), all.begin() + 9 * n})) << "9 columns";
    const std::vector<double> three(b.begin(), b.begin() + 3 * n);
    EXPECT_TRUE(same_bits(solver.solve(three, 3, 1), {all.begin(), all.begin() + 3 * n})) << "3 columns";
    EXPECT_TRUE(same_bits(x, solver.solve_by_halves(one))) << "by halves";
    EXPECT_TRUE(same_bits(x, solver.solve(one, 1))) << "after halves";
  }
}

TEST(FrontSolve, HasAllKindsOfFronts)
{
  std::set<FrontKind> kinds, exchanging; // of fronts, and of those in which J exchanges columns
  bool parts = false;
  std::set<FrontKind> adding_up; // of fronts without columns
  for (const Case &c : cases()) {
    const Stored stored = store_reversed(c.matrix);
    const FrontPlan plan = make_plan(c.matrix, stored.source, c.options).plan;
    const DevicePlan fronts = make_device_plan(plan, c.block_rows);
    const FrontFactor factor = factor_fronts(plan, fronts, stored.value);
    for (const DeviceFront &f : fronts.front) {
      kinds.insert(f.kind);
      if (f.columns == 0)
        adding_up.insert(f.kind);
      for (Index c = 0; c < f.columns; c += 32)
        if (factor.swapped[f.sign_begin + c / 32])
          exchanging.insert(f.kind);
    }
    parts = parts || make_solve_plan(fronts).sums > 64;
  }
  EXPECT_EQ(kinds.size(), 3u);
  EXPECT_EQ(exchanging.size(), 3u);
  EXPECT_EQ(adding_up, (std::set<FrontKind>{FrontKind::Warp, FrontKind::Block}));
  EXPECT_TRUE(parts);
}

TEST(FrontSolve, ZeroPivotsGiveZeros)
{
  Matrix a = dominant(disconnected_graph(grid_graph(6, 6, 6), 2), 3);
  const Index n = a.pattern.rows; // the last vertex is alone
  a.value.back() = 0;
  Solver solver({"singular", a, 48, natural(4)});
  std::vector<double> exact = random_vector(n, 1);
  exact.back() = 0;
  std::vector<double> b = product(a, exact);
  EXPECT_LE(largest_difference(solver.solve(b, 1), exact), 1e-11);
  b.back() = 1; // no solution has it
  EXPECT_LE(largest_difference(solver.solve(b, 1), exact), 1e-11);
}

TEST(FrontSolve, EndsWithNumbersThatAreNotFinite)
{
  Solver solver({"grid", dominant(grid_graph(10, 10, 10), 3), 48, natural(8)});
  std::vector<double> b = random_vector(1000, 1);
  const std::vector<double> x = solver.solve(b, 1);
  for (double bad : {double(NAN), double(INFINITY), -std::numeric_limits<double>::quiet_NaN()}) {
    std::vector<double> broken(b);
    broken[500] = bad;
    EXPECT_EQ(largest_difference(solver.solve(broken, 1), x), INFINITY);
    EXPECT_TRUE(same_bits(solver.solve(b, 1), x));
  }
  std::uint64_t ones = ~std::uint64_t(0); // the mark of what is not known yet
  std::memcpy(&b[500], &ones, sizeof ones);
  EXPECT_EQ(largest_difference(solver.solve(b, 1), x), INFINITY);
}

/// max |b - A x| / (||A|| ||x|| + ||b||), in the maximum norm.
double backward_error(const Matrix &a, const double *x, const double *b)
{
  double residual = 0, norm = 0, size_x = 0, size_b = 0;
  for (Index i = 0; i < a.pattern.rows; ++i) {
    double sum = 0, r = b[i];
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p) {
      sum += std::abs(a.value[p]);
      r -= a.value[p] * x[a.pattern.column[p]];
    }
    norm = std::max(norm, sum);
    size_x = std::max(size_x, std::abs(x[i]));
    size_b = std::max(size_b, std::abs(b[i]));
    residual = std::max(residual, std::abs(r));
  }
  return residual / (norm * size_x + size_b);
}

/// Gives a refinement the values of the matrix. Returns what accept() does.
Index set_values(DeviceRefinement &refinement, const std::vector<double> &values, const DeviceQueue &queue)
{
  ValueFindings findings;
  const DeviceArray<double> on_device(values, queue);
  refinement.clear_findings();
  refinement.queue_values(on_device.data(), queue);
  check(cudaMemcpyAsync(&findings, refinement.findings(), sizeof findings, cudaMemcpyDeviceToHost, queue), "copying");
  check(cudaStreamSynchronize(queue), "copying");
  return refinement.accept(findings);
}

TEST(FrontRefinement, MakesUpForAFactorInSinglePrecision)
{
  const Matrix a = dominant(grid_graph(12, 11, 10), 4);
  const Index n = a.pattern.rows, columns = 70;
  Solver solver({"grid", a, 48, {}});
  for (double &x : solver.host.factor)
    x = float(x);
  const DeviceCall call(solver.queue);
  solver.upload();
  DeviceRefinement refinement(solver.plan.matrix, solver.plan.source, solver.queue);
  EXPECT_EQ(set_values(refinement, solver.stored.value, solver.queue), -1);
  const std::vector<double> b = random_vector(n * columns, 8);
  const DeviceArray<double> right(b, solver.queue), x(Offset(b.size()), solver.queue);
  std::vector<std::vector<double>> results;
  for (int time = 0; time < 2; ++time) {
    solver.run(columns, right.data(), n, x.data(), n);
    const double before = refinement.residual(1, right.data(), n, x.data(), n)[0].error;
    EXPECT_NEAR(before, backward_error(a, on_host(x).data(), b.data()), 1e-3 * before);
    EXPECT_GT(before, 1e-10);
    SolveReport report;
    refinement.run(columns, right.data(), n, x.data(), n, {1e-14, 10}, report,
                   [&](Index many, const double *r, double *c) { solver.run(many, r, n, c, n); });
    results.push_back(on_host(x));
    EXPECT_GE(report.steps, 1);
    EXPECT_LE(report.backward_error, 1e-14);
    for (Index j = 0; j < columns; ++j)
      EXPECT_LE(backward_error(a, results.back().data() + j * n, b.data() + j * n), 1e-14);
  }
  EXPECT_TRUE(same_bits(results[0], results[1]));
}

TEST(FrontRefinement, FindsRowsThatAreNotFinite)
{
  const Matrix a = dominant(grid_graph(30, 30, 1), 4);
  Solver solver({"grid", a, 48, {}});
  const DeviceCall call(solver.queue);
  DeviceRefinement refinement(solver.plan.matrix, solver.plan.source, solver.queue);
  for (Index row : {0, 417, 899})
    for (double bad : {double(NAN), double(INFINITY)}) {
      std::vector<double> value(solver.stored.value);
      value[solver.stored.source[a.pattern.start[row + 1] - 1]] = bad;
      EXPECT_EQ(set_values(refinement, value, solver.queue), row);
    }
}

} // namespace
