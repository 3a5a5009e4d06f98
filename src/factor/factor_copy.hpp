#ifndef TESSERA_FACTOR_FACTOR_COPY_HPP
#define TESSERA_FACTOR_FACTOR_COPY_HPP

#include "analysis/block_structure.hpp"
#include "factor/options.hpp"
#include "factor/views.hpp"

#include <string>

namespace tessera {

/// All numbers of a block factor in host memory, whichever backend it is of; shapes as in FactorView. The kept columns
/// of block rows follow each other, in double precision, which holds every single precision number.
struct FactorCopy {
  std::vector<double> inverse, d, e;
  std::vector<Index> first;
  std::vector<std::uint8_t> column;
  std::vector<double> value;
};

/// A copy of a factor whose pointers are to host memory.
template <class T>
FactorCopy copy_of(const BlockStructure &structure, const FactorView<T> &factor);

/// Where two factors of one structure differ, to the last bit, in words for an error message; empty where they do not.
std::string difference(const BlockStructure &structure, const FactorCopy &one, const FactorCopy &other);

/// Which count of two reports differs, in words; empty where none does. Of factorizations that did not succeed only
/// the status is compared: how far each came depends on the order of its work.
std::string difference(const FactorReport &one, const FactorReport &other);

} // namespace tessera
#endif
