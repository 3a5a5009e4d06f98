#ifndef TESSERA_BENCHMARKS_CUDSS_FACTOR_HPP
#define TESSERA_BENCHMARKS_CUDSS_FACTOR_HPP

#include "cuda_array.hpp"

#include <cudss.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#if CUDSS_VERSION < 10000
#error "the benchmarks need cuDSS 1.0 or newer"
#endif

// NVIDIA's direct solver cuDSS, https://docs.nvidia.com/cuda/cudss, through its C interface. Members throw
// std::runtime_error when a call fails.

namespace tessera {

inline void check(cudssStatus_t status, const char *what)
{
  static constexpr const char *says[] = {"success",       "not initialized",  "no memory",      "invalid value",
                                         "not supported", "execution failed", "internal error", "refinement failed"};
  if (status != CUDSS_STATUS_SUCCESS)
    throw std::runtime_error(std::string(what) + ": " + (std::size_t(status) < std::size(says) ? says[status] : "?"));
}

/// Bytes of device memory that are in use, by any process.
inline std::size_t device_bytes_in_use()
{
  std::size_t available, all;
  check(cudaMemGetInfo(&available, &all), "cudaMemGetInfo");
  return all - available;
}

/// What a program has one of. It makes the CUDA context.
class CudssLibrary {
public:
  /// threading_layer: file of the layer by which its analysis has threads, such as libcudss_mtlayer_gomp.so.1; empty:
  /// it has one.
  explicit CudssLibrary(const std::string &threading_layer)
  {
    check(cudaFree(nullptr), "CUDA");
    bytes_before_ = device_bytes_in_use();
    check(cudssCreate(&handle_), "cudssCreate");
    if (!threading_layer.empty())
      check(cudssSetThreadingLayer(handle_, threading_layer.c_str()), "cudssSetThreadingLayer");
  }
  CudssLibrary(const CudssLibrary &) = delete;
  CudssLibrary &operator=(const CudssLibrary &) = delete;
  ~CudssLibrary() { cudssDestroy(handle_); }

  cudssHandle_t handle() const { return handle_; }

  /// Bytes of device memory that have been taken since the CUDA context was made: code and working space of cuDSS,
  /// matrices, vectors, factors. Other processes must not be at work.
  std::size_t bytes() const
  {
    const std::size_t now = device_bytes_in_use();
    return now - std::min(now, bytes_before_);
  }

private:
  cudssHandle_t handle_ = nullptr;
  std::size_t bytes_before_;
};

enum class CudssType { General, Symmetric, Definite };

struct CudssOptions {
  CudssType type = CudssType::Symmetric;
  bool matching = true; ///< left to cuDSS, as by default; false: none
  bool deterministic = false;
  int refinement_steps = 0; ///< cuDSS's default
};

struct CudssReport {
  std::int64_t factor_entries = 0, flops = 0;
  int perturbed = 0;                ///< pivots that were replaced
  int positive = -1, negative = -1; ///< inertia of a symmetric matrix; -1 where there is none
};

/// A matrix in device memory that a caller owns, and its factor.
class CudssFactor {
public:
  /// Rows [start[i], start[i + 1]) of column, in device memory, both triangles or, of a symmetric or definite matrix,
  /// the upper one at least; every diagonal entry. All must stay. columns: right-hand sides of a solve.
  template <class Int>
  CudssFactor(const CudssLibrary &library, std::int64_t rows, std::int64_t entries, const Int *start, const Int *column,
              const double *value, const CudssOptions &options, std::int64_t columns = 1)
      : handle_(library.handle()), type_(options.type)
  {
    check(cudssConfigCreate(&config_), "cudssConfigCreate");
    check(cudssDataCreate(handle_, &data_), "cudssDataCreate");
    if (!options.matching)
      configure(CUDSS_CONFIG_MATCHING_ALG, CUDSS_MATCHING_ALG_NONE, "CUDSS_CONFIG_MATCHING_ALG");
    if (options.deterministic)
      configure(CUDSS_CONFIG_DETERMINISTIC_MODE, 1, "CUDSS_CONFIG_DETERMINISTIC_MODE");
    if (options.refinement_steps)
      configure(CUDSS_CONFIG_IR_N_STEPS, options.refinement_steps, "CUDSS_CONFIG_IR_N_STEPS");
    constexpr cudaDataType_t integer = sizeof(Int) == 8 ? CUDA_R_64I : CUDA_R_32I;
    check(cudssMatrixCreateCsr(&a_, rows, rows, entries, const_cast<Int *>(start), nullptr, const_cast<Int *>(column),
                               const_cast<double *>(value), integer, integer, CUDA_R_64F,
                               type_ == CudssType::General     ? CUDSS_MTYPE_GENERAL
                               : type_ == CudssType::Symmetric ? CUDSS_MTYPE_SYMMETRIC
                                                               : CUDSS_MTYPE_SPD,
                               type_ == CudssType::General ? CUDSS_MVIEW_FULL : CUDSS_MVIEW_UPPER, CUDSS_BASE_ZERO),
          "cudssMatrixCreateCsr");
    for (cudssMatrix_t *matrix : {&b_, &x_})
      check(cudssMatrixCreateDn(matrix, rows, columns, rows, nullptr, CUDA_R_64F, CUDSS_LAYOUT_COL_MAJOR),
            "cudssMatrixCreateDn");
  }
  CudssFactor(const CudssFactor &) = delete;
  CudssFactor &operator=(const CudssFactor &) = delete;
  ~CudssFactor()
  {
    for (cudssMatrix_t matrix : {a_, b_, x_})
      cudssMatrixDestroy(matrix);
    cudssDataDestroy(handle_, data_);
    cudssConfigDestroy(config_);
  }

  /// Where values, right-hand sides and solutions are from now on.
  void set_values(const double *value) { set(a_, value); }
  void set_vectors(const double *b, double *x)
  {
    set(b_, b);
    set(x_, x);
  }

  void reorder() { run(CUDSS_PHASE_REORDERING, "reordering"); }
  void factor_symbolically() { run(CUDSS_PHASE_SYMBOLIC_FACTORIZATION, "symbolic factorization"); }
  void factor() { run(CUDSS_PHASE_FACTORIZATION, "factorization"); }
  void refactor() { run(CUDSS_PHASE_REFACTORIZATION, "refactorization"); }
  void solve() { run(CUDSS_PHASE_SOLVE, "solve"); }

  /// What the last factorization complains of; 0: nothing.
  int info() const
  {
    int info = 0;
    ask(CUDSS_DATA_INFO, info, "CUDSS_DATA_INFO");
    return info;
  }

  CudssReport report() const
  {
    CudssReport report;
    ask(CUDSS_DATA_LU_NNZ, report.factor_entries, "CUDSS_DATA_LU_NNZ");
    ask(CUDSS_DATA_FLOPS, report.flops, "CUDSS_DATA_FLOPS");
    ask(CUDSS_DATA_NPIVOTS, report.perturbed, "CUDSS_DATA_NPIVOTS");
    if (type_ == CudssType::Symmetric) {
      int inertia[2];
      ask(CUDSS_DATA_INERTIA, inertia, "CUDSS_DATA_INERTIA");
      report.positive = inertia[0];
      report.negative = inertia[1];
    }
    return report;
  }

private:
  static void set(cudssMatrix_t matrix, const double *value)
  {
    check(cudssMatrixSetValues(matrix, const_cast<double *>(value)), "cudssMatrixSetValues");
  }

  template <class T>
  void configure(cudssConfigParam_t parameter, const T &value, const char *name)
  {
    check(cudssConfigSet(config_, parameter, &value, sizeof value), name);
  }

  template <class T>
  void ask(cudssDataParam_t parameter, T &value, const char *name) const
  {
    std::size_t written;
    check(cudssDataGet(handle_, data_, parameter, &value, sizeof value, &written), name);
  }

  /// Waits for the device, which some phases leave at work.
  void run(int phase, const char *name)
  {
    check(cudssExecute(handle_, phase, config_, data_, a_, x_, b_), name);
    check(cudaDeviceSynchronize(), name);
  }

  cudssHandle_t handle_;
  CudssType type_;
  cudssConfig_t config_ = nullptr;
  cudssData_t data_ = nullptr;
  cudssMatrix_t a_ = nullptr, b_ = nullptr, x_ = nullptr;
};

} // namespace tessera
#endif
