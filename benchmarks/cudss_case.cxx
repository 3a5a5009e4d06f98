// Solves a system and a second one of the same pattern with NVIDIA's direct solver cuDSS, and prints what
// examples/study/case.cxx prints of a KSP. What the study of scripts/study runs for its configurations of cuDSS. Needs
// a GPU.
//
//   cudss_case -f FILE [-second FILE] [-passes K] [-pass_seconds S] [options of cudss_times for cuDSS]
//
// Files are as for cudss_times. Without -second the second system has a_ij d_i d_j, with the d of the study. Setup is
// reordering, symbolic and numeric factorization, in the second system the numeric one alone, with the pattern and
// values copied to the device; solve is a solve, with its vectors copied there and back. The library's handle is made
// before. Memory is that of the device, from before there is a matrix.

#include "cudss_driver.hpp"
#include "named_system.hpp"
#include "support/backward_error.hpp"
#include "support/random_matrix.hpp"

#include <ctime>
#include <exception>
#include <memory>

using namespace tessera;

namespace {

struct Options {
  std::string first, second, threading_layer;
  int passes = 1;
  double pass_seconds = 1;
  CudssOptions cudss;
};

struct System {
  Matrix a;
  std::vector<double> b;
};

struct Elapsed {
  double wall, processor;
};

template <class Call>
Elapsed elapsed(const Call &call)
{
  const std::clock_t begin = std::clock();
  const double wall = seconds(call);
  return {wall, double(std::clock() - begin) / CLOCKS_PER_SEC};
}

void scale_randomly(Matrix &a)
{
  test::Random random(1);
  std::vector<double> d(a.pattern.rows);
  for (double &x : d)
    x = 1 + 0.1 * random.between(-1, 1);
  for (Index i = 0; i < a.pattern.rows; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      a.value[p] *= d[i] * d[a.pattern.column[p]];
}

System load(const std::string &file, CudssType type)
{
  System system{system_of(file), {}};
  check_type(file, system.a, type);
  return system;
}

/// Solves one of the systems with what `solver` has of the one before, if it has.
void run_stage(const CudssLibrary &library, const Options &options, const System &system, int pass,
               std::unique_ptr<CudssSolver> &solver)
{
  const bool is_first = !solver;
  double analysis = 0, factorization = 0, application = 0;
  const Elapsed setup = elapsed([&] {
    if (is_first)
      solver = std::make_unique<CudssSolver>(library, system.a.pattern, options.cudss);
    solver->set_values(system.a.value);
    if (is_first)
      analysis = seconds([&] {
        solver->reorder();
        solver->factor_symbolically();
      });
    factorization = seconds([&] { is_first ? solver->factor() : solver->refactor(); });
  });
  std::vector<double> x;
  const Elapsed solve = elapsed([&] {
    solver->set_right_hand_sides(system.b);
    application = seconds([&] { solver->solve(); });
    x = solver->solutions();
  });
  std::printf("solve pass=%d of=%s setup_wall=%.6g setup_processor=%.6g solve_wall=%.6g solve_processor=%.6g "
              "analysis=%.6g factorization=%.6g application=%.6g iterations=1 reason=CONVERGED_ITS "
              "pc_reason=FACTOR_NOERROR residual=%.4e backward_error=%.4e\n",
              pass, is_first ? "first" : "second", setup.wall, setup.processor, solve.wall, solve.processor, analysis,
              factorization, application, relative_residual(system.a, x, system.b),
              test::backward_error(system.a, x, system.b));
}

void run(const Options &options)
{
  System system[2] = {load(options.first, options.cudss.type), {}};
  if (options.second.empty()) {
    system[1] = system[0];
    scale_randomly(system[1].a);
  } else {
    system[1] = load(options.second, options.cudss.type);
    if (system[1].a.pattern.start != system[0].a.pattern.start ||
        system[1].a.pattern.column != system[0].a.pattern.column)
      throw std::runtime_error("-second: the matrix has not the pattern of the first one");
  }
  for (System &s : system)
    s.b = test::product(s.a, std::vector<double>(s.a.pattern.rows, 1));
  std::printf("loaded rows=%d entries=%lld symmetric=%s second=%s\n", int(system[0].a.pattern.rows),
              (long long)system[0].a.pattern.entries(), options.cudss.type == CudssType::General ? "false" : "true",
              options.second.empty() ? "scaled" : "file");
  const CudssLibrary library(options.threading_layer);
  const std::size_t loaded = library.bytes();
  double spent = 0;
  for (int pass = 0; pass < options.passes && (pass == 0 || spent < options.pass_seconds); ++pass) {
    std::unique_ptr<CudssSolver> solver;
    spent += seconds([&] {
      for (const System &s : system)
        run_stage(library, options, s, pass, solver);
    });
    if (pass == 0)
      std::printf("memory loaded_bytes=%zu solver_bytes=%zu\n", loaded, library.bytes() - loaded);
  }
  std::printf("end\n");
}

Options read_arguments(int argc, char **argv)
{
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto next = [&] { return std::string(i + 1 < argc ? argv[++i] : ""); };
    if (argument == "-f")
      options.first = next();
    else if (argument == "-second")
      options.second = next();
    else if (argument == "-passes")
      options.passes = std::atoi(next().c_str());
    else if (argument == "-pass_seconds")
      options.pass_seconds = std::atof(next().c_str());
    else if (!take_cudss_argument(argument, next, options.cudss, options.threading_layer))
      refuse_arguments("unknown argument " + argument);
  }
  if (options.first.empty())
    refuse_arguments("no matrix: -f FILE");
  return options;
}

} // namespace

int main(int argc, char **argv)
{
  try {
    run(read_arguments(argc, argv));
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
