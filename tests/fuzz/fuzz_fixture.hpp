#ifndef TESSERA_TESTS_FUZZ_FIXTURE_HPP
#define TESSERA_TESTS_FUZZ_FIXTURE_HPP

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <omp.h>
#include <ostream>
#include <string>
#include <vector>

namespace tessera::fuzz {

/// What a fuzzer calls.
struct Check {
  const char *name;
  std::string (*run)(const std::uint8_t *data, std::size_t size);
};

inline void PrintTo(const Check &check, std::ostream *out)
{
  *out << check.name;
}

using Bytes = std::vector<std::uint8_t>;

/// Tests over the inputs of a check.
class Fuzz : public testing::TestWithParam<Check> {
protected:
  void SetUp() override { omp_set_num_threads(1); } // as fuzzers do

  std::string run(const Bytes &bytes) { return GetParam().run(bytes.data(), bytes.size()); }

  /// The files of its corpus: those that something was found with, and starts.
  static std::vector<std::filesystem::path> files()
  {
    std::vector<std::filesystem::path> paths;
    for (const auto &entry :
         std::filesystem::directory_iterator(std::filesystem::path(TESSERA_FUZZ_CORPUS) / GetParam().name))
      paths.push_back(entry.path());
    return paths;
  }

  static Bytes read(const std::filesystem::path &path)
  {
    std::ifstream file(path, std::ios::binary);
    return Bytes((std::istreambuf_iterator<char>(file)), {});
  }
};

TEST_P(Fuzz, Corpus)
{
  EXPECT_FALSE(files().empty());
  for (const auto &path : files())
    EXPECT_EQ(run(read(path)), "") << path;
}

inline std::string name_of(const testing::TestParamInfo<Check> &info)
{
  return info.param.name;
}

} // namespace tessera::fuzz
#endif
