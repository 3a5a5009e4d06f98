#ifndef TESSERA_EMULATION_CUDA_RUNTIME_H
#define TESSERA_EMULATION_CUDA_RUNTIME_H

// What the CUDA backend takes of CUDA, for a processor: sources of kernels are compiled as C++, with this folder first
// among those of headers. emulation/threads.hpp runs kernels; here are the types and calls of the runtime, which
// runtime.cxx has, and the built-in functions of a kernel.

#include "emulation/runtime_types.hpp"

#include "emulation/builtins.hpp"

#endif
