#ifndef TESSERA_BENCHMARKS_CUDSS_SOLVER_HPP
#define TESSERA_BENCHMARKS_CUDSS_SOLVER_HPP

#include "base/types.hpp"
#include "cuda_array.hpp"

#include <cudss.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

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

/// A matrix in device memory with its factor.
class CudssSolver {
public:
  /// Of a symmetric or definite matrix, which stores both triangles, cuDSS gets the upper one. Where the diagonal has
  /// no entry it gets a zero. There are no values yet. columns: right-hand sides of a solve.
  CudssSolver(const CudssLibrary &library, const Pattern &pattern, const CudssOptions &options, Index columns = 1)
      : handle_(library.handle()), type_(options.type), handed_(hand_over(pattern, options.type)),
        start_(handed_.start), column_(handed_.column), value_(handed_.column.size()),
        right_(std::size_t(pattern.rows) * columns), solution_(std::size_t(pattern.rows) * columns)
  {
    check(cudssConfigCreate(&config_), "cudssConfigCreate");
    check(cudssDataCreate(handle_, &data_), "cudssDataCreate");
    if (!options.matching)
      configure(CUDSS_CONFIG_MATCHING_ALG, CUDSS_MATCHING_ALG_NONE, "CUDSS_CONFIG_MATCHING_ALG");
    if (options.deterministic)
      configure(CUDSS_CONFIG_DETERMINISTIC_MODE, 1, "CUDSS_CONFIG_DETERMINISTIC_MODE");
    if (options.refinement_steps)
      configure(CUDSS_CONFIG_IR_N_STEPS, options.refinement_steps, "CUDSS_CONFIG_IR_N_STEPS");
    const std::int64_t n = pattern.rows;
    check(cudssMatrixCreateCsr(&a_, n, n, std::int64_t(handed_.column.size()), start_.data(), nullptr, column_.data(),
                               value_.data(), CUDA_R_32I, CUDA_R_32I, CUDA_R_64F,
                               type_ == CudssType::General     ? CUDSS_MTYPE_GENERAL
                               : type_ == CudssType::Symmetric ? CUDSS_MTYPE_SYMMETRIC
                                                               : CUDSS_MTYPE_SPD,
                               type_ == CudssType::General ? CUDSS_MVIEW_FULL : CUDSS_MVIEW_UPPER, CUDSS_BASE_ZERO),
          "cudssMatrixCreateCsr");
    for (auto [matrix, x] : {std::pair(&b_, &right_), std::pair(&x_, &solution_)})
      check(cudssMatrixCreateDn(matrix, n, columns, n, x->data(), CUDA_R_64F, CUDSS_LAYOUT_COL_MAJOR),
            "cudssMatrixCreateDn");
  }
  CudssSolver(const CudssSolver &) = delete;
  CudssSolver &operator=(const CudssSolver &) = delete;
  ~CudssSolver()
  {
    for (cudssMatrix_t matrix : {a_, b_, x_})
      cudssMatrixDestroy(matrix);
    cudssDataDestroy(handle_, data_);
    cudssConfigDestroy(config_);
  }

  /// value: those of the pattern's entries.
  void set_values(const std::vector<double> &value)
  {
    std::vector<double> handed(handed_.source.size());
    std::transform(handed_.source.begin(), handed_.source.end(), handed.begin(),
                   [&](Offset p) { return p < 0 ? 0.0 : value[p]; });
    value_.set(handed);
  }
  /// [columns, rows]
  void set_right_hand_sides(const std::vector<double> &b) { right_.set(b); }
  std::vector<double> solutions() const { return solution_.on_host(); }

  void reorder() { run(CUDSS_PHASE_REORDERING, "reordering"); }
  void factor_symbolically() { run(CUDSS_PHASE_SYMBOLIC_FACTORIZATION, "symbolic factorization"); }
  void factor() { run_numeric(CUDSS_PHASE_FACTORIZATION, "factorization"); }
  void refactor() { run_numeric(CUDSS_PHASE_REFACTORIZATION, "refactorization"); }
  void solve() { run(CUDSS_PHASE_SOLVE, "solve"); }

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
  /// Entries that cuDSS gets, and which of the matrix they are, -1 for a zero on the diagonal.
  struct Handed {
    std::vector<int> start = {0}, column;
    std::vector<Offset> source;
  };

  static Handed hand_over(const Pattern &pattern, CudssType type)
  {
    if (pattern.entries() > std::numeric_limits<int>::max() - pattern.rows)
      throw std::runtime_error("the matrix has too many entries for indices of 32 bits");
    Handed handed;
    const auto add = [&](Index j, Offset source) {
      handed.column.push_back(j);
      handed.source.push_back(source);
    };
    for (Index i = 0; i < pattern.rows; ++i) {
      bool past_diagonal = false;
      for (Offset p = pattern.start[i]; p < pattern.start[i + 1]; ++p) {
        const Index j = pattern.column[p];
        if (j > i && !past_diagonal)
          add(i, -1);
        past_diagonal = past_diagonal || j >= i;
        if (j >= i || type == CudssType::General)
          add(j, p);
      }
      if (!past_diagonal)
        add(i, -1);
      handed.start.push_back(int(handed.column.size()));
    }
    return handed;
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

  void run_numeric(int phase, const char *name)
  {
    run(phase, name);
    int info = 0;
    ask(CUDSS_DATA_INFO, info, "CUDSS_DATA_INFO");
    if (info)
      throw std::runtime_error(std::string(name) + ": CUDSS_DATA_INFO is " + std::to_string(info));
  }

  cudssHandle_t handle_;
  CudssType type_;
  Handed handed_;
  CudaArray<int> start_, column_;
  CudaArray<double> value_, right_, solution_;
  cudssConfig_t config_ = nullptr;
  cudssData_t data_ = nullptr;
  cudssMatrix_t a_ = nullptr, b_ = nullptr, x_ = nullptr;
};

} // namespace tessera
#endif
