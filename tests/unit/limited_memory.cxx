// Solves of the direct solver in device memory with too little of it: right-hand sides in fewer groups, and solves
// after one that there was no memory for. For the emulation alone, whose memory can be limited to the byte.
#include "cuda/runtime/device_array.cuh"
#include "factor/front/direct_factorization.hpp"
#include "factor/front/make_plan.hpp"
#include "support/factor_cases.hpp"
#include "support/graphs.hpp"
#include "support/random_matrix.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <new>

using namespace tessera;
using namespace tessera::test;
using namespace tessera_test;

namespace {

/// While it lives, there are so many bytes of device memory left.
class LittleMemory {
public:
  explicit LittleMemory(std::size_t left) : before_(emulated_memory(left)) {}
  ~LittleMemory() { emulated_memory(before_); }

private:
  const std::size_t before_;
};

/// A factored matrix in device memory.
class Factored {
public:
  static constexpr Index many = 16; // groups of four

  explicit Factored(const Matrix &a)
      : stored_(store_reversed(a)), plan_(make_plan(a, stored_.source, {}).plan),
        right_(random_vector(a.pattern.rows * many, 5), nullptr), x_(right_.size(), nullptr),
        factorization_(make_cuda_direct(plan_, FactorKind::LDLT))
  {
    const DeviceArray<double> values(stored_.value, nullptr);
    EXPECT_EQ(factorization_->factor(values.data(), {}).status, DirectReport::Complete);
  }

  Offset bytes() const { return factorization_->bytes(); }

  /// Whether the last solve says that it did fewer right-hand sides at a time.
  bool was_limited() const { return report_.at_a_time > 0; }

  std::vector<double> solve(Index columns, Index steps)
  {
    const Index n = plan_.matrix.rows;
    check(cudaMemset(x_.data(), 0xff, x_.bytes()), "forgetting solutions");
    report_ = factorization_->solve(columns, right_.data(), n, x_.data(), n, {0, steps});
    std::vector<double> x(std::size_t(n) * columns, NAN);
    check(cudaMemcpy(x.data(), x_.data(), x.size() * sizeof x[0], cudaMemcpyDeviceToHost), "copying to the host");
    return x;
  }

private:
  Stored stored_;
  FrontPlan plan_;
  DeviceArray<double> right_, x_;
  std::unique_ptr<DirectFactorization> factorization_;
  SolveReport report_;
};

struct Outcome {
  bool enough = true;   ///< of memory for a solve
  bool limited = false; ///< but not for all right-hand sides at a time
};

/// Solves for many right-hand sides, then for one, with so much memory left. expected: of many, of which one is the
/// first.
Outcome solve_with(std::size_t left, const Matrix &a, const std::vector<double> &expected, Index steps)
{
  Factored factored(a);
  factored.solve(1, steps);
  Outcome outcome;
  try {
    const LittleMemory little(left);
    EXPECT_EQ(factored.solve(Factored::many, steps), expected) << left << " bytes";
    outcome.limited = factored.was_limited();
  } catch (const std::bad_alloc &) {
    outcome.enough = false;
  }
  const std::vector<double> one(expected.begin(), expected.begin() + a.pattern.rows);
  EXPECT_EQ(factored.solve(1, steps), one) << left << " bytes, after many";
  EXPECT_FALSE(factored.was_limited());
  return outcome;
}

TEST(LimitedMemory, SolvesAfterOneThatHadTooLittle)
{
  const Matrix a = laplacian(grid_graph(8, 8, 8), 0.5);
  for (Index steps : {0, 1}) {
    SCOPED_TRACE(steps);
    Factored factored(a);
    factored.solve(1, steps);
    const Offset before = factored.bytes();
    const std::vector<double> expected = factored.solve(Factored::many, steps);
    const Offset takes = factored.bytes() - before;
    int failed = 0, limited = 0;
    for (int part = 0; part < 16; ++part) {
      const Outcome outcome = solve_with(std::size_t(takes / 16 * part), a, expected, steps);
      failed += !outcome.enough;
      limited += outcome.limited;
    }
    EXPECT_GE(failed, 2);
    if (steps == 0) { // without refinement a quarter of the vectors, of one group, is enough
      EXPECT_LE(failed, 6);
      EXPECT_GE(limited, 1);
    }
    const Outcome with_more = solve_with(std::size_t(2 * takes), a, expected, steps);
    EXPECT_TRUE(with_more.enough);
    EXPECT_FALSE(with_more.limited);
  }
}

} // namespace
