// What fuzzers check, over the inputs that they have found something with, and over some random ones.
#include "checks.hpp"
#include "support/random_matrix.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <omp.h>
#include <vector>

using tessera::test::Random;

namespace {

struct Check {
  const char *name;
  std::string (*run)(const std::uint8_t *data, std::size_t size);
};

void PrintTo(const Check &check, std::ostream *out)
{
  *out << check.name;
}

class Fuzz : public testing::TestWithParam<Check> {
protected:
  void SetUp() override { omp_set_num_threads(1); } // as fuzzers do
  std::string run(const std::vector<std::uint8_t> &bytes) { return GetParam().run(bytes.data(), bytes.size()); }
};

TEST_P(Fuzz, Corpus)
{
  namespace fs = std::filesystem;
  int files = 0;
  for (const auto &entry : fs::directory_iterator(fs::path(TESSERA_FUZZ_CORPUS) / GetParam().name)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<std::uint8_t> bytes((std::istreambuf_iterator<char>(file)), {});
    EXPECT_EQ(run(bytes), "") << entry.path();
    ++files;
  }
  EXPECT_GT(files, 0);
}

TEST_P(Fuzz, RandomInputs)
{
  Random random(11);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<std::uint8_t> bytes(12 + random.below(80));
    for (std::uint8_t &b : bytes)
      b = std::uint8_t(random.below(256));
    ASSERT_EQ(run(bytes), "") << "trial " << trial;
  }
}

INSTANTIATE_TEST_SUITE_P(Checks, Fuzz,
                         testing::Values(Check{"direct", tessera::fuzz::check_direct},
                                         Check{"kept", tessera::fuzz::check_kept},
                                         Check{"block", tessera::fuzz::check_block},
                                         Check{"jacobi", tessera::fuzz::check_jacobi}),
                         [](const auto &info) { return info.param.name; });

} // namespace
