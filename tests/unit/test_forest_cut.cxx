#include "analysis/symbolic/elimination_tree.hpp"
#include "analysis/symbolic/forest_cut.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

using namespace tessera;

namespace {

struct Forest {
  std::string name;
  std::vector<Index> parent;
};

/// Forests of every shape; in `random` children are anywhere before their parents.
std::vector<Forest> forests()
{
  std::vector<Forest> list = {{"empty", {}}, {"one", {-1}}, {"apart", std::vector<Index>(30, -1)}};
  std::vector<Index> chain(40), star(40, 39), binary(63);
  for (Index v = 0; v < 40; ++v)
    chain[v] = v + 1 < 40 ? v + 1 : -1;
  star[39] = -1;
  for (Index v = 0; v < 63; ++v)
    binary[v] = v < 62 ? 32 + v / 2 : -1;
  list.insert(list.end(), {{"chain", chain}, {"star", star}, {"binary", binary}});
  for (unsigned seed = 1; seed <= 6; ++seed) {
    std::mt19937 random(seed);
    std::vector<Index> parent(200, -1);
    for (Index v = 0; v + 1 < 200; ++v) {
      const Index reach = seed % 2 ? 199 - v : std::min<Index>(8, 199 - v);
      parent[v] = random() % 20 ? v + 1 + static_cast<Index>(random() % static_cast<unsigned>(reach)) : -1;
    }
    list.push_back({"random" + std::to_string(seed), parent});
  }
  return list;
}

bool is_below(const std::vector<Index> &parent, Index v, Index above)
{
  while (v >= 0 && v != above)
    v = parent[v];
  return v == above;
}

/// By definition: the sum over all vertices that have v on their way to the root.
double naive_sum(const std::vector<Index> &parent, const std::vector<double> &own, Index v)
{
  double sum = 0;
  for (Index u = 0; u < static_cast<Index>(parent.size()); ++u)
    sum += is_below(parent, u, v) ? own[u] : 0;
  return sum;
}

std::vector<double> random_work(std::size_t n, unsigned seed)
{
  std::mt19937 random(seed);
  std::vector<double> work(n);
  for (double &w : work)
    w = 1 + static_cast<double>(random() % 9);
  return work;
}

TEST(Forest, PostorderVisitsChildrenBeforeParentsAndSubtreesTogether)
{
  for (const Forest &forest : forests()) {
    const std::vector<Index> &parent = forest.parent;
    // as the definition says: a vertex follows the postorders of its children, which come in ascending order
    std::vector<Index> expected;
    const std::function<void(Index)> visit = [&](Index v) {
      for (Index child = 0; child < static_cast<Index>(parent.size()); ++child)
        if (parent[child] == v)
          visit(child);
      if (v >= 0)
        expected.push_back(v);
    };
    visit(-1);
    EXPECT_EQ(postorder(parent), expected) << forest.name;
  }
}

TEST(Forest, SubtreeSums)
{
  for (const auto &[name, parent] : forests()) {
    const std::vector<double> own = random_work(parent.size(), 3), sums = subtree_sums(parent, own);
    ASSERT_EQ(sums.size(), parent.size());
    for (Index v = 0; v < static_cast<Index>(parent.size()); ++v)
      EXPECT_EQ(sums[v], naive_sum(parent, own, v)) << name;
  }
}

/// Segment of a vertex above the subtrees by the definition: the chain down to where it begins.
Index first_of_segment(const std::vector<Index> &parent, const std::vector<bool> &above, const std::vector<bool> &alone,
                       Index v)
{
  for (;;) {
    Index child = -1, children = 0;
    for (Index u = 0; u < v; ++u)
      if (parent[u] == v && above[u]) {
        child = u;
        ++children;
      }
    if (children != 1 || alone[v] || alone[child])
      return v;
    v = child;
  }
}

void expect_cut(const std::vector<Index> &parent, const std::vector<double> &work, double limit,
                const std::vector<bool> &alone)
{
  const Index n = static_cast<Index>(parent.size());
  const ForestCut cut = cut_forest(parent, work, limit, alone);
  EXPECT_EQ(cut.parent, parent);
  std::vector<bool> above(n);
  for (Index v = 0; v < n; ++v)
    above[v] = naive_sum(parent, work, v) > limit;

  std::vector<Index> place(n, -1), task(n, -1);
  ASSERT_EQ(static_cast<Index>(cut.order.size()), n);
  for (Index k = 0; k < n; ++k) {
    ASSERT_EQ(place[cut.order[k]], -1) << "listed twice";
    place[cut.order[k]] = k;
  }
  std::vector<double> task_work(cut.tasks(), 0);
  for (Index t = 0; t < cut.tasks(); ++t)
    for (Index k = cut.task_start[t]; k < cut.task_start[t + 1]; ++k) {
      task[cut.order[k]] = t;
      task_work[t] += work[cut.order[k]];
    }
  EXPECT_TRUE(std::is_sorted(task_work.rbegin(), task_work.rend()));
  Index full = 0; // tasks that are as large as they were to be
  for (double w : task_work) {
    EXPECT_LE(w, 2 * limit);
    full += w >= limit;
  }
  EXPECT_GE(full, cut.tasks() - 1);

  std::vector<Index> below(cut.segments(), 0), level(cut.segments(), 0);
  for (Index v = 0; v < n; ++v) {
    EXPECT_EQ(above[v], task[v] < 0);
    EXPECT_EQ(above[v], cut.segment[v] >= 0);
    if (above[v]) {
      EXPECT_GE(place[v], cut.segment_start[cut.segment[v]]);
      EXPECT_LT(place[v], cut.segment_start[cut.segment[v] + 1]);
      const Index begin = cut.order[cut.segment_start[cut.segment[v]]];
      EXPECT_EQ(first_of_segment(parent, above, alone, v), first_of_segment(parent, above, alone, begin));
    }
    const Index up = parent[v];
    if (up < 0)
      continue;
    EXPECT_LT(place[v], place[up]);
    if (!above[up]) {
      EXPECT_EQ(task[v], task[up]) << "a subtree in two tasks";
    } else if (cut.segment[v] != cut.segment[up]) {
      EXPECT_EQ(cut.waiting(v), cut.segment[up]);
      ++below[cut.segment[up]];
      if (above[v])
        level[cut.segment[up]] = std::max(level[cut.segment[up]], cut.segment_level[cut.segment[v]] + 1);
    }
  }
  std::vector<Index> first; // of each segment
  first.reserve(cut.segments());
  for (Index s = 0; s < cut.segments(); ++s)
    first.push_back(first_of_segment(parent, above, alone, cut.order[cut.segment_start[s]]));
  std::sort(first.begin(), first.end());
  EXPECT_EQ(std::unique(first.begin(), first.end()), first.end()) << "one path in two segments";
  EXPECT_EQ(cut.below, below);
  EXPECT_EQ(cut.segment_level, level);
  EXPECT_TRUE(std::is_sorted(cut.segment_level.begin(), cut.segment_level.end()));
}

TEST(Forest, IsCutIntoSubtreesAndPathsAboveThem)
{
  for (const auto &[name, parent] : forests())
    for (const double limit : {0.0, 3.0, 20.0, 100.0, 1e6}) {
      SCOPED_TRACE(name + ", limit " + std::to_string(limit));
      std::vector<bool> alone(parent.size(), false);
      expect_cut(parent, random_work(parent.size(), 5), limit, alone);
      for (std::size_t v = 0; v < alone.size(); v += 5)
        alone[v] = true;
      expect_cut(parent, random_work(parent.size(), 7), limit, alone);
    }
}

} // namespace
