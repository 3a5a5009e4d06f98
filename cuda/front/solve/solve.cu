#include "cuda/front/solve/solve.cuh"

#include "cuda/front/solve/solve_panels.cuh"
#include "cuda/front/solve/solve_tiles.cuh"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/launch_kernel.cuh"
#include "cuda/runtime/occupancy.cuh"

#include <algorithm>
#include <type_traits>

namespace tessera {
namespace {

constexpr int columns_of_group = 4; ///< right-hand sides that a thread block has at the same time
constexpr int most_groups = 16;     ///< of a launch; a power of two

/// Calls call(C) with the least C of 4, 8, 16 and 32 that is not below the columns of a front.
template <class Call>
__device__ void with_columns(Index columns, const Call &call)
{
  if (columns <= 4)
    return call(std::integral_constant<int, 4>());
  if (columns <= 8)
    return call(std::integral_constant<int, 8>());
  if (columns <= 16)
    return call(std::integral_constant<int, 16>());
  call(std::integral_constant<int, 32>());
}

template <bool Forward, int N>
__device__ void do_item(const FrontSweep &s, const SolveItem &f, double *memory)
{
  switch (f.work) {
  case SolveWork::None:
    return;
  case SolveWork::Warp:
    return with_columns(f.columns, [&](auto c) {
      if constexpr (Forward)
        forward_warp<decltype(c)::value, N>(s, f);
      else
        backward_warp<decltype(c)::value, N>(s, f);
    });
  case SolveWork::Block:
    if constexpr (Forward)
      return forward_block<N>(s, f, memory);
    else
      return backward_block<N>(s, f, memory);
  case SolveWork::Tile:
  case SolveWork::Part:
    if constexpr (Forward)
      return forward_tile<N>(s, f, memory);
    else
      return backward_tile<N>(s, f, memory);
  }
}

/// A sweep over the fronts, from the leaves to the roots or back, a ticket a thread block. Tickets are taken in the
/// order in which thread blocks begin, so that one that waits, waits for one that runs. Groups of right-hand sides go
/// through an item one after the other, so that the factor comes from memory once and from the cache for the others.
template <bool Forward, int N>
__global__ void __launch_bounds__(front_solve_threads, 2) sweep_fronts(const FrontSweep s)
{
  auto *const shared = launch_shared<double2>();
  __shared__ unsigned taken;
  if (threadIdx.x == 0) {
    taken = atomicAdd(s.ticket, 1u);
    if (taken == 0)
      *s.other_ticket = 0;
  }
  __syncthreads();
  const unsigned item = taken >> s.groups_shift;
  const SolveItem f = load(s.item + Offset(item) * front_solve_places + warp_of_block());
  if constexpr (N == 1)
    do_item<Forward, N>(s, f, reinterpret_cast<double *>(shared));
  else if (const unsigned group = taken - (item << s.groups_shift); Index(group) * N < s.columns)
    do_item<Forward, N>(s.of_group<Forward, N>(group), f, reinterpret_cast<double *>(shared));
}

/// y = Pᵀ J z, or z = J P y, where sign[i] is the bit of row i. A thread a row, and a vector for each blockIdx.y; of z
/// groups of `width` lie beside each other, see FrontSweep.
template <bool FromZ>
__global__ void exchange(Index rows, int width, const Index *perm, const std::uint32_t *sign,
                         const std::uint32_t *negative, const std::uint32_t *swapped, double *z,
                         std::conditional_t<FromZ, double, const double> *y)
{
  const Index i = Index(blockIdx.x) * front_solve_threads + Index(threadIdx.x);
  if (i >= rows)
    return;
  z += blockIdx.y / unsigned(width) * Offset(rows) * width + blockIdx.y % unsigned(width);
  y += blockIdx.y * Offset(rows);
  const bool minus = negative[sign[i] / 32] >> sign[i] % 32 & 1;
  const bool exchanged = swapped[sign[i] / 32] >> sign[i] % 32 & 1;
  const Index from = !exchanged ? i : sign[i] % 2 ? i - 1 : i + 1;
  if constexpr (FromZ)
    y[perm[i]] = minus ? -z[Offset(from) * width] : z[Offset(from) * width];
  else
    z[Offset(i) * width] = minus ? -y[perm[from]] : y[perm[from]];
}

/// left = b - A x for the lines of a level, with the entries of A between levels. A thread a line; a right-hand side
/// for each blockIdx.y. value: of the matrix.
__global__ void subtract_coupling(Index lines, Index first, const Index *line, const Offset *start,
                                  const Index *unknown, const Offset *entry, const double *value, const double *b,
                                  Offset b_leading, const double *x, Offset x_leading, double *left, Offset rows)
{
  const Index k = Index(blockIdx.x) * front_solve_threads + Index(threadIdx.x);
  if (k >= lines)
    return;
  const Index i = line[first + k];
  double sum = b[blockIdx.y * b_leading + i];
  for (Offset p = start[first + k]; p < start[first + k + 1]; ++p)
    sum = fma(-value[entry[p]], x[blockIdx.y * x_leading + unknown[p]], sum);
  left[blockIdx.y * rows + i] = sum;
}

template <bool Forward, int N>
void queue_sweep(const FrontSweep &sweep, std::int64_t items, Index most_block_rows, cudaStream_t stream)
{
  const std::size_t bytes = sizeof(double) * std::max(tile_numbers<N>, block_front_numbers<N>(most_block_rows));
  constexpr std::size_t always_allowed = 48 * 1024;
  if (bytes > always_allowed)
    allow_shared_memory(sweep_fronts<Forward, N>, bytes);
  check(launch_kernel(sweep_fronts<Forward, N>,
                      {unsigned(items / front_solve_places) << sweep.groups_shift, front_solve_threads, bytes, stream},
                      sweep),
        Forward ? "launching the forward sweep" : "launching the backward sweep");
}

/// Whether rows and columns share an order and its scale factors.
bool is_shared(const LineOrder &rows, const LineOrder &columns)
{
  return &rows.perm == &columns.perm && &rows.scale == &columns.scale;
}

} // namespace

FrontSubstitution::FrontSubstitution(const LineOrder &rows, const LineOrder &columns, const DevicePlan &fronts,
                                     const DeviceQueue &queue, const BlockLevels &levels)
    : FrontSubstitution(rows, columns, fronts, make_solve_plan(fronts, levels.front), queue, levels)
{
}

FrontSubstitution::FrontSubstitution(const LineOrder &rows, const LineOrder &columns, const DevicePlan &fronts,
                                     const SolvePlan &solve, const DeviceQueue &queue, const BlockLevels &levels)
    : queue_(queue), rows_(Offset(rows.perm.size())), below_(Offset(fronts.below_row.size())), sums_rows_(solve.sums),
      sides_(fronts.sides), factor_numbers_(fronts.factor_numbers), most_block_rows_(solve.most_block_rows),
      forward_begin_(solve.forward_begin),
      backward_begin_(solve.backward_begin), coupling_{{levels.side[0], queue}, {levels.side[1], queue}},
      forward_(solve.forward, queue), backward_(solve.backward, queue),
      below_row_(fronts.below_row, queue), perm_{{rows.perm, queue},
                                                 is_shared(rows, columns) ? DeviceArray<Index>()
                                                                          : DeviceArray<Index>(columns.perm, queue)},
      source_begin_(solve.source_begin, queue), source_(solve.source, queue),
      sign_(solve.sign, queue), scale_{{rows.scale, queue},
                                       is_shared(rows, columns) ? DeviceArray<double>()
                                                                : DeviceArray<double>(columns.scale, queue)},
      ticket_(2, queue)
{
  make_room(1);
}

void FrontSubstitution::take_scale(const double *rows, const double *columns)
{
  const double *const from[] = {rows, columns};
  for (int side = 0; side <= lines(1); ++side)
    check(cudaMemcpyAsync(scale_[side].data(), from[side], scale_[side].bytes(), cudaMemcpyDeviceToDevice, queue_),
          "copying scale factors");
}

/// Sees to it that vectors have room for so many right-hand sides.
void FrontSubstitution::make_room(int columns)
{
  if (room_ >= columns)
    return;
  clean_ = false; // even where there is no memory for all of them
  room_ = 0;
  for (DeviceArray<double> *vector : {&handed_, &z_, &x_, &sums_, &coupled_})
    *vector = DeviceArray<double>(); // before there are new ones
  handed_ = DeviceArray<double>(below_ * columns, queue_);
  z_ = DeviceArray<double>(rows_ * columns, queue_);
  x_ = DeviceArray<double>(rows_ * columns, queue_);
  sums_ = DeviceArray<double>(sums_rows_ * columns, queue_);
  if (forward_begin_.size() > 2)
    coupled_ = DeviceArray<double>(rows_ * columns, queue_);
  room_ = columns;
}

void FrontSubstitution::give_back_room()
{
  if (room_ <= 1)
    return;
  room_ = 0;
  make_room(1);
}

/// Groups of `width` right-hand sides that a launch is to do. Where there is more than one, vectors take no more memory
/// than the factor or 256 MB.
int FrontSubstitution::groups_of_launch(Index columns, int width) const
{
  const Offset a_group = (below_ + 2 * rows_ + sums_rows_) * width;
  constexpr Offset always_allowed = Offset(1) << 25;
  const Offset most = std::max(factor_numbers_, always_allowed);
  int groups = 1;
  while (groups < most_groups && groups * width < columns && 2 * groups * a_group <= most)
    groups *= 2;
  return groups;
}

/// Makes room for so many groups, or for fewer where there is no memory; returns for how many.
int FrontSubstitution::make_room_for(int groups, int width)
{
  for (;; groups /= 2)
    try {
      make_room(groups * width);
      return groups;
    } catch (const std::bad_alloc &) {
      if (groups == 1)
        throw;
    }
}

/// What solves expect of the one before: no tickets taken, and nothing known.
void FrontSubstitution::forget()
{
  check(cudaMemsetAsync(ticket_.data(), 0, ticket_.bytes(), queue_), "clearing tickets");
  for (const DeviceArray<double> *unknown : {&handed_, &z_, &x_, &sums_})
    if (unknown->size() > 0)
      check(cudaMemsetAsync(unknown->data(), 0xff, unknown->bytes(), queue_), "marking entries as unknown");
}

FrontSweep FrontSubstitution::sweep_with(const FrontFactorView &factor, Index columns) const
{
  FrontSweep sweep{};
  sweep.live = factor.live;
  sweep.negative = factor.negative;
  sweep.swapped = factor.swapped;
  sweep.below_row = below_row_.data();
  sweep.source_begin = source_begin_.data();
  sweep.source = source_.data();
  sweep.handed = handed_.data();
  sweep.z = z_.data();
  sweep.x = x_.data();
  sweep.sums = sums_.data();
  sweep.rows = rows_;
  sweep.below_rows = below_;
  sweep.sums_rows = sums_rows_;
  sweep.columns = columns;
  sweep.sides = sides_;
  return sweep;
}

FrontSweep FrontSubstitution::sweep_with(const FrontFactorView &factor, Index columns, int width) const
{
  FrontSweep sweep = sweep_with(factor, columns);
  while ((width << sweep.groups_shift) < columns)
    ++sweep.groups_shift;
  return sweep;
}

template <int N>
void FrontSubstitution::queue_forward(Index level, FrontSweep sweep, const FrontFactorView &factor, int side,
                                      const double *b, Offset leading)
{
  sweep.factor = factor.side[side];
  sweep.perm = perm_[lines(side)].data();
  sweep.scale = scale_[lines(side)].data();
  sweep.item = forward_.data() + forward_begin_[level];
  sweep.ticket = ticket_.data();
  sweep.other_ticket = ticket_.data() + 1;
  sweep.b = b;
  sweep.leading = leading;
  queue_sweep<true, N>(sweep, forward_begin_[level + 1] - forward_begin_[level], most_block_rows_, queue_);
}

template <int N>
void FrontSubstitution::queue_backward(Index level, FrontSweep sweep, const FrontFactorView &factor, int side,
                                       double *x, Offset leading)
{
  sweep.factor = factor.side[side];
  sweep.perm = perm_[lines(side)].data();
  sweep.scale = scale_[lines(side)].data();
  sweep.item = backward_.data() + backward_begin_[level];
  sweep.ticket = ticket_.data() + 1;
  sweep.other_ticket = ticket_.data();
  sweep.solution = x;
  sweep.leading = leading;
  queue_sweep<false, N>(sweep, backward_begin_[level + 1] - backward_begin_[level], most_block_rows_, queue_);
}

bool FrontSubstitution::queue_coupling(Index level, const FrontFactorView &factor, int side, Index columns,
                                       const double *b, Offset b_leading, const double *x, Offset x_leading)
{
  const CouplingOnDevice &c = coupling_[side];
  if (c.line_begin.empty() || c.line_begin[level] == c.line_begin[level + 1])
    return false;
  const Index first = c.line_begin[level], lines = c.line_begin[level + 1] - first;
  const dim3 grid(thread_blocks(lines, front_solve_threads), unsigned(columns));
  check(launch_kernel(subtract_coupling, {grid, front_solve_threads, 0, queue_}, lines, first, c.line.data(),
                      c.start.data(), c.unknown.data(), c.entry.data(), factor.value, b, b_leading, x, x_leading,
                      coupled_.data(), rows_),
        "subtracting what is known");
  return true;
}

template <int N>
void FrontSubstitution::queue_levels(const FrontSweep &sweep, const FrontFactorView &factor, bool transposed,
                                     const double *b, Offset b_leading, double *x, Offset x_leading, double *half)
{
  const int side = transposed ? 1 : 0;
  const Index levels = Index(forward_begin_.size()) - 1;
  for (Index k = 0; k < levels; ++k) {
    const Index level = transposed ? levels - 1 - k : k;
    if (queue_coupling(level, factor, side, sweep.columns, b, b_leading, x, x_leading))
      queue_forward<N>(level, sweep, factor, side, coupled_.data(), rows_);
    else
      queue_forward<N>(level, sweep, factor, side, b, b_leading);
    if (half)
      queue_half(factor, sweep.columns, N, half);
    queue_backward<N>(level, sweep, factor, 1 - side, x, x_leading);
  }
}

Index FrontSubstitution::run(const FrontFactorView &factor, bool transposed, Index columns, const double *b,
                             Offset b_leading, double *x, Offset x_leading, double *half)
{
  if (columns <= 0 || rows_ == 0)
    return 0;
  const int width = columns == 1 ? 1 : columns_of_group, groups = groups_of_launch(columns, width);
  const int with_room = make_room_for(groups, width), of_launch = with_room * width;
  if (!clean_)
    forget();
  clean_ = false;
  const auto queue_all =
      width == 1 ? &FrontSubstitution::queue_levels<1> : &FrontSubstitution::queue_levels<columns_of_group>;
  for (Index j = 0; j < columns; j += of_launch) {
    const FrontSweep sweep = sweep_with(factor, std::min<Index>(of_launch, columns - j), width);
    (this->*queue_all)(sweep, factor, transposed, b + j * b_leading, b_leading, x + j * x_leading, x_leading,
                       half ? half + j * rows_ : nullptr);
  }
  clean_ = true;
  return with_room < groups ? of_launch : 0;
}

void FrontSubstitution::queue_half(const FrontFactorView &factor, Index columns, int width, double *y)
{
  const dim3 grid(thread_blocks(rows_, front_solve_threads), unsigned(columns));
  check(launch_kernel(exchange<true>, {grid, front_solve_threads, 0, queue_}, Index(rows_), width, perm_[0].data(),
                      sign_.data(), factor.negative, factor.swapped, z_.data(), y),
        "ending the forward half of a solve");
}

void FrontSubstitution::run_forward(const FrontFactorView &factor, const double *b, double *y)
{
  if (rows_ == 0)
    return;
  forget();
  clean_ = false; // z stays known
  queue_forward<1>(0, sweep_with(factor, 1), factor, 0, b, rows_);
  queue_half(factor, 1, 1, y);
}

void FrontSubstitution::run_backward(const FrontFactorView &factor, const double *y, double *x)
{
  if (rows_ == 0)
    return;
  forget();
  clean_ = false;
  check(launch_kernel(exchange<false>, {thread_blocks(rows_, front_solve_threads), front_solve_threads, 0, queue_},
                      Index(rows_), 1, perm_[0].data(), sign_.data(), factor.negative, factor.swapped, z_.data(), y),
        "beginning the backward half of a solve");
  queue_backward<1>(0, sweep_with(factor, 1), factor, 1, x, rows_);
  clean_ = true;
}

std::int64_t FrontSubstitution::bytes() const
{
  return forward_.bytes() + backward_.bytes() + below_row_.bytes() + perm_[0].bytes() + perm_[1].bytes() +
         source_begin_.bytes() + source_.bytes() + sign_.bytes() + scale_[0].bytes() + scale_[1].bytes() +
         ticket_.bytes() + handed_.bytes() + z_.bytes() + x_.bytes() + sums_.bytes() + coupled_.bytes() +
         coupling_[0].bytes() + coupling_[1].bytes();
}

} // namespace tessera
