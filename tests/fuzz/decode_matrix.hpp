#ifndef TESSERA_TESTS_FUZZ_DECODE_MATRIX_HPP
#define TESSERA_TESTS_FUZZ_DECODE_MATRIX_HPP

#include "base/types.hpp"
#include "byte_source.hpp"

#include <vector>

namespace tessera::fuzz {

constexpr Index most_rows = 24; ///< of a decoded matrix

/// Matrices of one pattern, which an input describes: a start of one of several kinds (empty, dense, banded, arrow,
/// KKT, singular, ...) with pseudo-random values, and then changes to it, byte by byte: entries set to whole numbers,
/// powers of two, extremes or any double; entries, rows and columns taken out; rows repeated or scaled. Of a symmetric
/// matrix every change is made on both sides. One change ends a matrix and begins the next one of the pattern, of which
/// only values change.
struct MatrixSequence {
  Pattern pattern;
  std::vector<std::vector<double>> values; ///< of each matrix [entries], at least one

  Matrix matrix(std::size_t k) const { return {pattern, values[k]}; }
};

/// Reads to the end of the input. most: matrices.
MatrixSequence decode_matrices(ByteSource &in, bool symmetric, std::size_t most);

} // namespace tessera::fuzz
#endif
