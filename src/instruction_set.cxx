#include "instruction_set.hpp"

#ifdef __AVX2__
#define TESSERA_AVX2 true
#else
#define TESSERA_AVX2 false
#endif
#ifdef __FMA__
#define TESSERA_FMA true
#else
#define TESSERA_FMA false
#endif
#ifdef __AVX512F__
#define TESSERA_AVX512 true
#else
#define TESSERA_AVX512 false
#endif

namespace tessera {

const InstructionSet compiledFor = {TESSERA_AVX2, TESSERA_FMA, TESSERA_AVX512};

} // namespace tessera
