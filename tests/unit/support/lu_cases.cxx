#include "support/lu_cases.hpp"

#include "base/permute.hpp"
#include "support/graphs.hpp"
#include "support/network.hpp"
#include "support/random_matrix.hpp"

#include <cmath>
#include <type_traits>

namespace tessera::test {

using namespace tessera_test;

Matrix dense_unsymmetric(Index n, unsigned seed)
{
  Random random(seed);
  std::vector<Triplet> t;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      t.push_back({i, j, random.between(-1, 1)});
  return assemble(n, n, t);
}

Matrix unsymmetric_on(const Pattern &graph, bool diagonal, unsigned missing, unsigned seed)
{
  Random random(seed);
  std::vector<Triplet> t;
  for (Index i = 0; i < graph.rows; ++i) {
    if (diagonal)
      t.push_back({i, i, random.between(-1, 1)});
    for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p)
      if (random.below(8) >= Index(missing))
        t.push_back({i, graph.column[p], random.between(-1, 1)});
  }
  return assemble(graph.rows, graph.rows, t);
}

Matrix shuffled(const Matrix &a, unsigned seed)
{
  const Index n = a.pattern.rows;
  const std::vector<Index> row = tessera_test::random_permutation(n, seed),
                           column = tessera_test::random_permutation(n, seed + 1);
  std::vector<Triplet> t;
  for (Index i = 0; i < n; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      t.push_back({row[i], column[a.pattern.column[p]], a.value[p]});
  return assemble(n, n, t);
}

Matrix block_triangular(const std::vector<Index> &sizes, unsigned seed)
{
  Random random(seed);
  std::vector<Triplet> t;
  Index first = 0;
  for (Index size : sizes) {
    for (Index i = 0; i < size; ++i) {
      t.push_back({first + i, first + i, random.between(1, 2)});
      t.push_back({first + i, first + (i + 1) % size, random.between(-1, 1)}); // a cycle: strongly connected
      t.push_back({first + i, first + random.below(size), random.between(-1, 1)});
      if (first > 0)
        t.push_back({first + i, random.below(first), random.between(-1, 1)});
    }
    first += size;
  }
  return assemble(first, first, t);
}

Matrix badly_scaled(Matrix a, unsigned seed)
{
  Random random(seed);
  std::vector<double> column(a.pattern.cols);
  for (double &x : column)
    x = std::ldexp(1, random.below(133) - 66);
  for (Index i = 0; i < a.pattern.rows; ++i) {
    const double row = std::ldexp(1, random.below(133) - 66);
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      a.value[p] *= row * column[a.pattern.column[p]];
  }
  return a;
}

std::vector<NamedMatrix> lu_cases()
{
  using namespace tessera_test;
  return {{"n0", assemble(0, 0, {})},
          {"n1", assemble(1, 1, {{0, 0, -3}})},
          {"n2", assemble(2, 2, {{0, 1, 2}, {1, 0, 3}, {1, 1, 1}})},
          {"permutation", assemble(4, 4, {{0, 2, 1}, {1, 0, 2}, {2, 3, -1}, {3, 1, 5}})},
          {"dense40", dense_unsymmetric(40, 1)},
          {"dense100", dense_unsymmetric(100, 2)},
          {"grid", unsymmetric_on(grid_graph(13, 11, 1), true, 0, 3)},
          {"grid3d", unsymmetric_on(grid_graph(8, 7, 6), true, 1, 4)},
          {"shuffled", shuffled(unsymmetric_on(grid_graph(12, 12, 1), true, 1, 5), 6)},
          {"no_diagonal", unsymmetric_on(grid_graph(10, 10, 1), false, 0, 7)},
          {"random", unsymmetric_on(random_graph(200, 500, 8), true, 2, 9)},
          {"arrow", unsymmetric_on(arrow_graph(90), true, 0, 10)},
          {"dense_row", unsymmetric_on(dense_row_graph(10, 9), true, 0, 11)},
          {"saddle_point", unsymmetric_on(network(9).pattern, false, 0, 18)},
          {"blocks", block_triangular({1, 1, 7, 40, 1, 90, 2, 1}, 12)},
          {"shuffled_blocks", shuffled(block_triangular({3, 1, 1, 60, 33, 1, 1}, 13), 14)},
          {"singletons", shuffled(block_triangular(std::vector<Index>(50, 1), 15), 16)}};
}

PlanOptions plan_options(Preprocessing preprocessing, Ordering ordering, Index nemin)
{
  PlanOptions options;
  options.preprocessing = preprocessing;
  options.ordering = ordering;
  options.relaxation = {nemin, 0.1};
  return options;
}

const std::vector<PlanOptions> &lu_plans()
{
  static const std::vector<PlanOptions> plans = {
      {},
      plan_options(Preprocessing::None, Ordering::Natural, 1),
      plan_options(Preprocessing::None, Ordering::ND, 32),
      plan_options(Preprocessing::Matching, Ordering::METIS, 1),
      plan_options(Preprocessing::Matching, Ordering::AMD, 200),
  };
  return plans;
}

template <class T>
MatrixOf<T> with_arguments(const Matrix &a)
{
  MatrixOf<T> result{a.pattern, {}};
  Random random(17);
  for (double x : a.value)
    if constexpr (std::is_same_v<T, Complex>)
      result.value.push_back(x * std::polar(1.0, random.between(-3, 3)));
    else
      result.value.push_back(x);
  return result;
}
template MatrixOf<double> with_arguments(const Matrix &);
template MatrixOf<Complex> with_arguments(const Matrix &);

template <>
MatrixOf<double> turned(const Matrix &a)
{
  return {a.pattern, a.value};
}
template <>
MatrixOf<Complex> turned(const Matrix &a)
{
  const Complex power[] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
  Random random(18);
  std::vector<Index> row, column;
  for (Index i = 0; i < a.pattern.rows; ++i) {
    row.push_back(random.below(4));
    column.push_back(random.below(4));
  }
  MatrixOf<Complex> result{a.pattern, {}};
  for (Index i = 0; i < a.pattern.rows; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      result.value.push_back(a.value[p] * power[(row[i] + column[a.pattern.column[p]]) % 4]);
  return result;
}

template <class T>
MatrixOf<T> transposed(const MatrixOf<T> &a)
{
  std::vector<Offset> position;
  MatrixOf<T> t{tessera::transpose(a.pattern, &position), {}};
  for (Offset p : position)
    t.value.push_back(a.value[p]);
  return t;
}
template MatrixOf<double> transposed(const MatrixOf<double> &);
template MatrixOf<Complex> transposed(const MatrixOf<Complex> &);

Dense extended(const MatrixOf<double> &a)
{
  return dense_of({a.pattern, a.value});
}
DenseOf<std::complex<long double>> extended(const MatrixOf<Complex> &a)
{
  DenseOf<std::complex<long double>> x(a.pattern.rows);
  for (Index i = 0; i < x.n; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      x(i, a.pattern.column[p]) = a.value[p];
  return x;
}

template <>
std::vector<double> random_numbers(Index n, unsigned seed)
{
  return random_vector(n, seed);
}
template <>
std::vector<Complex> random_numbers(Index n, unsigned seed)
{
  const std::vector<double> part = random_vector(2 * n, seed);
  std::vector<Complex> x(n);
  for (Index i = 0; i < n; ++i)
    x[i] = {part[2 * i], part[2 * i + 1]};
  return x;
}

Matrix two_fronts(Index k, Index m, double small, Index begin, Index end)
{
  Random random(41);
  std::vector<Triplet> t;
  const Index n = 2 * k + m;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (i / k == j / k || i >= 2 * k || j >= 2 * k)
        t.push_back({i, j,
                     ((i == j ? 8 : 0) + random.between(-1, 1)) *
                         ((i < begin || i >= end) && (j == 0 || j == k - 1) ? small : 1)});
  return assemble(n, n, t);
}

} // namespace tessera::test
