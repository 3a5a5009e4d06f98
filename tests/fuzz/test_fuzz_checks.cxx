// What fuzzers check of factorizations, over the inputs that they have found something with, and over random ones.
#include "checks.hpp"
#include "fuzz_fixture.hpp"
#include "support/random_matrix.hpp"

using namespace tessera::fuzz;
using tessera::test::Random;

TEST_P(Fuzz, RandomInputs)
{
  Random random(11);
  for (int trial = 0; trial < 1000; ++trial) {
    Bytes bytes(12 + random.below(80));
    for (std::uint8_t &b : bytes)
      b = std::uint8_t(random.below(256));
    ASSERT_EQ(run(bytes), "") << "trial " << trial;
  }
}

INSTANTIATE_TEST_SUITE_P(Checks, Fuzz,
                         testing::Values(Check{"direct", check_direct}, Check{"kept", check_kept},
                                         Check{"block", check_block}, Check{"jacobi", check_jacobi}),
                         name_of);
