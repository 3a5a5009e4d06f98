#ifndef TESSERA_TESTS_FUZZ_DIRECT_CASE_HPP
#define TESSERA_TESTS_FUZZ_DIRECT_CASE_HPP

#include "byte_source.hpp"
#include "factor/front/direct_factorization.hpp"
#include "factor/lu/lu_factorization.hpp"
#include "factor/lu/make_lu_plan.hpp"
#include "reference.hpp"
#include "support/complex_cases.hpp"

#include <memory>
#include <string>

namespace tessera::fuzz {

/// Which direct factorization an input asks for, and how.
struct DirectSetup {
  enum Method { LDLT, LLT, LU } method = LDLT;
  bool complex_values = false;
  Symmetry symmetry = Symmetry::Symmetric; ///< of complex ones, but for LU
  PlanOptions plan;
  bool block_triangular = true;
  DirectOptions options;
  Index steps = 10; ///< of refinement

  /// Entries of L are bounded well enough for what is promised of errors, inertia and rank.
  bool careful() const { return options.threshold >= 0.01; }
  /// Pivots have signs.
  bool has_inertia() const { return method != LU && (!complex_values || symmetry == Symmetry::Hermitian); }
};

DirectSetup decode_direct(ByteSource &in);

/// A real matrix, or a complex one of the same magnitudes.
template <class T>
test::MatrixOf<T> with_values(const DirectSetup &setup, const Matrix &real);
template <class T>
test::StoredOf<T> stored_values(const DirectSetup &setup, const test::MatrixOf<T> &a);

/// The analysis of a matrix. Factorizations point to it.
struct DirectPlan {
  AnalysisStatus status = AnalysisStatus::Ok;
  Index faulty_row = -1;
  PlanResult symmetric;
  LuPlanResult unsymmetric;

  DirectPlan(const DirectSetup &setup, const Matrix &analysed, const std::vector<Offset> &source);

  /// An empty factorization, of those that keep pivots or others.
  template <class T>
  std::unique_ptr<DirectFactorizationOf<T>> make(const DirectSetup &setup, bool keeping) const;
};

/// What is known of a matrix before it is factored.
template <class T>
struct KnownMatrix {
  test::MatrixOf<T> matrix;
  test::DenseOf<Extended<T>> dense{0};
  bool finite = true;
  bool visible = true;  ///< its largest magnitude is so large that residuals do not underflow
  bool moderate = true; ///< magnitudes between 1e-100 and 1e100: nothing overflows or underflows on the way
  bool narrow = true;   ///< between 1/1024 and 1024: nothing has to be scaled
  Reference reference;  ///< of a finite one

  /// Its factor is promised to tell inertia and rank. An equilibrated matrix may have rows that are small but for an
  /// entry, in which the others pass for rounding; and so may any singular one whose entries differ very much.
  bool is_scaled(const DirectSetup &setup) const
  {
    const bool by_matching = setup.plan.preprocessing == Preprocessing::Matching && reference.zero == 0;
    return narrow || (moderate && by_matching);
  }
  /// A solution is promised to be good: without scaling in that of the matrix, or else by refinement.
  bool is_solved(const DirectSetup &setup) const { return narrow || (is_scaled(setup) && setup.steps > 0); }
};
template <class T>
KnownMatrix<T> know(const DirectSetup &setup, const test::MatrixOf<T> &a);

/// Compares the report and the solutions of a factorization with what is known of the matrix; `solution` becomes all
/// numbers of them, to be compared bit by bit. Empty if all is as promised.
template <class T>
std::string judge(const DirectSetup &setup, const KnownMatrix<T> &known, const DirectReport &report,
                  DirectFactorizationOf<T> &factorization, std::vector<T> &solution);

/// Whether all counts of two reports are the same.
bool same_report(const DirectReport &one, const DirectReport &other);

} // namespace tessera::fuzz
#endif
