#ifndef TESSERA_CUDA_FRONT_SOLVE_SOLVE_CUH
#define TESSERA_CUDA_FRONT_SOLVE_SOLVE_CUH

#include "cuda/front/front_arrays.cuh"
#include "cuda/front/solve/solve_view.cuh"
#include "cuda/runtime/device_array.cuh"
#include "factor/lu/block_levels.hpp"

namespace tessera {

/// An order of rows, or of columns, and their scale factors.
struct LineOrder {
  const std::vector<Index> &perm;   ///< [rows] the caller's row that is eliminated as the i-th
  const std::vector<double> &scale; ///< [rows] in elimination order
};

/// The substitutions with a factor by fronts in device memory: a launch for the forward sweep and one for the backward
/// sweep, in which thread blocks wait for the numbers that they need. The same bits every time.
class FrontSubstitution {
public:
  /// `queue` must outlive it. rows, columns: of the matrix; of a symmetric one the same. levels: of the diagonal blocks
  /// of LU.
  FrontSubstitution(const LineOrder &rows, const LineOrder &columns, const DevicePlan &fronts, const DeviceQueue &queue,
                    const BlockLevels &levels = {});

  /// Queues a copy of other scale factors of rows and of columns, [rows] in device memory; the same where they were.
  void take_scale(const double *rows, const double *columns);

  /// Queues X = A⁻¹ B for `columns` right-hand sides in the caller's order and scale, or A⁻ᵀ B; all in device memory.
  /// b: [columns, b_leading], x likewise, apart from b. A pair of launches does up to 64 right-hand sides, in groups of
  /// four, or fewer where their vectors would take more memory than the factor; one is a group of its own.
  /// Returns how many right-hand sides a pair of launches did where there was no memory for more, else 0.
  /// half: of a symmetric matrix, [columns, rows] for what run_forward() makes of them, or null.
  Index run(const FrontFactorView &factor, bool transposed, Index columns, const double *b, Offset b_leading, double *x,
            Offset x_leading, double *half = nullptr);

  /// Queues the halves of that for one right-hand side, y = Pᵀ J z and x from y, as SolveHalves has them, for a
  /// symmetric matrix. Each of them marks all vectors as unknown first, which run() need not.
  void run_forward(const FrontFactorView &factor, const double *b, double *y);
  void run_backward(const FrontFactorView &factor, const double *y, double *x);

  /// Gives back the memory that vectors take where there was more than one at a time.
  void give_back_room();

  /// Device memory held, in bytes.
  std::int64_t bytes() const;

private:
  FrontSubstitution(const LineOrder &rows, const LineOrder &columns, const DevicePlan &fronts, const SolvePlan &solve,
                    const DeviceQueue &queue, const BlockLevels &levels);

  /// LevelCoupling in device memory.
  struct CouplingOnDevice {
    std::vector<Index> line_begin;
    DeviceArray<Index> line, unknown;
    DeviceArray<Offset> start, entry;

    CouplingOnDevice(const LevelCoupling &c, const DeviceQueue &queue)
        : line_begin(c.line_begin), line(c.line, queue), unknown(c.unknown, queue), start(c.start, queue),
          entry(c.entry, queue)
    {
    }
    std::int64_t bytes() const { return line.bytes() + unknown.bytes() + start.bytes() + entry.bytes(); }
  };

  /// Whose order and scale factors a side has: of rows and columns that have the same those of the rows.
  int lines(int side) const { return perm_[1].size() > 0 ? side : 0; }
  void make_room(int columns);
  int groups_of_launch(Index columns, int width) const;
  int make_room_for(int groups, int width);
  FrontSweep sweep_with(const FrontFactorView &factor, Index columns, int width) const;
  void forget();
  /// What both sweeps have in common, with `columns` right-hand sides.
  FrontSweep sweep_with(const FrontFactorView &factor, Index columns) const;
  /// All levels, for the right-hand sides of a sweep.
  template <int N>
  void queue_levels(const FrontSweep &sweep, const FrontFactorView &factor, bool transposed, const double *b,
                    Offset b_leading, double *x, Offset x_leading, double *half);
  /// What the forward sweep of a symmetric matrix has made of its right-hand sides, to y.
  void queue_half(const FrontFactorView &factor, Index columns, int width, double *y);
  /// Queues right-hand sides of a level less what is known to add to them; returns whether that is anything.
  bool queue_coupling(Index level, const FrontFactorView &factor, int side, Index columns, const double *b,
                      Offset b_leading, const double *x, Offset x_leading);
  /// side: of the factor, whose order the right-hand sides or the solutions have.
  template <int N>
  void queue_forward(Index level, FrontSweep sweep, const FrontFactorView &factor, int side, const double *b,
                     Offset leading);
  template <int N>
  void queue_backward(Index level, FrontSweep sweep, const FrontFactorView &factor, int side, double *x,
                      Offset leading);

  const DeviceQueue &queue_;
  Offset rows_, below_, sums_rows_;
  Index sides_;
  Offset factor_numbers_; ///< entries of a side of the factor
  Index most_block_rows_;
  std::vector<Offset> forward_begin_, backward_begin_; ///< [levels + 1]
  CouplingOnDevice coupling_[2];                       ///< of each side; without lines where there is one level
  DeviceArray<SolveItem> forward_, backward_;
  DeviceArray<Index> below_row_, perm_[2]; ///< perm_: of the rows, and of the columns, if they are others, see lines()
  DeviceArray<std::uint32_t> source_begin_, source_, sign_;
  DeviceArray<double> scale_[2];
  DeviceArray<unsigned> ticket_;              ///< [2]
  DeviceArray<double> handed_, z_, x_, sums_; ///< for room_ right-hand sides
  DeviceArray<double> coupled_;               ///< [room_, rows] right-hand sides less what is known of them
  int room_ = 0;
  bool clean_ = false; ///< the last solve was queued to its end, or the vectors are as before the first
};

} // namespace tessera
#endif
