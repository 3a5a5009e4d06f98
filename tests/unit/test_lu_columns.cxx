// Fronts whose pivots tiles do not find: whole columns are searched for them, by blocks.
#include "support/backward_error.hpp"
#include "support/lu_of.hpp"
#include "support/random_matrix.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <cstring>

using namespace tessera;
using namespace tessera::test;

namespace {

/// Two dense blocks of k rows beside a dense one of m, to which both are coupled densely. The largest entries of a
/// block are half of it away from the diagonal; every seventh column of the first two has them in the last rows, by a
/// factor of `below`.
Matrix far_pivots(Index k, Index m, double below)
{
  Random random(43);
  std::vector<Triplet> t;
  const Index n = 2 * k + m;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (i / k == j / k || i >= 2 * k || j >= 2 * k) {
        const Index size = i < 2 * k ? k : m;
        const bool is_large = i / k == j / k && (i % k + size / 2) % size == j % k;
        const bool is_below = i >= 2 * k && j < 2 * k && j % k % 7 == 0;
        t.push_back({i, j, (is_large ? 50 : 0) + random.between(-1, 1) * (is_below ? below : 1)});
      }
  return assemble(n, n, t);
}

template <class T>
class LuColumns : public testing::Test {
};
using Scalars = testing::Types<double, Complex>;
TYPED_TEST_SUITE(LuColumns, Scalars);

/// Pivots of most columns are half a front away: none of the 32 rows of a tile has one.
TYPED_TEST(LuColumns, OfLargeFronts)
{
  using T = TypeParam;
  for (double below : {1, 1000}) { // the second block is in one front with the last: no column of it is delayed
    const MatrixOf<T> a = with_arguments<T>(far_pivots(300, 200, below));
    const std::vector<T> b = product(a, random_numbers<T>(a.pattern.rows, 3));
    std::vector<T> first[2];
    for (int threads : {1, 3}) {
      const Threads scope(threads);
      LuOf<T> lu(a, plan_options(Preprocessing::None, Ordering::Natural, 1), {0.1});
      ASSERT_EQ(lu.report.status, DirectReport::Complete);
      EXPECT_EQ(lu.report.delayed, below > 1 ? 43 : 0);
      for (bool t : {false, true}) {
        const std::vector<T> x = lu.solve(b, t);
        EXPECT_LE(backward_error(t ? transposed(a) : a, x, b), 1e-12);
        if (first[t].empty())
          first[t] = x;
        EXPECT_EQ(std::memcmp(first[t].data(), x.data(), x.size() * sizeof(T)), 0);
      }
    }
  }
}

TYPED_TEST(LuColumns, FindTheRank)
{
  using T = TypeParam;
  Matrix real = far_pivots(300, 200, 1);
  const Pattern &p = real.pattern; // the last rows, which are dense
  for (Index i = p.rows - 4; i < p.rows; ++i)
    std::copy(&real.value[p.start[i - 4]], &real.value[p.start[i - 3]], &real.value[p.start[i]]);
  LuOf<T> lu(turned<T>(real), plan_options(Preprocessing::None, Ordering::Natural, 1), {}, false);
  EXPECT_EQ(lu.report.zero, 4);
}

} // namespace
