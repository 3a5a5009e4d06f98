#include "host/block_solve.hpp"

#include "tile/group_host.hpp"

#include "tile/block_diagonal.hpp"

namespace tessera {
namespace {

constexpr Offset small_level = 100000; ///< kept entries of a level below which one thread does it alone

/// y = L⁻¹ P x, or its transpose, of one block: inverse [k x k] column-major.
template <bool transposed>
void multiply_inverse(const double *inverse, Index k, const double *x, double *y)
{
  if (transposed) {
    for (Index c = 0; c < k; ++c) {
      double sum = 0;
      for (Index r = 0; r < k; ++r)
        sum += inverse[c * k + r] * x[r];
      y[c] = sum;
    }
  } else {
    for (Index r = 0; r < k; ++r)
      y[r] = 0;
    for (Index c = 0; c < k; ++c)
      for (Index r = 0; r < k; ++r)
        y[r] += inverse[c * k + r] * x[c];
  }
}

/// x_b = L⁻¹ P (x_b - sum over k of U_kbᵀ x_k): the forward step of block b, which gathers from the blocks before it.
template <class T>
void forward(const StructureView &s, const FactorView<T> &f, Index b, double *x)
{
  const Index k = s.block_rows(b);
  double rhs[max_block_rows];
  for (Index r = 0; r < k; ++r)
    rhs[r] = x[s.block_start[b] + r];
  for (Offset q = s.column_start[b]; q < s.column_start[b + 1]; ++q) {
    const Index above = s.column_block[q], rows = s.block_rows(above);
    const Offset slot = s.column_tile[q] + above;
    const double *x_above = x + s.block_start[above];
    for (Index c = f.first[slot]; c < f.first[slot + 1]; ++c) {
      const T *u = f.value[above] + Offset(c) * rows;
      double sum = 0;
      for (Index r = 0; r < rows; ++r)
        sum += u[r] * x_above[r];
      rhs[f.column[above][c]] -= sum;
    }
  }
  multiply_inverse<false>(f.inverse + f.inverse_start[b], k, rhs, x + s.block_start[b]);
}

/// x_b = (L⁻¹ P)ᵀ (D⁻¹ x_b - sum over j of U_bj x_j): the backward step of block b.
template <class T>
void backward(const StructureView &s, const FactorView<T> &f, const double *d_inverse, const double *e_inverse, Index b,
              double *x)
{
  const Index k = s.block_rows(b), row = s.block_start[b];
  double rhs[max_block_rows];
  for (Index r = 0; r < k; ++r) {
    rhs[r] = d_inverse[row + r] * x[row + r];
    if (e_inverse[row + r] != 0)
      rhs[r] += e_inverse[row + r] * x[row + r + 1];
    if (r > 0 && e_inverse[row + r - 1] != 0)
      rhs[r] += e_inverse[row + r - 1] * x[row + r - 1];
  }
  const T *u = f.value[b];
  for (Offset t = s.tile_start[b]; t < s.tile_start[b + 1]; ++t) {
    const double *x_tile = x + s.block_start[s.tile_column[t]];
    for (Index c = f.first[t + b]; c < f.first[t + b + 1]; ++c, u += k) {
      const double xc = x_tile[f.column[b][c]];
      for (Index r = 0; r < k; ++r)
        rhs[r] -= u[r] * xc;
    }
  }
  multiply_inverse<true>(f.inverse + f.inverse_start[b], k, rhs, x + row);
}

} // namespace

template <class T>
SolveSchedule make_solve_schedule(const BlockStructure &structure, HostBlockFactor<T> &factor)
{
  const StructureView s = view_of(structure);
  const FactorView<T> f = factor.view();
  const LevelSets &levels = structure.levels;
  SolveSchedule schedule;
  for (Index level = 0; level < levels.levels(); ++level) {
    Offset entries = 0;
    for (Index i = levels.start[level]; i < levels.start[level + 1]; ++i) {
      const Index b = levels.order[i];
      entries += Offset(f.kept(s, b) + 4) * s.block_rows(b);
    }
    const bool parallel = entries >= small_level;
    schedule.parallel |= parallel;
    if (!parallel && !schedule.stages.empty() && !schedule.stages.back().parallel)
      schedule.stages.back().end = levels.start[level + 1];
    else
      schedule.stages.push_back({levels.start[level], levels.start[level + 1], parallel});
  }
  return schedule;
}

template <class T>
void solve_on_host(const BlockStructure &structure, const SolveSchedule &schedule, HostBlockFactor<T> &factor,
                   const std::vector<double> &d_inverse, const std::vector<double> &e_inverse, double *x)
{
  const StructureView s = view_of(structure);
  const FactorView<T> f = factor.view();
  const std::vector<Index> &order = structure.levels.order;
  const Index stages = static_cast<Index>(schedule.stages.size());
#pragma omp parallel if (schedule.parallel)
  {
    for (Index stage = 0; stage < stages; ++stage) {
      const auto [begin, end, parallel] = schedule.stages[stage];
      if (parallel) {
#pragma omp for schedule(dynamic, 64)
        for (Index i = begin; i < end; ++i)
          forward(s, f, order[i], x);
      } else {
#pragma omp single
        for (Index i = begin; i < end; ++i)
          forward(s, f, order[i], x);
      }
    }
    for (Index stage = stages - 1; stage >= 0; --stage) {
      const auto [begin, end, parallel] = schedule.stages[stage];
      if (parallel) {
#pragma omp for schedule(dynamic, 64)
        for (Index i = begin; i < end; ++i)
          backward(s, f, d_inverse.data(), e_inverse.data(), order[i], x);
      } else {
#pragma omp single
        for (Index i = end - 1; i >= begin; --i)
          backward(s, f, d_inverse.data(), e_inverse.data(), order[i], x);
      }
    }
  }
}

template <class T>
void invert_pivots(const BlockStructure &structure, const HostBlockFactor<T> &factor, bool absolute,
                   std::vector<double> &d_inverse, std::vector<double> &e_inverse)
{
  using Group = HostGroup<max_block_rows>;
  const Group g;
  d_inverse.resize(structure.rows);
  e_inverse.resize(structure.rows);
#pragma omp parallel for schedule(static)
  for (Index b = 0; b < structure.blocks(); ++b) {
    const Index row = structure.block_start[b], k = structure.block_rows(b);
    const double *d = factor.d.data() + row, *e = factor.e.data() + row;
    const BlockDiagonal<Group, double> inverse = absolute ? block_diagonal<DiagonalOf::inverse_absolute>(g, d, e, k)
                                                          : block_diagonal<DiagonalOf::inverse>(g, d, e, k);
    const auto id = g.template id<double>();
    const auto rows = id < Group::index<double>(k);
    g.store(rows, d_inverse.data() + row, inverse.own);
    g.store(rows, e_inverse.data() + row, select(inverse.partner > id, inverse.other, Group::lane<double>(0.0)));
  }
}

template SolveSchedule make_solve_schedule(const BlockStructure &, HostBlockFactor<double> &);
template SolveSchedule make_solve_schedule(const BlockStructure &, HostBlockFactor<float> &);
template void invert_pivots(const BlockStructure &, const HostBlockFactor<double> &, bool, std::vector<double> &,
                            std::vector<double> &);
template void invert_pivots(const BlockStructure &, const HostBlockFactor<float> &, bool, std::vector<double> &,
                            std::vector<double> &);
template void solve_on_host(const BlockStructure &, const SolveSchedule &, HostBlockFactor<double> &,
                            const std::vector<double> &, const std::vector<double> &, double *);
template void solve_on_host(const BlockStructure &, const SolveSchedule &, HostBlockFactor<float> &,
                            const std::vector<double> &, const std::vector<double> &, double *);

} // namespace tessera
