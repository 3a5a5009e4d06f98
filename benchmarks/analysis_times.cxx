// Times every step of the whole analysis for several numbers of threads, and compares what they find.
//
//   analysis_times [-threads 1,2,16] [-repeat N] [-ordering auto|nd|amd|metis]
//                  [-level K] (FILE.mtx[.gz] | kkt3d:N) ...
//
// kkt3d:N is the matrix of examples/kkt3d -numbering field. For each number of threads a line: milliseconds, medians of
// N runs (3), of reading the matrix into the form the analysis takes and of its steps, and of all; processor time of
// all; then a checksum of order, blocks and tiles, and whether it is the first line's. Below: the fill of the complete
// factor and the entries of tiles without fill.

#include "analysis/analysis.hpp"
#include "analysis/input/symmetric_input.hpp"
#include "kkt3d.hpp"
#include "median.hpp"
#include "support/matrix_market.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <omp.h>
#include <string>

using namespace tessera;

namespace {

struct Options {
  std::vector<int> threads;
  int repeat = 3;
  AnalysisOptions analysis;
};

double seconds()
{
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class T>
void mix(std::uint64_t &sum, const std::vector<T> &x)
{
  for (const T &value : x)
    sum = (sum ^ static_cast<std::uint64_t>(value)) * 0x100000001b3u;
}

std::uint64_t checksum(const BlockStructure &s)
{
  std::uint64_t sum = 0xcbf29ce484222325u;
  mix(sum, s.perm);
  mix(sum, s.block_start);
  mix(sum, s.tiles.upper.column);
  mix(sum, s.tiles.position);
  mix(sum, s.levels.order);
  mix(sum, s.values.source);
  mix(sum, s.values.column);
  return sum;
}

/// Entries of the tiles and of the diagonal tiles' upper triangles.
Offset tile_entries(const BlockStructure &s)
{
  Offset entries = 0;
  for (Index b = 0; b < s.blocks(); ++b) {
    const Offset rows = s.block_rows(b);
    entries += rows * (s.panel_width[b] - rows) + rows * (rows + 1) / 2;
  }
  return entries;
}

struct NamedTime {
  const char *name;
  double seconds;
};

/// One run: the times of the steps, "read" first and "total" and "cpu" last.
Analysis run(const Matrix &matrix, const AnalysisOptions &options, std::vector<NamedTime> &steps)
{
  const double begin = seconds();
  const std::clock_t cpu = std::clock();
  const SymmetricInput input = read_full(matrix.pattern.rows, matrix.pattern.start.data(), matrix.pattern.column.data(),
                                         matrix.value.data(), true);
  const double read = seconds();
  Analysis analysis = analyze_matrix(input.matrix, input.source, options);
  const double end = seconds();
  steps = {{"read", read - begin}};
  for (const StepTime &t : analysis.times)
    steps.push_back({name_of(t.step), t.seconds});
  steps.push_back({"total", end - begin});
  steps.push_back({"cpu", double(std::clock() - cpu) / CLOCKS_PER_SEC});
  return analysis;
}

void measure(const char *name, const Matrix &matrix, const Options &options)
{
  std::printf("%s: %d rows, %lld entries\n", name, matrix.pattern.rows,
              static_cast<long long>(matrix.pattern.entries()));
  std::uint64_t first = 0;
  for (int threads : options.threads) {
    omp_set_num_threads(threads);
    std::vector<NamedTime> steps;
    std::vector<std::vector<double>> times;
    Analysis analysis;
    for (int k = 0; k < options.repeat; ++k) {
      analysis = Analysis();
      analysis = run(matrix, options.analysis, steps);
      times.resize(steps.size());
      for (std::size_t s = 0; s < steps.size(); ++s)
        times[s].push_back(steps[s].seconds);
    }
    std::printf("  %2d threads:", threads);
    for (std::size_t s = 0; s < steps.size(); ++s)
      std::printf(" %s %.0f;", steps[s].name, 1e3 * median(times[s]));
    const std::uint64_t sum = checksum(analysis.structure);
    first = first ? first : sum;
    std::printf(" %016llx %s\n", static_cast<unsigned long long>(sum), sum == first ? "same" : "DIFFERENT");
    if (threads == options.threads.back())
      std::printf(
          "  complete factor %.4e entries, %.3e operations; fill level %d: %.4e entries, %d blocks, %d levels\n",
          double(analysis.complete.entries), analysis.complete.flops, analysis.fill_level,
          double(tile_entries(analysis.structure)), analysis.structure.blocks(), analysis.structure.levels.levels());
    std::fflush(stdout);
  }
}

bool read_option(const std::string &name, const char *value, Options &options)
{
  if (name == "-repeat") {
    options.repeat = std::max(1, std::atoi(value));
  } else if (name == "-threads") {
    options.threads.clear();
    for (const char *p = value; p; p = std::strchr(p, ',') ? std::strchr(p, ',') + 1 : nullptr)
      options.threads.push_back(std::max(1, std::atoi(p)));
  } else if (name == "-level") {
    options.analysis.fill_level = std::atoi(value);
  } else if (name == "-ordering") {
    const std::string ordering = value;
    options.analysis.blocking.ordering = ordering == "nd"      ? Ordering::ND
                                         : ordering == "amd"   ? Ordering::AMD
                                         : ordering == "metis" ? Ordering::METIS
                                                               : Ordering::Automatic;
  } else {
    return false;
  }
  return true;
}

} // namespace

int main(int argc, char **argv)
{
  Options options;
  options.analysis.pairs_apart = true; // as PCBILDLT has it
  options.threads = {omp_get_max_threads()};
  for (int k = 1; k < argc; ++k) {
    if (argv[k][0] == '-') {
      if (k + 1 == argc || !read_option(argv[k], argv[k + 1], options)) {
        std::printf("%s: unknown option, or one without a value\n", argv[k]);
        return 1;
      }
      ++k;
      continue;
    }
    Matrix matrix;
    if (!std::strncmp(argv[k], "kkt3d:", 6)) {
      matrix = Kkt3d(std::atoi(argv[k] + 6)).assemble();
    } else if (!test::read_matrix_market(argv[k], matrix)) {
      std::printf("%s: not a Matrix Market file\n", argv[k]);
      return 1;
    }
    measure(argv[k], matrix, options);
  }
  return 0;
}
