#ifndef TESSERA_BENCHMARKS_CUDSS_DRIVER_HPP
#define TESSERA_BENCHMARKS_CUDSS_DRIVER_HPP

#include "cudss_solver.hpp"
#include "support/backward_error.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

// What the programs for cuDSS share: their options, clocks and checks.

namespace tessera {

/// Seconds of a call that waits for the device.
template <class Call>
double seconds(const Call &call)
{
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// ||b - A x|| / ||b|| in the 2-norm.
inline double relative_residual(const Matrix &a, const std::vector<double> &x, const std::vector<double> &b)
{
  const std::vector<double> ax = test::product(a, x);
  double r2 = 0, b2 = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    r2 += (b[i] - ax[i]) * (b[i] - ax[i]);
    b2 += b[i] * b[i];
  }
  return std::sqrt(r2 / b2);
}

[[noreturn]] inline void refuse_arguments(const std::string &why)
{
  std::fprintf(stderr, "error: %s\n", why.c_str());
  std::exit(2);
}

/// Takes an argument of a command line if it is one of cuDSS's; returns whether. next(): the argument after it. Ends
/// the program if that makes no sense.
template <class Next>
bool take_cudss_argument(const std::string &argument, const Next &next, CudssOptions &options, std::string &layer)
{
  if (argument == "-type") {
    const std::string name = next();
    if (name != "general" && name != "symmetric" && name != "spd")
      refuse_arguments("-type " + name + ": general, symmetric or spd");
    options.type = name == "general"     ? CudssType::General
                   : name == "symmetric" ? CudssType::Symmetric
                                         : CudssType::Definite;
  } else if (argument == "-no_matching") {
    options.matching = false;
  } else if (argument == "-deterministic") {
    options.deterministic = true;
  } else if (argument == "-refine") {
    options.refinement_steps = std::atoi(next().c_str());
  } else if (argument == "-threading_layer") {
    layer = next();
#ifdef CUDSS_THREADING_LAYER
    if (layer == "default")
      layer = CUDSS_THREADING_LAYER;
#endif
  } else {
    return false;
  }
  return true;
}

/// Ends the program if a matrix is not symmetric though its type says so: cuDSS would look at one triangle, and solve
/// another system.
inline void check_type(const std::string &name, const Matrix &a, CudssType type)
{
  const auto value_at = [&](Index i, Index j) {
    const auto begin = a.pattern.column.begin() + a.pattern.start[i],
               end = a.pattern.column.begin() + a.pattern.start[i + 1];
    const auto found = std::lower_bound(begin, end, j);
    return found == end || *found != j ? 0.0 : a.value[found - a.pattern.column.begin()];
  };
  for (Index i = 0; i < a.pattern.rows && type != CudssType::General; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p) {
      const double here = a.value[p], there = value_at(a.pattern.column[p], i);
      if (std::abs(here - there) > 1e-10 * std::max(std::abs(here), std::abs(there)))
        refuse_arguments(name + " is not symmetric: -type general");
    }
}

} // namespace tessera
#endif
