#include "support/factor_cases.hpp"

#include "support/graphs.hpp"
#include "support/random_matrix.hpp"

namespace tessera::test {

using namespace tessera_test;

Matrix symmetric_on(const Pattern &graph, double diagonal, unsigned seed)
{
  Random random(seed);
  std::vector<Triplet> triplets;
  for (Index i = 0; i < graph.rows; ++i) {
    triplets.push_back({i, i, diagonal + random.between(-1, 1)});
    for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p) {
      const Index j = graph.column[p];
      if (j <= i)
        continue;
      const double value = random.between(-1, 1);
      triplets.push_back({i, j, value});
      triplets.push_back({j, i, value});
    }
  }
  return assemble(graph.rows, graph.rows, triplets);
}

Matrix laplacian(const Pattern &graph, double shift)
{
  std::vector<Triplet> triplets;
  for (Index i = 0; i < graph.rows; ++i) {
    triplets.push_back({i, i, double(graph.start[i + 1] - graph.start[i]) + shift});
    for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p)
      triplets.push_back({i, graph.column[p], -1});
  }
  return assemble(graph.rows, graph.rows, triplets);
}

namespace {

Matrix side_by_side(const Matrix &a, const Matrix &b)
{
  std::vector<Triplet> triplets;
  const Index n = a.pattern.rows;
  for (Index i = 0; i < n; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      triplets.push_back({i, a.pattern.column[p], a.value[p]});
  for (Index i = 0; i < b.pattern.rows; ++i)
    for (Offset p = b.pattern.start[i]; p < b.pattern.start[i + 1]; ++p)
      triplets.push_back({n + i, n + b.pattern.column[p], b.value[p]});
  return assemble(n + b.pattern.rows, n + b.pattern.rows, triplets);
}

/// Saddle point matrix [H Bᵀ; B 0] with tridiagonal H and B of full rank.
Matrix saddle(Index n)
{
  std::vector<Triplet> triplets;
  for (Index i = 0; i < n; ++i) {
    triplets.push_back({i, i, 2.5 + 0.1 * (i % 7)});
    if (i > 0) {
      triplets.push_back({i, i - 1, -1});
      triplets.push_back({i - 1, i, -1});
    }
  }
  for (Index k = 0; k < n / 2; ++k)
    for (Index l = 0; l < 2; ++l) {
      triplets.push_back({n + k, 2 * k + l, 1.0 - 3 * l});
      triplets.push_back({2 * k + l, n + k, 1.0 - 3 * l});
    }
  return assemble(n + n / 2, n + n / 2, triplets);
}

} // namespace

Matrix without_diagonal(Index half, unsigned seed)
{
  Random random(seed);
  std::vector<Triplet> t;
  for (Index i = 0; i < half; ++i)
    for (Index d : {0, 1, 5}) {
      const Index j = half + (i + d) % half;
      const double x = random.between(0.5, 2);
      t.push_back({i, j, x});
      t.push_back({j, i, x});
    }
  return assemble(2 * half, 2 * half, t);
}

Matrix saddle_point()
{
  Random random(9);
  return random_kkt(random, 70, 25, 3);
}

std::vector<NamedMatrix> factor_cases()
{
  Random random(5);
  const Matrix diagonal = assemble(5, 5, {{0, 0, -3}, {1, 1, 2}, {2, 2, 1e-3}, {3, 3, -7}, {4, 4, 1}});
  const Matrix swap = assemble(2, 2, {{0, 1, 1}, {1, 0, 1}});
  return {{"n0", assemble(0, 0, {})},
          {"n1", assemble(1, 1, {{0, 0, -2}})},
          {"n2 zero diagonal", swap},
          {"n2", assemble(2, 2, {{0, 0, 3}, {0, 1, 1}, {1, 0, 1}, {1, 1, -1}})},
          {"diagonal", diagonal},
          {"zero", assemble(4, 4, {{0, 0, 0}, {1, 2, 0}, {2, 1, 0}}), true},
          {"no entries", assemble(3, 3, {}), true},
          {"empty row", assemble(3, 3, {{0, 0, 1}, {0, 2, 2}, {2, 0, 2}}), true},
          {"random", symmetric_on(random_graph(70, 120, 3), 0, 1)},
          {"random small whole", random_matrix(random, 40, 120, Values::small_whole, true), true},
          {"saddle", saddle(40)},
          {"shifted laplacian", laplacian(grid_graph(8, 8, 1), -0.71)},
          {"laplacian", laplacian(grid_graph(7, 6, 1), 0), true},
          {"arrow", symmetric_on(arrow_graph(50), 1.5, 4)},
          {"dense row", symmetric_on(dense_row_graph(8, 7), 0, 9)},
          {"dense", symmetric_on(random_graph(45, 5000, 1), 0, 6)},
          {"disconnected", side_by_side(side_by_side(saddle(16), diagonal), swap)}};
}

SmallEntry small_entry(double entry)
{
  SmallEntry c;
  std::vector<Triplet> t;
  for (Index i = 0; i < 5; ++i) {
    const Index j = (i + 1) % 5;
    t.push_back({i, j, j == 0 ? entry : 1});
    t.push_back({j, i, j == 0 ? entry : 1});
  }
  c.matrix = assemble(5, 5, t);
  c.analysis.preprocessing = Preprocessing::None;
  c.analysis.blocking.max_rows = 2;
  c.analysis.blocking.ordering = Ordering::Natural;
  return c;
}

namespace {

Pattern wide_levels(Index width, Index block_rows)
{
  Random random(3);
  const Index second = width * block_rows, last = 2 * second, rows = last + 60 * block_rows;
  std::vector<std::pair<Index, Index>> edges;
  for (Index b = 0; b < width; ++b)
    for (Index r = 0; r < block_rows; ++r)
      for (const Index later : {0, 1, 5})
        edges.push_back({b * block_rows + r, second + (b + later) % width * block_rows + r});
  for (Index i = 0; i < last; ++i)
    edges.push_back({i, last + Index(random.between(0, double(rows - last) - 0.5))});
  for (Index i = last; i < rows; ++i)
    for (Index j = last; j < i; ++j)
      edges.push_back({i, j});
  return graph_of(rows, edges);
}

} // namespace

WideLevels::WideLevels(Index width, Index block_rows) : matrix(symmetric_on(wide_levels(width, block_rows), 200, 5))
{
  analysis.preprocessing = Preprocessing::None;
  analysis.blocking.strategy = BlockStrategy::Grid;
  analysis.blocking.ordering = Ordering::Natural;
  analysis.blocking.max_rows = block_rows;
  analysis.fill_level = 0;
}

std::vector<OverflowCase> overflow_cases()
{
  AnalysisOptions analysis;
  analysis.preprocessing = Preprocessing::None;
  analysis.blocking.ordering = Ordering::Natural;
  analysis.blocking.max_rows = 4;
  const auto options = [](Pivoting pivoting, double perturbation) {
    FactorOptions factor;
    factor.pivoting = pivoting;
    factor.perturbation = perturbation;
    return factor;
  };
  // singular, of whole numbers that are eliminated without rounding; the last pivot is 0
  const Matrix path = laplacian(grid_graph(20, 1, 1), 0);
  // pivots that are replaced by 2⁻¹⁰⁰⁰; then L is finite, and its inverse is not
  const double small = 0x1p-500;
  const Matrix chain = assemble(3, 3, {{0, 1, small}, {1, 0, small}, {1, 1, 1}, {1, 2, 1}, {2, 1, 1}});
  Matrix tiny = laplacian(grid_graph(5, 5, 1), 1);
  for (double &x : tiny.value)
    x *= 1e-250;

  std::vector<OverflowCase> cases;
  for (const Pivoting pivoting : {Pivoting::none, Pivoting::bunch_kaufman, Pivoting::rook}) {
    const auto add = [&](const char *name, const Matrix &matrix, double perturbation, FactorReport::Status status) {
      cases.push_back({name, matrix, analysis, options(pivoting, perturbation), status});
    };
    add("path", path, 1e-150, FactorReport::Complete);
    add("path, hardly replaced", path, 1e-160, FactorReport::NonFinite);
    add("path, still less", path, 1e-300, FactorReport::NonFinite);
    add("path, not replaced", path, 0, FactorReport::Complete);
    add("tiny values", tiny, 1e-300, FactorReport::Complete);
  }
  cases.push_back({"inverse of L", chain, analysis, options(Pivoting::none, 0x1p-1000), FactorReport::NonFinite});
  return cases;
}

Dense scaled_and_permuted(const Matrix &matrix, const Analysis &analysis)
{
  const Dense a = dense_of(matrix);
  const std::vector<Index> &perm = analysis.structure.perm;
  Dense x(a.n);
  for (Index i = 0; i < a.n; ++i)
    for (Index j = 0; j < a.n; ++j)
      x(i, j) = a(perm[i], perm[j]) * analysis.scale[perm[i]] * analysis.scale[perm[j]];
  return x;
}

template <class T>
Factored<T>::Factored(const Matrix &matrix, const AnalysisOptions &analysis_options, const FactorOptions &options)
    : stored(store_reversed(matrix)), analysis(analyze_matrix(matrix, stored.source, analysis_options)),
      factor(analysis.structure)
{
  again(matrix, options);
}

template <class T>
void Factored<T>::again(const Matrix &matrix, const FactorOptions &options)
{
  stored = store_reversed(matrix);
  report =
      factor_on_host(analysis.structure, make_host_schedule(analysis.structure), stored.value.data(), options, factor);
}

template <class T>
DenseFactor dense_factor(const BlockStructure &structure, HostBlockFactor<T> &factor)
{
  const StructureView s = view_of(structure);
  const FactorView<T> f = factor.view();
  DenseFactor x{Dense(structure.rows), Dense(structure.rows), Dense(structure.rows)};
  for (Index i = 0; i < structure.rows; ++i) {
    x.d(i, i) = f.d[i];
    if (f.e[i] != 0)
      x.d(i, i + 1) = x.d(i + 1, i) = f.e[i];
  }
  for (Index b = 0; b < structure.blocks(); ++b) {
    const Index k = s.block_rows(b), row = s.block_start[b];
    Dense m(k);
    for (Index r = 0; r < k; ++r)
      for (Index c = 0; c < k; ++c)
        x.m(row + r, row + c) = m(r, c) = f.inverse[f.inverse_start[b] + c * k + r];
    const Dense l = inverse(m);
    for (Index r = 0; r < k; ++r)
      for (Index c = 0; c < k; ++c)
        x.u(row + r, row + c) = l(c, r);
    for (Offset t = s.tile_start[b]; t < s.tile_start[b + 1]; ++t)
      for (Index c = f.first[t + b]; c < f.first[t + b + 1]; ++c)
        for (Index r = 0; r < k; ++r)
          x.u(row + r, s.block_start[s.tile_column[t]] + f.column[b][c]) = f.value[b][Offset(c) * k + r];
  }
  return x;
}

template <class T>
std::string bits(const BlockStructure &structure, HostBlockFactor<T> &factor)
{
  const StructureView s = view_of(structure);
  const FactorView<T> f = factor.view();
  std::string all;
  auto add = [&](const auto *data, Offset count) {
    all.append(reinterpret_cast<const char *>(data), static_cast<std::size_t>(count) * sizeof(*data));
  };
  add(f.d, structure.rows);
  add(f.e, structure.rows);
  add(f.inverse, f.inverse_start[structure.blocks()]);
  add(f.first, structure.tiles.upper.entries() + structure.blocks());
  for (Index b = 0; b < structure.blocks(); ++b) {
    add(f.column[b], f.kept(s, b));
    add(f.value[b], Offset(f.kept(s, b)) * s.block_rows(b));
  }
  return all;
}

template struct Factored<double>;
template struct Factored<float>;
template DenseFactor dense_factor(const BlockStructure &, HostBlockFactor<double> &);
template DenseFactor dense_factor(const BlockStructure &, HostBlockFactor<float> &);
template std::string bits(const BlockStructure &, HostBlockFactor<double> &);
template std::string bits(const BlockStructure &, HostBlockFactor<float> &);

} // namespace tessera::test
