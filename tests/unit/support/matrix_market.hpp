#ifndef TESSERA_TESTS_SUPPORT_MATRIX_MARKET_HPP
#define TESSERA_TESTS_SUPPORT_MATRIX_MARKET_HPP

#include "base/types.hpp"

#include <string>

namespace tessera::test {

/// Reads a Matrix Market coordinate file (.mtx or .mtx.gz; real, integer or pattern; general or symmetric). Symmetric
/// files give both triangles, repeated entries are added, stored zeros stay. Returns false if it is not such a file.
bool read_matrix_market(const std::string &path, Matrix &a);

/// The folder `matrices` of real ones in the folder that the environment variable TESSERA_DATA names or, if it is
/// unset, in the folder `shared` beside the repository. Empty if there is no such folder.
std::string matrix_directory();

/// A matrix from triplets: repeated entries are added, columns sorted, zeros kept.
struct Triplet {
  Index row, col;
  double value;
};
Matrix assemble(Index rows, Index cols, std::vector<Triplet> triplets);

} // namespace tessera::test
#endif
