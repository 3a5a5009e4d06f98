#ifndef TESSERA_BENCHMARKS_PLAN_ARGUMENTS_HPP
#define TESSERA_BENCHMARKS_PLAN_ARGUMENTS_HPP

#include "factor/front/make_plan.hpp"

#include <cstdlib>
#include <string>

namespace tessera {

/// Takes an argument of a command line if it is one of those for the analysis of a direct solver; returns whether.
/// next(): the argument after it.
template <class Next>
bool take_plan_argument(const std::string &argument, const Next &next, PlanOptions &plan)
{
  if (argument == "-nemin") {
    plan.relaxation.nemin = plan.small_nemin = std::atoi(next().c_str());
  } else if (argument == "-zeros") {
    plan.relaxation.zeros = std::atof(next().c_str());
    plan.relaxation.only_cheaper = false;
  } else if (argument == "-ordering") {
    const std::string name = next();
    plan.ordering = name == "nd"        ? Ordering::ND
                    : name == "amd"     ? Ordering::AMD
                    : name == "metis"   ? Ordering::METIS
                    : name == "natural" ? Ordering::Natural
                                        : Ordering::Automatic;
  } else {
    return false;
  }
  return true;
}

} // namespace tessera
#endif
