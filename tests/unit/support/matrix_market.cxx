#include "support/matrix_market.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <zlib.h>

namespace tessera::test {
namespace {

/// Whole contents of a file, decompressed if need be; empty if it cannot be read.
std::string read_all(const std::string &path)
{
  std::string text;
  gzFile file = gzopen(path.c_str(), "rb");
  if (!file)
    return text;
  std::vector<char> buffer(1 << 20);
  for (int got; (got = gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()))) > 0;)
    text.append(buffer.data(), static_cast<size_t>(got));
  gzclose(file);
  return text;
}

} // namespace

Matrix assemble(Index rows, Index cols, std::vector<Triplet> triplets)
{
  std::stable_sort(triplets.begin(), triplets.end(),
                   [](const Triplet &a, const Triplet &b) { return a.row != b.row ? a.row < b.row : a.col < b.col; });
  Matrix a;
  a.pattern.rows = rows;
  a.pattern.cols = cols;
  a.pattern.start.assign(rows + 1, 0);
  for (size_t k = 0; k < triplets.size(); ++k) {
    if (k > 0 && triplets[k].row == triplets[k - 1].row && triplets[k].col == triplets[k - 1].col) {
      a.value.back() += triplets[k].value;
      continue;
    }
    ++a.pattern.start[triplets[k].row + 1];
    a.pattern.column.push_back(triplets[k].col);
    a.value.push_back(triplets[k].value);
  }
  for (Index i = 0; i < rows; ++i)
    a.pattern.start[i + 1] += a.pattern.start[i];
  return a;
}

bool read_matrix_market(const std::string &path, Matrix &a)
{
  const std::string text = read_all(path);
  const size_t end = text.find('\n');
  if (text.rfind("%%MatrixMarket matrix coordinate", 0) != 0 || end == std::string::npos)
    return false;
  const std::string header = text.substr(0, end);
  const bool symmetric = header.find(" symmetric") != std::string::npos;
  const bool valued = header.find(" pattern") == std::string::npos;
  size_t at = end + 1;
  while (at < text.size() && text[at] == '%')
    at = text.find('\n', at) + 1;
  char *next = nullptr;
  const long rows = std::strtol(text.c_str() + at, &next, 10), cols = std::strtol(next, &next, 10);
  const long entries = std::strtol(next, &next, 10);
  std::vector<Triplet> triplets;
  triplets.reserve(static_cast<size_t>(entries) * (symmetric ? 2 : 1));
  for (long k = 0; k < entries; ++k) {
    const Index i = static_cast<Index>(std::strtol(next, &next, 10)) - 1;
    const Index j = static_cast<Index>(std::strtol(next, &next, 10)) - 1;
    const double value = valued ? std::strtod(next, &next) : 1;
    if (i < 0 || j < 0 || i >= rows || j >= cols)
      return false;
    triplets.push_back({i, j, value});
    if (symmetric && i != j)
      triplets.push_back({j, i, value});
  }
  a = assemble(static_cast<Index>(rows), static_cast<Index>(cols), std::move(triplets));
  return true;
}

std::string matrix_directory()
{
  const char *given = std::getenv("TESSERA_DATA");
  const std::string path = std::string(given && *given ? given : TESSERA_DEFAULT_DATA) + "/matrices";
  return std::filesystem::is_directory(path) ? path : "";
}

} // namespace tessera::test
