// What the accuracy of a direct solver is judged by, apart from any solver.
//
//   accuracy_check rhs A.mtx[.gz] B.mtx          writes the right-hand side A times 1
//   accuracy_check error A.mtx[.gz] B.mtx X.mtx  prints ||b - A x|| / (||A|| ||x|| + ||b||), norms of the maximum
//   accuracy_check inertia A.mtx[.gz]            prints negative, zero and positive eigenvalues by LAPACK's dsytrf
//
// Sums are in long double, so that rows with very many entries add no error of their own. dsytrf takes the dense
// matrix, n² numbers and n³ / 3 operations.

#include "support/matrix_market.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

extern "C" void dsytrf_(const char *uplo, const int *n, double *a, const int *lda, int *ipiv, double *work,
                        const int *lwork, int *info);

using namespace tessera;

namespace {

/// Reads n numbers of a Matrix Market array.
bool read_vector(const std::string &path, Index n, std::vector<double> &x)
{
  std::FILE *file = std::fopen(path.c_str(), "r");
  char line[1024];
  bool good = file && std::fgets(line, sizeof line, file); // the header
  while (good && (good = std::fgets(line, sizeof line, file)) && line[0] == '%') {
  }
  x.resize(n); // the line that is there has the size
  for (double &v : x)
    good = good && std::fscanf(file, "%lf", &v) == 1;
  if (file)
    std::fclose(file);
  return good;
}

bool write_vector(const std::string &path, const std::vector<double> &x)
{
  std::FILE *file = std::fopen(path.c_str(), "w");
  if (!file)
    return false;
  std::fprintf(file, "%%%%MatrixMarket matrix array real general\n%zu 1\n", x.size());
  for (double v : x)
    std::fprintf(file, "%.17g\n", v);
  return std::fclose(file) == 0;
}

bool write_rhs(const Matrix &a, const std::string &path)
{
  std::vector<double> b(a.pattern.rows);
  for (Index i = 0; i < a.pattern.rows; ++i) {
    long double sum = 0;
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      sum += a.value[p];
    b[i] = double(sum);
  }
  return write_vector(path, b);
}

double largest(const std::vector<double> &x)
{
  double most = 0;
  for (double v : x)
    most = std::isfinite(v) ? std::max(most, std::abs(v)) : INFINITY;
  return most;
}

double backward_error(const Matrix &a, const std::vector<double> &b, const std::vector<double> &x)
{
  std::vector<double> residual(a.pattern.rows), row(a.pattern.rows);
  for (Index i = 0; i < a.pattern.rows; ++i) {
    long double r = b[i], sum = 0;
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p) {
      r -= static_cast<long double>(a.value[p]) * x[a.pattern.column[p]];
      sum += std::abs(a.value[p]);
    }
    residual[i] = double(r);
    row[i] = double(sum);
  }
  const double r = largest(residual), size = largest(row) * largest(x) + largest(b);
  return r == 0 ? 0 : std::isfinite(size) ? r / size : INFINITY;
}

/// Prints the inertia of the D that dsytrf leaves. The eigenvalues of its 2x2 pivots have two signs.
bool print_inertia(const Matrix &a)
{
  const int n = a.pattern.rows, size = 64 * n + 64;
  std::vector<double> factor(std::size_t(n) * n, 0.0), work(size);
  std::vector<int> pivot(n);
  for (Index i = 0; i < n; ++i)
    for (Offset p = a.pattern.start[i]; p < a.pattern.start[i + 1]; ++p)
      if (a.pattern.column[p] <= i)
        factor[std::size_t(a.pattern.column[p]) * n + i] = a.value[p];
  int info = 0, negative = 0, zero = 0;
  dsytrf_("L", &n, factor.data(), &n, pivot.data(), work.data(), &size, &info);
  for (int k = 0; k < n; k += pivot[k] < 0 ? 2 : 1) {
    const double d = factor[std::size_t(k) * n + k];
    negative += pivot[k] < 0 || d < 0;
    zero += pivot[k] > 0 && d == 0;
  }
  std::printf("%d %d %d\n", negative, zero, n - negative - zero);
  return info >= 0;
}

bool run(const std::vector<std::string> &words)
{
  Matrix a;
  if (words.size() < 2 || !test::read_matrix_market(words[1], a) || a.pattern.rows != a.pattern.cols)
    return false;
  std::vector<double> b, x;
  if (words[0] == "rhs" && words.size() == 3)
    return write_rhs(a, words[2]);
  if (words[0] == "inertia" && words.size() == 2)
    return print_inertia(a);
  if (words[0] != "error" || words.size() != 4 || !read_vector(words[2], a.pattern.rows, b) ||
      !read_vector(words[3], a.pattern.rows, x))
    return false;
  std::printf("%.3e\n", backward_error(a, b, x));
  return true;
}

} // namespace

int main(int argc, char **argv)
{
  if (run({argv + 1, argv + argc}))
    return 0;
  std::fprintf(stderr, "usage: accuracy_check rhs A B | error A B X | inertia A, files in Matrix Market format of a "
                       "square matrix and of vectors of its size\n");
  return 1;
}
