#ifndef TESSERA_BENCHMARKS_PETSC_FILE_HPP
#define TESSERA_BENCHMARKS_PETSC_FILE_HPP

#include "base/types.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace tessera {

[[noreturn]] inline void refuse_file(const std::string &path, const char *why)
{
  std::fprintf(stderr, "error: %s: %s\n", path.c_str(), why);
  std::exit(1);
}

/// n values of a file that stores them with the most significant byte first. Ends the program without them.
template <class T>
std::vector<T> read_big_endian(FILE *file, std::size_t n, const std::string &path)
{
  std::vector<T> x(n);
  if (std::fread(x.data(), sizeof(T), n, file) != n)
    refuse_file(path, "ends too early");
  for (T &value : x) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    std::reverse(bytes, bytes + sizeof(T));
    std::memcpy(&value, bytes, sizeof(T));
  }
  return x;
}

constexpr std::int32_t petsc_matrix_in_file = 1211216;

/// Whether a file begins as a matrix in PETSc's binary format does.
inline bool is_petsc_matrix(const std::string &path)
{
  FILE *file = std::fopen(path.c_str(), "rb");
  unsigned char byte[4] = {};
  const bool whole = file && std::fread(byte, 1, 4, file) == 4;
  if (file)
    std::fclose(file);
  return whole && (byte[0] << 24 | byte[1] << 16 | byte[2] << 8 | byte[3]) == petsc_matrix_in_file;
}

/// A square matrix in PETSc's binary format (MatView() with a PETSCVIEWERBINARY), real, with 32-bit indices. Ends the
/// program where it is none.
inline Matrix read_petsc_matrix(const std::string &path)
{
  FILE *file = std::fopen(path.c_str(), "rb");
  if (!file)
    refuse_file(path, "cannot be opened");
  const std::vector<std::int32_t> head = read_big_endian<std::int32_t>(file, 4, path);
  if (head[0] != petsc_matrix_in_file || head[1] != head[2] || head[3] < 0)
    refuse_file(path, "is no square matrix in PETSc's binary format with 32-bit indices");
  Matrix matrix;
  matrix.pattern.rows = matrix.pattern.cols = head[1];
  for (const std::int32_t n : read_big_endian<std::int32_t>(file, head[1], path))
    matrix.pattern.start.push_back(matrix.pattern.start.back() + n);
  matrix.pattern.column = read_big_endian<Index>(file, head[3], path);
  matrix.value = read_big_endian<double>(file, head[3], path);
  std::fclose(file);
  return matrix;
}

} // namespace tessera
#endif
