#ifndef TESSERA_BENCHMARKS_HOST_RIVALS_HPP
#define TESSERA_BENCHMARKS_HOST_RIVALS_HPP

#include "base/types.hpp"
#include "factor/front/options.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#ifdef WITH_SUITESPARSE
#include <suitesparse/cholmod.h>
#include <suitesparse/klu.h>
#include <suitesparse/umfpack.h>
#endif
#ifdef WITH_MUMPS
#include <dmumps_c.h>
#endif
#ifdef WITH_SPRAL
#include <spral_ssids.h>
#endif

// Other direct solvers for the host, with their default options.

namespace tessera {

/// A solver with its matrix. Members throw std::runtime_error when they fail.
class Solver {
public:
  virtual ~Solver() = default;
  virtual const char *name() const = 0;
  virtual void analyze() = 0;
  virtual void factor() = 0;
  /// The same pivots again, where the solver offers that.
  virtual bool refactor() { return false; }
  virtual void solve(const std::vector<double> &b, std::vector<double> &x) = 0;
  virtual double entries() const = 0;
  virtual std::string remark() const { return ""; }
};

inline void check(bool good, const char *what)
{
  if (!good)
    throw std::runtime_error(what);
}

#ifdef WITH_SUITESPARSE
/// KLU and UMFPACK take columns: they factor the transpose, and solve with the transpose of that.
class Klu : public Solver {
public:
  explicit Klu(const Matrix &a) : a_(a), start_(a.pattern.start.begin(), a.pattern.start.end()), row_(a.pattern.column)
  {
    klu_defaults(&common_);
  }
  ~Klu() override
  {
    klu_free_numeric(&numeric_, &common_);
    klu_free_symbolic(&symbolic_, &common_);
  }

  const char *name() const override { return "klu"; }
  void analyze() override
  {
    klu_free_symbolic(&symbolic_, &common_);
    symbolic_ = klu_analyze(a_.pattern.rows, start_.data(), row_.data(), &common_);
    check(symbolic_, "klu_analyze");
  }
  void factor() override
  {
    klu_free_numeric(&numeric_, &common_);
    numeric_ = klu_factor(start_.data(), row_.data(), values(), symbolic_, &common_);
    check(numeric_ && common_.status == KLU_OK, "klu_factor");
  }
  bool refactor() override
  {
    check(klu_refactor(start_.data(), row_.data(), values(), symbolic_, numeric_, &common_), "klu_refactor");
    return true;
  }
  void solve(const std::vector<double> &b, std::vector<double> &x) override
  {
    x = b;
    check(klu_tsolve(symbolic_, numeric_, a_.pattern.rows, 1, x.data(), &common_), "klu_tsolve");
  }
  double entries() const override { return double(numeric_->lnz) + numeric_->unz; }

private:
  double *values() { return const_cast<double *>(a_.value.data()); }

  const Matrix &a_;
  std::vector<int> start_, row_;
  klu_common common_;
  klu_symbolic *symbolic_ = nullptr;
  klu_numeric *numeric_ = nullptr;
};

class Umfpack : public Solver {
public:
  explicit Umfpack(const Matrix &a)
      : a_(a), start_(a.pattern.start.begin(), a.pattern.start.end()), row_(a.pattern.column)
  {
    umfpack_di_defaults(control_);
  }
  ~Umfpack() override
  {
    umfpack_di_free_numeric(&numeric_);
    umfpack_di_free_symbolic(&symbolic_);
  }

  const char *name() const override { return "umfpack"; }
  void analyze() override
  {
    umfpack_di_free_symbolic(&symbolic_);
    const int n = a_.pattern.rows;
    check(umfpack_di_symbolic(n, n, start_.data(), row_.data(), a_.value.data(), &symbolic_, control_, info_) == 0,
          "umfpack_di_symbolic");
  }
  void factor() override
  {
    umfpack_di_free_numeric(&numeric_);
    const int status =
        umfpack_di_numeric(start_.data(), row_.data(), a_.value.data(), symbolic_, &numeric_, control_, info_);
    check(status == 0, status == UMFPACK_WARNING_singular_matrix ? "singular" : "umfpack_di_numeric");
    entries_ = info_[UMFPACK_LNZ] + info_[UMFPACK_UNZ];
  }
  void solve(const std::vector<double> &b, std::vector<double> &x) override
  {
    check(umfpack_di_solve(UMFPACK_At, start_.data(), row_.data(), a_.value.data(), x.data(), b.data(), numeric_,
                           control_, info_) == 0,
          "umfpack_di_solve");
  }
  double entries() const override { return entries_; }

private:
  const Matrix &a_;
  std::vector<int> start_, row_;
  double control_[UMFPACK_CONTROL], info_[UMFPACK_INFO], entries_ = 0;
  void *symbolic_ = nullptr, *numeric_ = nullptr;
};

/// LLᵀ, supernodal where it chooses so.
class Cholmod : public Solver {
public:
  explicit Cholmod(const Matrix &a)
  {
    cholmod_l_start(&common_);
    const Index n = a.pattern.rows;
    matrix_ = cholmod_l_allocate_sparse(n, n, a.value.size(), true, true, 1, CHOLMOD_REAL, &common_);
    auto *start = static_cast<SuiteSparse_long *>(matrix_->p), *row = static_cast<SuiteSparse_long *>(matrix_->i);
    auto *value = static_cast<double *>(matrix_->x);
    SuiteSparse_long q = 0;
    for (Index j = 0; j < n; ++j) {
      start[j] = q;
      for (Offset p = a.pattern.start[j]; p < a.pattern.start[j + 1] && a.pattern.column[p] <= j; ++p) {
        row[q] = a.pattern.column[p];
        value[q++] = a.value[p];
      }
    }
    start[n] = q;
  }
  ~Cholmod() override
  {
    cholmod_l_free_factor(&factor_, &common_);
    cholmod_l_free_sparse(&matrix_, &common_);
    cholmod_l_finish(&common_);
  }

  const char *name() const override { return "cholmod"; }
  void analyze() override
  {
    factor_ = cholmod_l_analyze(matrix_, &common_);
    check(factor_, "cholmod_analyze");
  }
  void factor() override
  {
    cholmod_l_factorize(matrix_, factor_, &common_);
    check(common_.status == CHOLMOD_OK, "cholmod_factorize");
  }
  void solve(const std::vector<double> &b, std::vector<double> &x) override
  {
    cholmod_dense right = {};
    right.nrow = right.nzmax = right.d = b.size();
    right.ncol = 1;
    right.x = const_cast<double *>(b.data());
    right.xtype = CHOLMOD_REAL;
    cholmod_dense *solution = cholmod_l_solve(CHOLMOD_A, factor_, &right, &common_);
    check(solution, "cholmod_solve");
    std::copy_n(static_cast<double *>(solution->x), b.size(), x.begin());
    cholmod_l_free_dense(&solution, &common_);
  }
  double entries() const override { return common_.lnz; }

private:
  cholmod_common common_;
  cholmod_sparse *matrix_ = nullptr;
  cholmod_factor *factor_ = nullptr;
};
#endif

#ifdef WITH_MUMPS
class Mumps : public Solver {
public:
  /// sym: 0 for LU, 1 for LLᵀ, 2 for LDLᵀ.
  Mumps(const Matrix &a, int sym)
  {
    for (Index i = 0; i < a.pattern.rows; ++i)
      for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
        if (sym == 0 || a.pattern.column[p] <= i) {
          row_.push_back(i + 1);
          column_.push_back(a.pattern.column[p] + 1);
          value_.push_back(a.value[p]);
        }
    data_.sym = sym;
    data_.par = 1;
    data_.comm_fortran = -987654; // MPI_COMM_WORLD
    call(-1);
    data_.icntl[0] = data_.icntl[1] = data_.icntl[2] = -1;
    data_.icntl[3] = 0;
    data_.n = a.pattern.rows;
    data_.nnz = MUMPS_INT8(value_.size());
    data_.irn = row_.data();
    data_.jcn = column_.data();
    data_.a = value_.data();
  }
  ~Mumps() override { call(-2); }

  const char *name() const override { return "mumps"; }
  void analyze() override { call(1); }
  void factor() override
  {
    // It asks for more memory than it has foreseen by an error.
    for (data_.job = 2; dmumps_c(&data_), data_.infog[0] == -8 || data_.infog[0] == -9;)
      data_.icntl[13] *= 2;
    check(data_.infog[0] >= 0, "dmumps_c");
  }
  void solve(const std::vector<double> &b, std::vector<double> &x) override
  {
    x = b;
    data_.rhs = x.data();
    call(3);
  }
  double entries() const override { return data_.infog[28] < 0 ? -1e6 * data_.infog[28] : data_.infog[28]; }

private:
  void call(int job)
  {
    data_.job = job;
    dmumps_c(&data_);
    check(data_.infog[0] >= 0, "dmumps_c");
  }

  std::vector<int> row_, column_;
  std::vector<double> value_;
  DMUMPS_STRUC_C data_ = {};
};
#endif

#ifdef WITH_SPRAL
/// SSIDS on the CPU, LDLᵀ by matching and METIS or LLᵀ by METIS. It wants OMP_CANCELLATION=true and OMP_PROC_BIND=true.
class Ssids : public Solver {
public:
  Ssids(const Matrix &a, bool definite) : n_(a.pattern.rows), definite_(definite), start_(1, 0)
  {
    for (Index i = 0; i < n_; ++i) {
      for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
        if (a.pattern.column[p] >= i) {
          row_.push_back(a.pattern.column[p]);
          value_.push_back(a.value[p]);
        }
      start_.push_back(std::int64_t(row_.size()));
    }
    spral_ssids_default_options(&options_);
    options_.array_base = 0;
    options_.use_gpu = false;
    options_.ignore_numa = true;
    options_.print_level = -1;
    options_.ordering = definite ? 1 : 2;
    options_.scaling = definite ? 0 : 3;
  }
  ~Ssids() override { spral_ssids_free(&analysis_, &factor_); }

  const char *name() const override { return "ssids"; }
  void analyze() override
  {
    spral_ssids_analyse(false, n_, nullptr, start_.data(), row_.data(), definite_ ? nullptr : value_.data(), &analysis_,
                        &options_, &inform_);
    check(inform_.flag >= 0, "spral_ssids_analyse");
  }
  void factor() override
  {
    spral_ssids_factor(definite_, start_.data(), row_.data(), value_.data(), nullptr, analysis_, &factor_, &options_,
                       &inform_);
    check(inform_.flag >= 0, "spral_ssids_factor");
  }
  void solve(const std::vector<double> &b, std::vector<double> &x) override
  {
    x = b;
    spral_ssids_solve1(0, x.data(), analysis_, factor_, &options_, &inform_);
    check(inform_.flag >= 0, "spral_ssids_solve1");
  }
  double entries() const override { return double(inform_.num_factor); }

private:
  int n_;
  bool definite_;
  std::vector<std::int64_t> start_;
  std::vector<int> row_;
  std::vector<double> value_;
  void *analysis_ = nullptr, *factor_ = nullptr;
  spral_ssids_options options_;
  spral_ssids_inform inform_;
};
#endif

} // namespace tessera
#endif
