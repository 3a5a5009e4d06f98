// Times complete factors on one core of the host, by block rows as PCBILDLT makes them and by fronts as the direct
// solver does, beside the times that src/factor/bildlt/predicted_time predicts.
//
//   complete_times [-repeat N] [-counts] (FILE.mtx[.gz] | kkt3d:N | poisson:N | dense:N) ...
//
// A line for each symmetric system of which PCBILDLT keeps the complete factor by itself: milliseconds of processor
// time, medians of N runs (5) but the first, in which all take turns. blocks, fronts: a factorization by block rows,
// and by fronts in the same order; with what was predicted, and their ratio. own: by fronts in the direct solver's own
// order. apply: an application or a solve without refinement. analysis: of both, each with its own order, once. At the
// end geometric means of the ratios over that by block rows, and by which factor predictions are off, as the root of
// the mean square of its logarithm and at most. Of ratios that are not predicted (nan) only what was measured counts.
// -counts: also what predictions are made from.

#include "factor/bildlt/factorization.hpp"
#include "factor/bildlt/predicted_time.hpp"
#include "factor/bildlt/strengthen.hpp"
#include "factor/front/direct_factorization.hpp"
#include "factor/front/make_plan.hpp"
#include "factor/front/predicted_time.hpp"
#include "median.hpp"
#include "named_system.hpp"

#include <cmath>
#include <ctime>
#include <numeric>
#include <omp.h>

using namespace tessera;

namespace {

/// Processor time of all threads.
double seconds()
{
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

template <class Work>
double time_of(const Work &work)
{
  const double begin = seconds();
  work();
  return seconds() - begin;
}

void require(bool good, const std::string &name, const char *what)
{
  if (good)
    return;
  std::fprintf(stderr, "%s: %s failed\n", name.c_str(), what);
  std::exit(1);
}

/// Ratios of a quantity for all systems.
class Ratios {
public:
  void add(double ratio)
  {
    const double x = std::log(ratio);
    ++count_;
    sum_ += x;
    squares_ += x * x;
    most_ = std::max(most_, std::abs(x));
  }
  double mean() const { return std::exp(sum_ / count_); }
  double off() const { return std::exp(std::sqrt(squares_ / count_)); } ///< as a factor
  double most() const { return std::exp(most_); }

private:
  double count_ = 0, sum_ = 0, squares_ = 0, most_ = 0;
};

struct Summary {
  Ratios share, own, apply, setup; ///< of the direct solver, over block rows
  Ratios blocks_off, fronts_off, share_off;
  int systems = 0, certain = 0, wrong = 0; ///< predicted below certain_share; of these those that were not below 1
};

/// Times of what one engine does.
struct Times {
  double analysis = 0;
  std::vector<double> factor, apply;
};

/// The direct solver with one plan.
class Direct {
public:
  Direct(const std::string &name, const Matrix &a, const std::vector<Offset> &source, const std::vector<Index> &order)
      : name_(name), a_(a)
  {
    PlanOptions options;
    times.analysis = time_of([&] { plan_ = make_plan(a, source, options, order); });
    require(plan_.status == AnalysisStatus::Ok, name, "the analysis of the direct solver");
    factorization_ = make_host_direct(plan_.plan, FactorKind::LDLT);
  }

  void factor()
  {
    DirectReport report;
    times.factor.push_back(time_of([&] { report = factorization_->factor(a_.value.data(), DirectOptions()); }));
    require(report.status == DirectReport::Complete, name_, "the direct solver");
  }

  void solve(const std::vector<double> &b, std::vector<double> &x)
  {
    const Index n = a_.pattern.rows;
    times.apply.push_back(time_of([&] { factorization_->solve(1, b.data(), n, x.data(), n, {0, 0}); }));
  }

  Times times;

private:
  const std::string &name_;
  const Matrix &a_;
  PlanResult plan_;
  std::unique_ptr<DirectFactorization> factorization_;
};

void print_counts(const Analysis &analysis)
{
  const BlockStructure &s = analysis.structure;
  const FrontCounts &f = analysis.fronts;
  std::printf("    blocks %d tiles %lld flops %.3e; fronts %d columns %.3e contributions %.3e flops %.3e\n",
              int(s.blocks()), (long long)s.tiles.upper.entries(), analysis.complete.flops, int(f.fronts), f.columns,
              f.contributions, f.flops);
}

void report(const std::string &name, const Analysis &analysis, const Times &blocks, const Times &same, const Times &own,
            Summary &summary)
{
  const double block_time = median(blocks.factor), front_time = median(same.factor), own_time = median(own.factor);
  const double predicted_blocks = predicted_block_time(analysis.structure, analysis.complete);
  const double predicted_fronts = predicted_front_time(analysis.fronts), share = predicted_share(analysis);
  const double apply = median(blocks.apply), solve = median(own.apply);
  std::printf("%-24s blocks %9.3f (%9.3f) fronts %9.3f (%9.3f) ratio %.2f (%.2f) own %9.3f apply %8.3f %8.3f analysis "
              "%8.2f %8.2f\n",
              name.substr(name.find_last_of('/') + 1).c_str(), 1e3 * block_time, 1e3 * predicted_blocks,
              1e3 * front_time, 1e3 * predicted_fronts, front_time / block_time, share, 1e3 * own_time, 1e3 * apply,
              1e3 * solve, 1e3 * blocks.analysis, 1e3 * own.analysis);
  std::fflush(stdout);
  ++summary.systems;
  summary.share.add(front_time / block_time);
  summary.own.add(own_time / block_time);
  summary.apply.add(solve / apply);
  summary.setup.add((own.analysis + own_time) / (blocks.analysis + block_time));
  summary.blocks_off.add(predicted_blocks / block_time);
  summary.fronts_off.add(predicted_fronts / front_time);
  if (share > 0)
    summary.share_off.add(share * block_time / front_time);
  summary.certain += share < certain_share;
  summary.wrong += share < certain_share && front_time >= block_time;
}

void measure(const std::string &name, int repeat, bool counts, Summary &summary)
{
  const Matrix a = system_of(name);
  const Index n = a.pattern.rows;
  std::vector<Offset> source(a.value.size());
  std::iota(source.begin(), source.end(), 0);
  Analysis analysis;
  AnalysisOptions analysis_options;
  analysis_options.pairs_apart = true; // as PCBILDLT has it
  Times blocks;
  blocks.analysis = time_of([&] { analysis = analyze_matrix(a, source, analysis_options); });
  require(analysis.status == AnalysisStatus::Ok, name, "the analysis for block rows");
  FactorOptions options;
  options.drop_tolerance = automatic_drop_tolerance(analysis, a.pattern.entries(), 0);
  if (!keeps_all(analysis, options)) {
    std::printf("%-24s the complete factor is not kept\n", name.substr(name.find_last_of('/') + 1).c_str());
    return;
  }
  options.perturbation = automatic_perturbation(true, n);
  const auto factorization = make_host_factorization(analysis, Precision::Double);
  Direct same(name, a, source, analysis.structure.perm), own(name, a, source, {});
  const std::vector<double> b(n, 1.0);
  std::vector<double> x(n);
  for (int r = 0; r <= repeat; ++r) {
    if (r == 1) // the first ones found out how much memory they need
      for (Times *times : {&blocks, &same.times, &own.times}) {
        times->factor.clear();
        times->apply.clear();
      }
    FactorReport made;
    blocks.factor.push_back(time_of([&] { made = factorization->factor(a.value.data(), Place::Host, options); }));
    require(made.status == FactorReport::Complete, name, "the factorization by block rows");
    same.factor();
    own.factor();
    blocks.apply.push_back(time_of([&] { factorization->apply(b.data(), Place::Host, x.data(), Place::Host, false); }));
    same.solve(b, x);
    own.solve(b, x);
  }
  report(name, analysis, blocks, same.times, own.times, summary);
  if (counts)
    print_counts(analysis);
}

} // namespace

int main(int argc, char **argv)
{
  int repeat = 5;
  bool counts = false;
  Summary s;
  omp_set_num_threads(1);
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "-repeat")
      repeat = std::max(1, std::atoi(i + 1 < argc ? argv[++i] : ""));
    else if (arg == "-counts")
      counts = true;
    else
      measure(arg, repeat, counts, s);
  }
  if (s.systems == 0)
    return 1;
  std::printf("%d systems, direct solver over block rows: factorization %.2f in the same order, %.2f in its own; with "
              "the analysis %.2f; solve %.2f\n",
              s.systems, s.share.mean(), s.own.mean(), s.setup.mean(), s.apply.mean());
  std::printf("predictions are off by a factor of, and at most: block rows %.2f, %.2f; fronts %.2f, %.2f; their ratio "
              "%.2f, %.2f\n",
              s.blocks_off.off(), s.blocks_off.most(), s.fronts_off.off(), s.fronts_off.most(), s.share_off.off(),
              s.share_off.most());
  std::printf("ratios predicted below %.1f: %d, of which %d were not below 1\n", certain_share, s.certain, s.wrong);
  return 0;
}
