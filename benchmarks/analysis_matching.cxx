// Times the value-dependent part of the analysis beside the ordering that follows it.
//
//   analysis_matching [-general] [-repeat N] [-nometis] FILE.mtx[.gz] | kkt3d:N | kktrandom:N | kktunit:N | kktmixed:N
//   ...
//
// kkt3d:N is the symmetric system [H A^T; A 0] of a control problem on (N+1)^3 points: A the 7-point Laplacian, H a
// positive diagonal. kktrandom:N has N variables and 0.9 N constraints with 4 random entries each: a matrix with hardly
// any structure. kktunit:N has N variables in four of N/2 constraints each, with entries 1, so that only the diagonal
// tells choices apart. kktmixed:N is one of each kind, uncoupled. They are hard for a matching. Times are medians of N
// runs (5) after a warm-up, in milliseconds; METIS_NodeND runs once. -general matches without using symmetry and times
// nothing else.

#include "analysis/matching/symmetric_pairs.hpp"
#include "analysis/ordering/compress.hpp"
#include "analysis/scaling/equilibrate.hpp"
#include "support/random_matrix.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <metis.h>
#include <string>

namespace {

using namespace tessera;

template <class Work>
double milliseconds(Work work)
{
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// Median of several runs after a warm-up.
template <class Work>
double median(int repeat, Work work)
{
  std::vector<double> times;
  work();
  for (int k = 0; k < repeat; ++k)
    times.push_back(milliseconds(work));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

Matrix kkt3d(Index n)
{
  const Index side = n + 1, points = side * side * side;
  Matrix a;
  a.pattern.rows = a.pattern.cols = 2 * points;
  const auto add = [&](Index col, double value) {
    a.pattern.column.push_back(col);
    a.value.push_back(value);
  };
  const auto laplacian = [&](Index point, Index first_col) {
    const Index stride[3] = {side * side, side, 1};
    const Index at[3] = {point / stride[0], point / side % side, point % side};
    for (int d = 0; d < 3; ++d)
      if (at[d] > 0)
        add(first_col + point - stride[d], -1);
    add(first_col + point, 6);
    for (int d = 2; d >= 0; --d)
      if (at[d] + 1 < side)
        add(first_col + point + stride[d], -1);
  };
  for (Index row = 0; row < 2 * points; ++row) {
    const Index point = row % points;
    if (row < points)
      add(point, 0.01 * (1 + point % 7));
    laplacian(point, row < points ? points : 0);
    a.pattern.start.push_back(static_cast<Offset>(a.pattern.column.size()));
  }
  return a;
}

/// Time of METIS_NodeND with its default options.
double metis(const CompressedGraph &graph)
{
  std::vector<idx_t> start(graph.pattern.start.begin(), graph.pattern.start.end());
  std::vector<idx_t> column(graph.pattern.column.begin(), graph.pattern.column.end());
  std::vector<idx_t> weight(graph.weight.begin(), graph.weight.end());
  idx_t n = graph.pattern.rows;
  std::vector<idx_t> order(n), position(n);
  int rc = METIS_OK;
  const double time = milliseconds([&] {
    rc = METIS_NodeND(&n, start.data(), column.data(), weight.data(), nullptr, order.data(), position.data());
  });
  return rc == METIS_OK ? time : -1;
}

void measure_symmetric(const char *name, const Matrix &a, int repeat, bool with_metis)
{
  Matching m;
  std::vector<Index> partner;
  CompressedGraph graph;
  Equilibration e;
  const double match_time = median(repeat, [&] { m = match_symmetric(a); });
  if (m.status != MatrixStatus::usable) {
    std::printf("%-24s cannot be matched: row %d\n", name, m.faulty_row);
    return;
  }
  const double pair_time = median(repeat, [&] { partner = find_pairs(a, m); });
  const double compress_time = median(repeat, [&] { graph = compress(a.pattern, partner); });
  const double equilibrate_time = median(repeat, [&] { e = equilibrate(a); });
  const double metis_time = with_metis ? metis(graph) : 0;
  const double sum = match_time + pair_time + compress_time;
  std::printf("%-24s %8d %9lld %8d %8d %9.2f %7.2f %9.2f %9.2f (%2d) %9.1f %6.3f\n", name, a.pattern.rows,
              static_cast<long long>(a.pattern.entries()), m.cardinality, a.pattern.rows - graph.pattern.rows,
              match_time, pair_time, compress_time, equilibrate_time, e.iterations, metis_time,
              with_metis ? sum / metis_time : 0);
  if (m.excess > 0)
    std::printf("  not optimal: the largest product is 2^%.3g times this one at most\n", m.excess);
}

void measure_general(const char *name, const Matrix &a, int repeat)
{
  Matching m;
  const double time = median(repeat, [&] { m = match(a); });
  std::printf("%-24s %8d %9lld %8d %8s %9.2f\n", name, a.pattern.rows, static_cast<long long>(a.pattern.entries()),
              m.cardinality, "-", time);
}

Matrix kkt_random(Index variables)
{
  test::Random random(1);
  return test::random_kkt(random, variables, variables / 10 * 9, 4);
}

Matrix kkt_unit(Index variables)
{
  test::Random random(1);
  return test::combinatorial_kkt(random, variables, variables / 2, 4);
}

/// Appends the matrix b as another diagonal block.
Matrix with_block(Matrix a, const Matrix &b)
{
  const Index rows = a.pattern.rows;
  const Offset entries = a.pattern.entries();
  for (Index i = 1; i <= b.pattern.rows; ++i)
    a.pattern.start.push_back(entries + b.pattern.start[i]);
  for (const Index j : b.pattern.column)
    a.pattern.column.push_back(rows + j);
  a.value.insert(a.value.end(), b.value.begin(), b.value.end());
  a.pattern.rows = a.pattern.cols = rows + b.pattern.rows;
  return a;
}

/// The number after `kind:`, or -1 for another argument.
Index number_after(const char *kind, const char *argument)
{
  const size_t length = std::strlen(kind);
  return std::strncmp(argument, kind, length) == 0 && argument[length] == ':' ? std::atoi(argument + length + 1) : -1;
}

bool load(const char *argument, Matrix &a)
{
  const struct {
    const char *kind;
    Matrix (*make)(Index);
  } generated[] = {{"kkt3d", kkt3d},
                   {"kktrandom", kkt_random},
                   {"kktunit", kkt_unit},
                   {"kktmixed", [](Index n) { return with_block(kkt_unit(n), kkt_random(n)); }}};
  for (const auto &g : generated) {
    const Index n = number_after(g.kind, argument);
    if (n < 0)
      continue;
    a = g.make(n);
    return true;
  }
  return test::read_matrix_market(argument, a);
}

} // namespace

int main(int argc, char **argv)
{
  int repeat = 5;
  bool with_metis = true, general = false;
  std::printf("%-24s %8s %9s %8s %8s %9s %7s %9s %14s %9s %6s\n", "matrix", "rows", "entries", "matched", "pairs",
              "matching", "pairs", "compress", "equilibrate", "METIS", "ratio");
  for (int k = 1; k < argc; ++k) {
    if (std::strcmp(argv[k], "-repeat") == 0 && k + 1 < argc) {
      repeat = std::max(1, std::atoi(argv[++k]));
    } else if (std::strcmp(argv[k], "-nometis") == 0) {
      with_metis = false;
    } else if (std::strcmp(argv[k], "-general") == 0) {
      general = true;
    } else {
      Matrix a;
      const std::string path = argv[k], name = path.substr(path.rfind('/') + 1);
      if (!load(argv[k], a)) {
        std::fprintf(stderr, "%s: not a Matrix Market file\n", argv[k]);
        return 1;
      }
      if (general)
        measure_general(name.c_str(), a, repeat);
      else
        measure_symmetric(name.c_str(), a, repeat, with_metis);
      std::fflush(stdout);
    }
  }
  return 0;
}
