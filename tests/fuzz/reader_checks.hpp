#ifndef TESSERA_TESTS_FUZZ_READER_CHECKS_HPP
#define TESSERA_TESTS_FUZZ_READER_CHECKS_HPP

#include <cstddef>
#include <cstdint>
#include <string>

namespace tessera::fuzz {

/// As those of checks.hpp, for the readers of the examples. PETSc is initialized by the first call. What is refused is
/// a PETSc error, of which nothing is printed.

/// The first byte says which file the others are: a matrix or a vector in Matrix Market form, a quadratic program, a
/// network, or what ReadMatrix() is given, PETSc's binary form included. What is read has to be sound, and a matrix
/// that is written and read again the same.
std::string check_readers(const std::uint8_t *data, std::size_t size);

/// Linear programs in MPS form, read by GLPK, and what the examples make of them.
std::string check_mps(const std::uint8_t *data, std::size_t size);

} // namespace tessera::fuzz
#endif
