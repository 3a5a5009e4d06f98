#ifndef TESSERA_CUDA_BILDLT_DEVICE_FILL_LIMIT_CUH
#define TESSERA_CUDA_BILDLT_DEVICE_FILL_LIMIT_CUH

#include "cuda/bildlt/block_factor.cuh"

namespace tessera {

/// Entries that block rows may keep above the diagonal tiles, as FillLimit (factor/bildlt/fill_limit.hpp) hands them
/// out, but on the device: the same rows keep the same columns.
class DeviceFillLimit {
public:
  /// For one structure and one ratio.
  DeviceFillLimit(const BlockStructure &structure, double fill_ratio, const DeviceQueue &queue);

  double ratio() const { return ratio_; }
  Offset bytes() const { return share_.bytes() + order_.bytes() + wanted_.bytes() + granted_.bytes(); }

  /// Bytes copied to the device by the constructor
  Offset uploaded() const { return share_.bytes() + order_.bytes(); }

  /// Queues the beginning of a factorization: nothing is left over yet.
  void queue_start(cudaStream_t stream);

  /// Queues the limit of a batch whose columns are scored: those that may not be kept get a score below every
  /// tolerance. To be called for all batches in order.
  template <class T>
  void queue(const FactorRun<T> &run, const DeviceBatch &batch, cudaStream_t stream);

private:
  double ratio_;
  DeviceArray<Offset> share_;            ///< [blocks] entries that a block row may keep, before what earlier rows leave
  DeviceArray<Index> order_;             ///< [blocks] sorted by level, ascending in a level: that of the batches too
  DeviceArray<Offset> wanted_, granted_; ///< [blocks] columns, in that order
  DeviceArray<Offset> left_;             ///< [1] entries that the rows so far leave
};

} // namespace tessera
#endif
