// A libFuzzer target. TESSERA_FUZZ_CHECK: the function of checks.hpp or reader_checks.hpp that it calls.
#include TESSERA_FUZZ_HEADER

#include <cstdio>
#include <cstdlib>
#include <omp.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
  omp_set_num_threads(1); // tasks of other threads would make a finding hard to repeat
  const std::string wrong = tessera::fuzz::TESSERA_FUZZ_CHECK(data, size);
  if (wrong.empty())
    return 0;
  std::fprintf(stderr, "WRONG: %s\n", wrong.c_str());
  std::abort();
}
