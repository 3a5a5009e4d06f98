#include "support/random_matrix.hpp"

#include <cmath>
#include <iterator>
#include <limits>

namespace tessera::test {

double random_value(Random &random, Values values)
{
  switch (values) {
  case Values::small_whole:
    return random.below(7) - 3;
  case Values::graded:
    return (random.below(2) ? 1 : -1) * std::pow(10.0, random.between(-300, 300));
  case Values::uniform:
    break;
  }
  return random.between(-1, 1);
}

double extreme_value(Random &random)
{
  const double values[] = {0,
                           1,
                           1,
                           1,
                           std::numeric_limits<double>::denorm_min(),
                           1e-310,
                           1e-300,
                           5.55e-17,
                           1e-10,
                           1e10,
                           1e300,
                           std::numeric_limits<double>::max(),
                           std::exp2(random.between(-1074, 1023)),
                           std::exp2(random.between(-60, 60)),
                           std::exp2(random.between(-3, 3))};
  const double value = values[random.below(static_cast<Index>(std::size(values)))];
  return random.below(2) ? value : -value;
}

Matrix random_matrix(Random &random, Index n, Index entries, Values values, bool symmetric)
{
  std::vector<Triplet> triplets;
  std::vector<bool> used(static_cast<size_t>(n) * n, false);
  for (Index k = 0; k < entries && n > 0; ++k) {
    const Index i = random.below(n), j = random.below(n);
    const double value = random_value(random, values);
    if (used[static_cast<size_t>(i) * n + j])
      continue;
    used[static_cast<size_t>(i) * n + j] = true;
    triplets.push_back({i, j, value});
    if (symmetric && i != j) {
      used[static_cast<size_t>(j) * n + i] = true;
      triplets.push_back({j, i, value});
    }
  }
  return assemble(n, n, triplets);
}

Matrix random_kkt(Random &random, Index variables, Index constraints, Index per_row)
{
  std::vector<Triplet> triplets;
  for (Index i = 0; i < variables; ++i)
    triplets.push_back({i, i, random.between(0.01, 10)});
  for (Index k = 0; k < constraints; ++k)
    for (Index l = 0; l < per_row; ++l) {
      const Index i = random.below(variables);
      const double value = random.between(-1, 1);
      triplets.push_back({variables + k, i, value});
      triplets.push_back({i, variables + k, value});
    }
  return assemble(variables + constraints, variables + constraints, triplets);
}

Matrix combinatorial_kkt(Random &random, Index variables, Index constraints, Index per_col)
{
  std::vector<Triplet> triplets;
  for (Index i = 0; i < variables; ++i)
    triplets.push_back({i, i, std::exp2(-random.between(0, 20))});
  for (Index i = 0; i < variables; ++i)
    for (Index k = 0; k < per_col; ++k) {
      const Index j = variables + random.below(constraints);
      triplets.push_back({i, j, 1});
      triplets.push_back({j, i, 1});
    }
  return assemble(variables + constraints, variables + constraints, triplets);
}

Matrix cancelling_kkt(Index pairs, Index constraints)
{
  Random random(5);
  std::vector<Triplet> t;
  for (Index i = 0; i < 2 * pairs; i += 2) {
    const double h = random.between(1, 2), scale = random.between(1, 2);
    t.push_back({i, i, h});
    t.push_back({i + 1, i + 1, -h * scale * scale});
    for (int k = 0; k < 4; ++k) {
      const Index row = 2 * pairs + (random.below(constraints / 4) * 4 + k);
      const double x = random.between(-1, 1);
      t.insert(t.end(), {{i, row, x}, {row, i, x}, {i + 1, row, scale * x}, {row, i + 1, scale * x}});
    }
  }
  for (Index i = 2 * pairs; i < 2 * pairs + constraints; ++i)
    t.push_back({i, i, 0});
  return assemble(2 * pairs + constraints, 2 * pairs + constraints, t);
}

Matrix singular_blocks_with_coupling(Index blocks)
{
  std::vector<Triplet> t;
  for (Index row = 0; row < 2 * blocks; ++row)
    for (Index column = 0; column < 2 * blocks; ++column)
      if (row % blocks == column % blocks)
        t.push_back({row, column, 1});
      else if (row >= blocks && column >= blocks)
        t.push_back({row, column, 1.5e-16});
  return assemble(2 * blocks, 2 * blocks, t);
}

Matrix small_pivots()
{
  constexpr Index n = 300;
  Random random(11);
  std::vector<Triplet> t;
  for (Index i = 0; i < n; ++i) {
    t.push_back({i, i, i % 37 == 0 ? 1e-9 : 4 + random.uniform()});
    for (Index j : {i + 1, i + 40})
      if (j < n) {
        const double x = random.between(-1, 1);
        t.push_back({i, j, x});
        t.push_back({j, i, x});
      }
  }
  return assemble(n, n, t);
}

Matrix redundant_program(Index n, unsigned seed)
{
  Random random(seed);
  std::vector<Triplet> t;
  const Index variables = n * n * n;
  for (Index v = 0; v < variables; ++v) {
    const Index i = v / (n * n), j = v / n % n, k = v % n;
    t.push_back({v, v, std::pow(10, random.between(-6, 0))});
    for (Index row : {i * n + j, n * n + j * n + k, 2 * n * n + k * n + i}) {
      t.push_back({v, variables + row, 1});
      t.push_back({variables + row, v, 1});
    }
  }
  return assemble(variables + 3 * n * n, variables + 3 * n * n, t);
}

Matrix cut_chain(Index m, Index empty)
{
  std::vector<Triplet> t;
  for (Index i = 0; i < m; ++i) {
    const Index y = m + 2 + i, row = 2 * m + 2 + i;
    t.push_back({y, y, 4});
    t.push_back({y, row, -1});
    t.push_back({row, y, -1});
    for (Index k = 0; k < 3; ++k)
      if (i + k != empty) {
        t.push_back({row, i + k, k == 1 ? 2.0 / 3 : 1.0 / 6});
        t.push_back({i + k, row, k == 1 ? 2.0 / 3 : 1.0 / 6});
      }
  }
  return assemble(3 * m + 2, 3 * m + 2, t);
}

} // namespace tessera::test
