#ifndef TESSERA_TESTS_FUZZ_FIXTURE_HPP
#define TESSERA_TESTS_FUZZ_FIXTURE_HPP

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
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

  /// The files of a folder for this check: corpus, inputs that something was found with, and starts; known, inputs with
  /// what is not mended.
  static std::vector<std::filesystem::path> files(const char *folder)
  {
    std::vector<std::filesystem::path> paths;
    const auto path = std::filesystem::path(TESSERA_FUZZ_FOLDER) / folder / GetParam().name;
    if (std::filesystem::exists(path))
      for (const auto &entry : std::filesystem::directory_iterator(path))
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
  EXPECT_FALSE(files("corpus").empty());
  for (const auto &path : files("corpus"))
    EXPECT_EQ(run(read(path)), "") << path;
}

/// What is wrong with an input that is known is what its name says up to "-", with "_" for a space, and nothing else.
TEST_P(Fuzz, KnownFaults)
{
  for (const auto &path : files("known")) {
    const std::string name = path.filename().string(), wrong = run(read(path));
    std::string fault = name.substr(0, name.find('-'));
    std::replace(fault.begin(), fault.end(), '_', ' ');
    if (wrong.empty())
      std::cout << path << " is mended here, and may go to the corpus\n";
    else
      EXPECT_NE(wrong.find(fault), std::string::npos) << path << ": " << wrong;
  }
}

inline std::string name_of(const testing::TestParamInfo<Check> &info)
{
  return info.param.name;
}

} // namespace tessera::fuzz
#endif
