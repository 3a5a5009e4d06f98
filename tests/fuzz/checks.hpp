#ifndef TESSERA_TESTS_FUZZ_CHECKS_HPP
#define TESSERA_TESTS_FUZZ_CHECKS_HPP

#include <cstddef>
#include <cstdint>
#include <string>

namespace tessera::fuzz {

/// Each makes something of any bytes, runs it, and compares what comes out with what is promised. Empty where it
/// keeps that, else what is wrong.

/// Direct LDLᵀ, LLᵀ and LU, real and complex: analysis, factorizations and solves of one matrix.
std::string check_direct(const std::uint8_t *data, std::size_t size);

/// Kept pivots: factorizations of several matrices of a pattern, one after the other.
std::string check_kept(const std::uint8_t *data, std::size_t size);

/// Block incomplete LDLᵀ.
std::string check_block(const std::uint8_t *data, std::size_t size);

/// Jacobi-LDLᵀ.
std::string check_jacobi(const std::uint8_t *data, std::size_t size);

} // namespace tessera::fuzz
#endif
