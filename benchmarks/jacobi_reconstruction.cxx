// Reconstruction errors of Jacobi-LDLT beside those of the level-scheduled factor with the same blocks and tiles.
//
//   jacobi_reconstruction [-level K] [-sweeps S] [-stages T] [-epsilon E] [-supernodes] FILE.mtx[.gz] ...
//
// Blocks are those that PCJLDLT makes by default, with -supernodes those of PCBILDLT. For each symmetric matrix a line:
// ||U'DU - A||_inf / ||A||_inf, all fill outside of the pattern counted, of
//   levels    the block incomplete LDLT by level sets, nothing dropped, pivots perturbed below 1e-6 of the largest
//   entry jacobi    S sweeps, its perturbation chosen automatically /levels   the second over the first scalar    S
//   sweeps with blocks of one row, /levels likewise
// and processor seconds of both factorizations, of all sweeps that the choice takes. A is scaled and permuted.
#include "analysis/analysis.hpp"
#include "host/bildlt/block_factor.hpp"
#include "host/jldlt/backend.hpp"
#include "support/matrix_market.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <numeric>

using namespace tessera;

namespace {

using Block = std::vector<double>; ///< by rows

/// A block factor as dense tiles.
struct Tiles {
  std::function<void(Offset t, Block &u, Block &weight)> tile;        ///< U_bj and D_b U_bj, [rows x columns]
  std::function<void(Index b, Block &root, Block &product)> diagonal; ///< U_bb' and U_bb' D_b U_bb
};

/// to [rows x columns] += a' b or a b, inner products of length n
void add_product(bool transposed, const Block &a, const Block &b, Index rows, Index n, Index columns, Block &to)
{
  for (Index k = 0; k < n; ++k)
    for (Index r = 0; r < rows; ++r) {
      const double x = transposed ? a[k * rows + r] : a[r * n + k];
      for (Index c = 0; c < columns; ++c)
        to[r * columns + c] += x * b[k * columns + c];
    }
}

/// Inverse of a square matrix by Gauss-Jordan elimination with row pivoting.
Block invert(Block a, Index n)
{
  Block x(n * n, 0.0);
  for (Index i = 0; i < n; ++i)
    x[i * n + i] = 1;
  for (Index k = 0; k < n; ++k) {
    Index p = k;
    for (Index i = k + 1; i < n; ++i)
      if (std::fabs(a[i * n + k]) > std::fabs(a[p * n + k]))
        p = i;
    for (Index c = 0; c < n; ++c) {
      std::swap(a[k * n + c], a[p * n + c]);
      std::swap(x[k * n + c], x[p * n + c]);
    }
    const double r = 1 / a[k * n + k];
    for (Index c = 0; c < n; ++c) {
      a[k * n + c] *= r;
      x[k * n + c] *= r;
    }
    for (Index i = 0; i < n; ++i) {
      const double l = a[i * n + k];
      if (i == k || l == 0)
        continue;
      for (Index c = 0; c < n; ++c) {
        a[i * n + c] -= l * a[k * n + c];
        x[i * n + c] -= l * x[k * n + c];
      }
    }
  }
  return x;
}

/// Products of diagonal tiles from L^-1 P (column-major) and D.
void diagonal_from_inverse(const double *inverse, const double *d, const double *e, Index n, Block &root,
                           Block &product)
{
  Block m(n * n), weighted(n * n, 0.0);
  for (Index r = 0; r < n; ++r)
    for (Index c = 0; c < n; ++c)
      m[r * n + c] = inverse[c * n + r];
  root = invert(m, n);
  for (Index r = 0; r < n; ++r)
    for (Index c = 0; c < n; ++c)
      weighted[r * n + c] = d[r] * root[c * n + r] + (r + 1 < n ? e[r] * root[c * n + r + 1] : 0) +
                            (r > 0 ? e[r - 1] * root[c * n + r - 1] : 0);
  product.assign(n * n, 0.0);
  add_product(false, root, weighted, n, n, n, product);
}

/// ||U'DU - A||_inf / ||A||_inf. Block rows are formed one after the other, above the diagonal.
double reconstruction_error(const BlockStructure &s, const double *value, const Tiles &f)
{
  const Pattern &upper = s.tiles.upper;
  std::vector<double> error(s.rows, 0.0), size(s.rows, 0.0);
  std::vector<Block> sum(s.blocks()), u(upper.entries()), weight(upper.entries());
  std::vector<Index> touched;
  for (Offset t = 0; t < upper.entries(); ++t)
    f.tile(t, u[t], weight[t]);
  const auto at = [&](Index b, Index j) -> Block & {
    if (sum[j].empty()) {
      sum[j].assign(s.block_rows(b) * s.block_rows(j), 0.0);
      touched.push_back(j);
    }
    return sum[j];
  };
  const auto add_norms = [&](Index b, std::vector<double> &norm) {
    for (Index j : touched)
      for (Index r = 0; r < s.block_rows(b); ++r)
        for (Index c = 0; c < s.block_rows(j); ++c) {
          const double x = std::fabs(sum[j][r * s.block_rows(j) + c]);
          norm[s.block_start[b] + r] += x;
          if (j != b)
            norm[s.block_start[j] + c] += x;
        }
  };
  for (Index b = 0; b < s.blocks(); ++b) {
    const Index rows = s.block_rows(b);
    std::vector<Index> block_of, first_of; // panel columns
    for (Offset t = upper.start[b] - 1; t < upper.start[b + 1]; ++t) {
      const Index j = t < upper.start[b] ? b : upper.column[t];
      first_of.insert(first_of.end(), s.block_rows(j), static_cast<Index>(block_of.size()));
      block_of.insert(block_of.end(), s.block_rows(j), j);
    }
    for (Offset i = s.values.start[b]; i < s.values.start[b + 1]; ++i) {
      const Index c = s.values.column[i], j = block_of[c];
      at(b, j)[s.values.row[i] * s.block_rows(j) + c - first_of[c]] -= s.values.scale[i] * value[s.values.source[i]];
    }
    add_norms(b, size);
    Block root, product;
    f.diagonal(b, root, product);
    Block &own = at(b, b);
    for (std::size_t i = 0; i < own.size(); ++i)
      own[i] += product[i];
    for (Offset t = upper.start[b]; t < upper.start[b + 1]; ++t)
      add_product(false, root, weight[t], rows, rows, s.block_rows(upper.column[t]), at(b, upper.column[t]));
    for (Offset q = s.tiles.columns.start[b]; q < s.tiles.columns.start[b + 1]; ++q) {
      const Index k = s.tiles.columns.column[q];
      for (Offset t = s.tiles.position[q]; t < upper.start[k + 1]; ++t)
        add_product(true, weight[s.tiles.position[q]], u[t], rows, s.block_rows(k), s.block_rows(upper.column[t]),
                    at(b, upper.column[t]));
    }
    add_norms(b, error);
    for (Index j : touched)
      sum[j].clear();
    touched.clear();
  }
  double worst = 0, norm = 0;
  for (Index i = 0; i < s.rows; ++i) {
    worst = error[i] > worst || error[i] != error[i] ? error[i] : worst;
    norm = std::max(norm, size[i]);
  }
  return worst / norm;
}

Tiles tiles_of(const BlockStructure &s, const FactorView<double> &f)
{
  const auto tile = [&s, f](Offset t, Block &u, Block &weight) {
    const Index b = static_cast<Index>(std::upper_bound(s.tiles.upper.start.begin(), s.tiles.upper.start.end(), t) -
                                       s.tiles.upper.start.begin()) -
                    1;
    const Index rows = s.block_rows(b), columns = s.block_rows(s.tiles.upper.column[t]), row = s.block_start[b];
    u.assign(rows * columns, 0.0);
    weight = u;
    for (Index c = f.first[t + b]; c < f.first[t + b + 1]; ++c)
      for (Index r = 0; r < rows; ++r)
        u[r * columns + f.column[b][c]] = f.value[b][Offset(c) * rows + r];
    for (Index r = 0; r < rows; ++r)
      for (Index c = 0; c < columns; ++c)
        weight[r * columns + c] = f.d[row + r] * u[r * columns + c] +
                                  (r + 1 < rows ? f.e[row + r] * u[(r + 1) * columns + c] : 0) +
                                  (r > 0 ? f.e[row + r - 1] * u[(r - 1) * columns + c] : 0);
  };
  const auto diagonal = [&s, f](Index b, Block &root, Block &product) {
    diagonal_from_inverse(f.inverse + f.inverse_start[b], f.d + s.block_start[b], f.e + s.block_start[b],
                          s.block_rows(b), root, product);
  };
  return {tile, diagonal};
}

/// Entry r of J in block b.
double sign(const JacobiIterate &factor, Index b, Index r)
{
  return factor.negative[b] >> r & 1 ? -1 : 1;
}

Tiles tiles_of(const BlockStructure &s, const JacobiView &v)
{
  const auto tile = [v](Offset t, Block &u, Block &weight) {
    const Index b = v.tile_row[t], rows = v.block_rows(b), columns = v.block_rows(v.tile_column[t]);
    const JacobiIterate now = v.now(b);
    u.assign(rows * columns, 0.0);
    weight = u;
    for (Index c = 0; c < columns; ++c)
      for (Index r = 0; r < rows && v.mask[t] >> c & 1; ++r) {
        const Offset place = v.tile_u[t] + Offset(place_of_column(v.mask[t], c)) * padded(rows) + r;
        u[r * columns + c] = now.u[place];
        weight[r * columns + c] = sign(now, b, r) * now.u[place];
      }
  };
  const auto diagonal = [&s, v](Index b, Block &root, Block &product) {
    const JacobiIterate now = v.now(b);
    const Index rows = s.block_rows(b);
    Block d(rows), e(rows, 0.0), inverse(rows * rows);
    for (Index r = 0; r < rows; ++r)
      d[r] = sign(now, b, r);
    for (Index i = 0; i < rows * rows; ++i)
      inverse[i] = d[i % rows] * now.inverse[v.inverse_start[b] + i];
    diagonal_from_inverse(inverse.data(), d.data(), e.data(), rows, root, product);
  };
  return {tile, diagonal};
}

double processor_seconds()
{
  return double(std::clock()) / CLOCKS_PER_SEC;
}

struct Options {
  Index level = 0, sweeps = JacobiOptions().sweeps, stages = JacobiOptions().stages;
  double epsilon = automatic_epsilon;
  Ordering ordering = Ordering::ND;
  BlockStrategy strategy = BlockStrategy::BR;
};

struct Measured {
  double error, seconds;
  JacobiReport report;
};

Measured measure_jacobi(const Matrix &matrix, const Analysis &analysis, const Options &options)
{
  HostBackend backend;
  JacobiFactor<HostBackend> factor(analysis.structure, backend);
  JacobiOptions jacobi;
  jacobi.sweeps = options.sweeps;
  jacobi.stages = options.stages;
  jacobi.epsilon = options.epsilon;
  const ValueMap &map = analysis.structure.values;
  const double begin = processor_seconds();
  Measured m{0, 0,
             factor.factor({matrix.value.data(), map.start.data(), map.source.data(), map.column.data(), map.row.data(),
                            map.scale.data()},
                           jacobi)};
  m.seconds = processor_seconds() - begin;
  m.error = reconstruction_error(analysis.structure, matrix.value.data(), tiles_of(analysis.structure, factor.view()));
  return m;
}

void measure(const char *file, const Options &options)
{
  Matrix matrix;
  if (!test::read_matrix_market(file, matrix)) {
    std::printf("%s: not a matrix\n", file);
    return;
  }
  std::vector<Offset> source(matrix.pattern.entries());
  std::iota(source.begin(), source.end(), 0);
  AnalysisOptions analysis_options;
  analysis_options.fill_level = options.level;
  analysis_options.blocking.ordering = options.ordering;
  analysis_options.blocking.strategy = options.strategy;
  const Analysis analysis = analyze_matrix(matrix, source, analysis_options);
  const BlockStructure &s = analysis.structure;
  double levels_error, levels_seconds;
  {
    HostBlockFactor<double> factor(s);
    FactorOptions levels;
    const double begin = processor_seconds();
    factor_on_host(s, make_host_schedule(s), matrix.value.data(), levels, factor);
    levels_seconds = processor_seconds() - begin;
    levels_error = reconstruction_error(s, matrix.value.data(), tiles_of(s, factor.view()));
  }
  const Measured jacobi = measure_jacobi(matrix, analysis, options);
  analysis_options.blocking.max_rows = 1;
  const Measured scalar = measure_jacobi(matrix, analyze_matrix(matrix, source, analysis_options), options);
  const char *name = std::strrchr(file, '/') ? std::strrchr(file, '/') + 1 : file;
  std::printf("| %.*s | %d | %d | %d | %.1e | %.1e | %.2g | %.2g | %d | %.1e | %.2g | %.2g | %.2g |\n",
              int(std::strcspn(name, ".")), name, s.rows, s.blocks(), s.levels.levels(), levels_error, jacobi.error,
              jacobi.error / levels_error, jacobi.report.epsilon, jacobi.report.sweeps, scalar.error,
              scalar.error / levels_error, levels_seconds, jacobi.seconds);
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv)
{
  Options options;
  std::printf(
      "| matrix | rows | blocks | level sets | levels | jacobi | /levels | epsilon | sweeps | scalar | /levels | "
      "levels, s | jacobi, s |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "-level") && i + 1 < argc)
      options.level = std::atoi(argv[++i]);
    else if (!std::strcmp(argv[i], "-sweeps") && i + 1 < argc)
      options.sweeps = std::atoi(argv[++i]);
    else if (!std::strcmp(argv[i], "-stages") && i + 1 < argc)
      options.stages = std::atoi(argv[++i]);
    else if (!std::strcmp(argv[i], "-supernodes")) {
      options.ordering = Ordering::Automatic;
      options.strategy = BlockStrategy::SN;
    } else if (!std::strcmp(argv[i], "-epsilon") && i + 1 < argc)
      options.epsilon = std::atof(argv[++i]);
    else
      measure(argv[i], options);
  }
  return 0;
}
