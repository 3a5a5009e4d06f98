#include "factor/jldlt/difference.hpp"

#include "factor/same_bits.hpp"

namespace tessera {
namespace {

/// Of two arrays.
template <class T>
std::string difference_of(const char *name, const std::vector<T> &one, const std::vector<T> &other)
{
  if (one.size() != other.size())
    return in_words(std::string("number of ") + name, double(one.size()), double(other.size()));
  for (std::size_t i = 0; i < one.size(); ++i)
    if (!same_bits(one[i], other[i]))
      return in_words(name + (" " + std::to_string(i)), double(one[i]), double(other[i]));
  return {};
}

/// The first difference that is one.
std::string first_of(std::initializer_list<std::string> differences)
{
  for (const std::string &found : differences)
    if (!found.empty())
      return found;
  return {};
}

} // namespace

std::string difference(const JacobiReport &one, const JacobiReport &other)
{
  struct Number {
    const char *name;
    double one, other;
  };
  const Number numbers[] = {{"norm", one.norm, other.norm},
                            {"perturbation", one.epsilon, other.epsilon},
                            {"perturbation of the last sweep", one.last_epsilon, other.last_epsilon},
                            {"reconstruction error", one.final_error, other.final_error},
                            {"sweeps", double(one.sweeps), double(other.sweeps)},
                            {"blocks pushed back", double(one.pushed), double(other.pushed)},
                            {"begun with the last factor", double(one.warm), double(other.warm)},
                            {"ended early", double(one.stalled), double(other.stalled)}};
  std::string found = difference(one.factor, other.factor);
  if (!found.empty() || one.factor.status != FactorReport::Complete)
    return found;
  for (const Number &n : numbers)
    if (!same_bits(n.one, n.other))
      return in_words(n.name, n.one, n.other);
  return first_of({difference_of("perturbations tried", one.epsilons, other.epsilons),
                   difference_of("errors of perturbations tried", one.tried, other.tried),
                   difference_of("errors of sweeps", one.error, other.error)});
}

std::string difference(const FactorCopy &one, const FactorCopy &other)
{
  return first_of({difference_of("ends of tiles", one.first, other.first),
                   difference_of("kept columns", one.column, other.column),
                   difference_of("entries of inverses of diagonal tiles", one.inverse, other.inverse),
                   difference_of("pivots", one.d, other.d), difference_of("entries beside pivots", one.e, other.e),
                   difference_of("entries above the diagonal tiles", one.value, other.value)});
}

} // namespace tessera
