#ifndef TESSERA_INSTRUCTION_SET_HPP
#define TESSERA_INSTRUCTION_SET_HPP

namespace tessera {

/// The instruction set extensions that the library's code was compiled to use. Data only: reading it executes none.
struct InstructionSet {
  bool avx2;
  bool fma;
  bool avx512;
};
extern const InstructionSet compiledFor;

} // namespace tessera
#endif
