// The whole factor of the CUDA backend against the host's, bit by bit. Needs a GPU.
#include "factor/bildlt/factorization.hpp"
#include "support/factor_cases.hpp"
#include "support/graphs.hpp"
#include "support/host_factor.hpp"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::test;

namespace {

std::string in_words(Pivoting pivoting)
{
  return pivoting == Pivoting::none ? "none" : pivoting == Pivoting::rook ? "rook" : "bunch_kaufman";
}

/// A factorization on each backend.
struct Both {
  const Analysis &analysis;
  std::unique_ptr<BlockFactorization> host, device;

  Both(const Analysis &of, Precision precision)
      : analysis(of), host(make_host_factorization(of, precision)), device(make_cuda_factorization(of, precision))
  {
  }

  /// Factors on both, expects that both succeed with the same reports and factors, and returns the entries.
  Offset expect_same(const std::vector<double> &values, const FactorOptions &options)
  {
    const BlockFactorReport on_host = host->factor(values.data(), Place::Host, options);
    const BlockFactorReport on_device = device->factor(values.data(), Place::Host, options);
    EXPECT_EQ(difference(on_host, on_device), "");
    EXPECT_EQ(on_host.status, FactorReport::Complete); // not two failures alike
    EXPECT_EQ(on_device.status, FactorReport::Complete);
    if (on_host.status == FactorReport::Complete && on_device.status == FactorReport::Complete) {
      EXPECT_EQ(difference(analysis.structure, host->copy(), device->copy()), "");
    }
    return on_device.entries;
  }
};

/// Factors on both backends, and expects the same factors and reports.
void expect_same(const Analysis &analysis, const std::vector<double> &values, Precision precision,
                 const FactorOptions &options)
{
  Both both(analysis, precision);
  ASSERT_TRUE(both.device);
  for (int time = 0; time < 2; ++time) { // the second one knows how much memory the first one took
    SCOPED_TRACE("time " + std::to_string(time));
    both.expect_same(values, options);
  }
}

class FactorBits : public testing::TestWithParam<Pivoting> {
protected:
  static std::vector<FactorOptions> options()
  {
    std::vector<FactorOptions> all;
    for (double tolerance : {0.0, 1e-3, 0.1}) {
      all.push_back({});
      all.back().drop_tolerance = tolerance;
    }
    for (double perturbation : {0.0, 0.3}) {
      all.push_back({});
      all.back().perturbation = perturbation;
    }
    for (double ratio : {0.5, 2.0, 1e300}) {
      all.push_back({});
      all.back().drop_tolerance = 1e-4;
      all.back().fill_ratio = ratio;
    }
    for (FactorOptions &options : all)
      options.pivoting = GetParam();
    return all;
  }

  static void expect_same_for_all_options(const Matrix &matrix, const AnalysisOptions &analysis_options)
  {
    const Stored stored = store_reversed(matrix);
    const Analysis analysis = analyze_matrix(matrix, stored.source, analysis_options);
    for (const FactorOptions &o : options())
      for (Precision precision : {Precision::Double, Precision::Single}) {
        SCOPED_TRACE("drop tolerance " + std::to_string(o.drop_tolerance) + ", perturbation " +
                     std::to_string(o.perturbation) + ", fill ratio " + std::to_string(o.fill_ratio) +
                     (precision == Precision::Single ? ", single" : ", double"));
        expect_same(analysis, stored.value, precision, o);
      }
  }
};

TEST_P(FactorBits, SameOnHostAndDevice)
{
  for (const NamedMatrix &x : factor_cases())
    for (Index max_rows : {5, 32})
      for (Index level : {complete_level, Index(0), Index(1)}) {
        SCOPED_TRACE(x.name + ", blocks of " + std::to_string(max_rows) + ", level " + std::to_string(level));
        AnalysisOptions options;
        options.blocking.max_rows = max_rows;
        options.fill_level = level;
        expect_same_for_all_options(x.matrix, options);
      }
}

TEST_P(FactorBits, SameForManyBlocks)
{
  for (Preprocessing preprocessing : {Preprocessing::Matching, Preprocessing::None}) {
    AnalysisOptions options;
    options.preprocessing = preprocessing;
    expect_same_for_all_options(shifted_laplacian(13), options);
  }
}

/// Rows that so many others update that the sums are cut into parts: few, and as many as thread blocks can share.
TEST_P(FactorBits, SameForLongSums)
{
  for (Index rows : {90, 3000}) {
    SCOPED_TRACE(std::to_string(rows) + " rows");
    expect_same_for_all_options(symmetric_on(tessera_test::arrow_graph(rows), 3, 7), AnalysisOptions());
  }
}

/// Levels that share a launch: of narrow rows, and of rows of several pieces, some of whose sums are cut into parts.
/// The second factorization is recorded, and those after it are replayed.
TEST_P(FactorBits, SameForLevelsInOneLaunch)
{
  const Matrix wide = symmetric_on(tessera_test::random_graph(180, 1500, 1), 0, 6),
               narrow = symmetric_on(tessera_test::grid_graph(12, 12, 1), 0, 2);
  for (const Matrix *matrix : {&wide, &narrow})
    for (const Index max_rows : {4, 8, 16, 32})
      for (const Precision precision : {Precision::Double, Precision::Single}) {
        SCOPED_TRACE(std::to_string(matrix->pattern.rows) + " rows, blocks of " + std::to_string(max_rows));
        AnalysisOptions options;
        options.blocking.max_rows = max_rows;
        options.blocking.ordering = Ordering::ND;
        const Analysis analysis = analyze(*matrix, options);
        FactorOptions factor;
        factor.pivoting = GetParam();
        factor.drop_tolerance = precision == Precision::Double ? 0 : 1e-2;
        Both both(analysis, precision);
        std::vector<double> values = matrix->value;
        for (int time = 0; time < 3; ++time) {
          EXPECT_GT(both.expect_same(values, factor), 0);
          for (double &x : values) // others, or what was left in memory would do
            x *= 1.1;
        }
      }
}

/// Entries whose scores are 0 as floats.
TEST_P(FactorBits, SameForSmallEntries)
{
  for (double entry : {1e-40, -1e-46, 1e-100}) {
    const SmallEntry c = small_entry(entry);
    expect_same_for_all_options(c.matrix, c.analysis);
  }
}

INSTANTIATE_TEST_SUITE_P(Pivotings, FactorBits,
                         testing::Values(Pivoting::none, Pivoting::bunch_kaufman, Pivoting::rook),
                         [](const auto &pivoting) { return in_words(pivoting.param); });

/// What overflows on one backend does on the other.
TEST(FactorOverflow, IsTheHosts)
{
  for (const OverflowCase &c : overflow_cases()) {
    SCOPED_TRACE(c.name);
    const Stored stored = store_reversed(c.matrix);
    const Analysis analysis = analyze_matrix(c.matrix, stored.source, c.analysis);
    Both both(analysis, Precision::Double);
    for (int time = 0; time < 2; ++time) {
      const BlockFactorReport on_host = both.host->factor(stored.value.data(), Place::Host, c.factor);
      const BlockFactorReport on_device = both.device->factor(stored.value.data(), Place::Host, c.factor);
      EXPECT_EQ(on_host.status, c.status);
      EXPECT_EQ(difference(on_host, on_device), "");
    }
  }
}

/// Values of which a factorization keeps next to nothing, then others of the same pattern: the memory that the first
/// one needed does not do for the second.
TEST(FactorMemory, GrowsWhenAnEarlierFactorWasSmaller)
{
  const Matrix matrix = shifted_laplacian(14);
  const Analysis analysis = analyze(matrix);
  Both both(analysis, Precision::Double);
  std::vector<double> weak = matrix.value;
  for (Index i = 0; i < matrix.pattern.rows; ++i)
    for (Offset p = matrix.pattern.start[i]; p < matrix.pattern.start[i + 1]; ++p)
      weak[p] *= matrix.pattern.column[p] == i ? 1 : 1e-9;
  FactorOptions options;
  options.drop_tolerance = 1e-4;
  Offset entries = 0;
  for (bool strong : {false, true, false, true}) {
    const Offset before = entries;
    entries = both.expect_same(strong ? matrix.value : weak, options);
    if (strong) {
      EXPECT_GT(entries, 3 * before);
    }
  }
}

/// From the third time on the launches of the second are replayed, until the options change.
TEST(FactorMemory, RepeatedLaunchesSeeNewValuesAndOptions)
{
  const Matrix matrix = shifted_laplacian(14);
  const Analysis analysis = analyze(matrix);
  Both both(analysis, Precision::Double);
  std::vector<double> values = matrix.value;
  for (double tolerance : {1e-4, 1e-2, 1e-4})
    for (int time = 0; time < 5; ++time) {
      FactorOptions options;
      options.drop_tolerance = tolerance;
      for (double &x : values)
        x *= 1.0 + 1e-3 * time;
      SCOPED_TRACE("drop tolerance " + std::to_string(tolerance) + ", time " + std::to_string(time));
      EXPECT_GT(both.expect_same(values, options), 0);
    }
}

TEST(FactorMemory, BudgetIsTheHosts)
{
  const Matrix matrix = shifted_laplacian(9);
  const Analysis analysis = analyze(matrix);
  const auto host = make_host_factorization(analysis, Precision::Double);
  const auto device = make_cuda_factorization(analysis, Precision::Double);
  FactorOptions options;
  const Offset entries = host->factor(matrix.value.data(), Place::Host, options).entries;
  for (Offset most : {entries, entries - 1, Offset(1), entries / 2, entries}) {
    options.max_entries = most;
    for (int time = 0; time < 2; ++time) {
      const BlockFactorReport report = device->factor(matrix.value.data(), Place::Host, options);
      EXPECT_EQ(report.status, most < entries ? FactorReport::OverBudget : FactorReport::Complete);
      EXPECT_EQ(difference(host->factor(matrix.value.data(), Place::Host, options), report), "");
    }
  }
}

} // namespace
