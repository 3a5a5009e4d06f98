#include "host/front/eliminate/eliminate_llt.hpp"

#include "host/front/blas.hpp"
#include "host/front/lower_chunks.hpp"

namespace tessera {
namespace {

constexpr Index block_columns = 256; ///< factored together, before they update the rest

} // namespace

template <Symmetry S, class T>
Index eliminate_llt(FrontColumns<T> &front, bool parallel)
{
  const Index rows = front.rows;
  for (Index j = 0; j < front.columns; j += block_columns) {
    const Index width = std::min(block_columns, front.columns - j), after = j + width;
    if (const int info = blas::factor_definite(width, front.at(j, j), rows))
      return j + info - 1;
    for_chunks_of_rows(after, rows, parallel, [&](Index r0, Index r1) {
      blas::solve_triangle(blas::Side::right, blas::Triangle::lower, blas::mirror_image<S>, blas::Diagonal::any,
                           r1 - r0, width, front.at(j, j), rows, front.at(r0, j), rows);
    });
    for_lower_chunks(after, front.columns, rows, parallel, [&](Index r0, Index r1, Index j0, Index j1) {
      blas::subtract_product(r1 - r0, j1 - j0, width, front.at(r0, j), rows, front.at(j0, j), rows,
                             blas::mirror_image<S>, front.at(r0, j0), rows);
    });
  }
  front.eliminated = front.columns;
  return -1;
}

template <Symmetry S, class T>
void update_contribution_llt(const FrontColumns<T> &front, T *c, bool parallel)
{
  const Index n = front.rows - front.columns, rows = front.rows;
  for_lower_chunks(0, n, n, parallel, [&](Index r0, Index r1, Index j0, Index j1) {
    blas::subtract_product(r1 - r0, j1 - j0, front.columns, front.at(front.columns + r0, 0), rows,
                           front.at(front.columns + j0, 0), rows, blas::mirror_image<S>,
                           c + std::ptrdiff_t(j0) * n + r0, n);
  });
}

template Index eliminate_llt<Symmetry::Symmetric>(FrontColumns<double> &, bool);
template Index eliminate_llt<Symmetry::Hermitian>(FrontColumns<Complex> &, bool);
template void update_contribution_llt<Symmetry::Symmetric>(const FrontColumns<double> &, double *, bool);
template void update_contribution_llt<Symmetry::Hermitian>(const FrontColumns<Complex> &, Complex *, bool);

} // namespace tessera
