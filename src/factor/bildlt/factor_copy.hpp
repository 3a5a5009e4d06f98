#ifndef TESSERA_FACTOR_BILDLT_FACTOR_COPY_HPP
#define TESSERA_FACTOR_BILDLT_FACTOR_COPY_HPP

#include "analysis/tiles/block_structure.hpp"
#include "factor/bildlt/views.hpp"

#include <string>
#include <vector>

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

} // namespace tessera
#endif
