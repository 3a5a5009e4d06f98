// What fuzzers check of the examples' readers, over a file of each kind, and over these with damages.
#include "fuzz_fixture.hpp"
#include "reader_checks.hpp"

#include "common/random.hpp"

using namespace tessera::fuzz;

TEST_P(Fuzz, DamagedFiles)
{
  examples::Random random(7);
  for (const auto &path : files("corpus")) {
    const Bytes whole = read(path);
    for (int trial = 0; trial < 200; ++trial) {
      Bytes bytes = whole;
      for (PetscInt k = random.Below(4); k >= 0; --k)
        bytes[random.Below(PetscInt(bytes.size()))] = std::uint8_t(random.Below(256));
      if (random.Below(4) == 0)
        bytes.resize(random.Below(PetscInt(bytes.size())));
      ASSERT_EQ(run(bytes), "") << path << ", trial " << trial;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Checks, Fuzz,
                         testing::Values(
#if defined(TESSERA_FUZZ_MPS)
                             Check{"mps", check_mps},
#endif
                             Check{"readers", check_readers}),
                         name_of);
