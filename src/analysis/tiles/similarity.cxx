#include "analysis/tiles/similarity.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

/// One row of A Aᵀ at a time, over the columns and for the vertices that are not dense or taken.
class ProductRow {
public:
  ProductRow(const Pattern &graph) : graph_(graph), dense_(graph.rows), size_(graph.rows), common_(graph.rows, 0)
  {
    const Offset limit = std::max<Offset>(32, static_cast<Offset>(2 * std::sqrt(double(graph.rows))));
    for (Index i = 0; i < graph.rows; ++i)
      dense_[i] = graph.start[i + 1] - graph.start[i] > limit;
    for (Index i = 0; i < graph.rows; ++i) {
      size_[i] = 1;
      for (Offset p = graph.start[i]; p < graph.start[i + 1]; ++p)
        size_[i] += !dense_[graph.column[p]];
    }
  }

  bool dense(Index i) const { return dense_[i]; }

  /// Calls visit(j, cosine) for every j > i with a column in common that is not dense.
  template <class Visit>
  void operator()(Index i, const Visit &visit)
  {
    touch_column(i, i);
    for (Offset p = graph_.start[i]; p < graph_.start[i + 1]; ++p)
      touch_column(i, graph_.column[p]);
    for (Index j : touched_) {
      visit(j, common_[j] / std::sqrt(double(size_[i]) * double(size_[j])));
      common_[j] = 0;
    }
    touched_.clear();
  }

private:
  void touch_column(Index i, Index c)
  {
    if (dense_[c])
      return;
    touch(i, c);
    for (Offset p = graph_.start[c]; p < graph_.start[c + 1]; ++p)
      touch(i, graph_.column[p]);
  }

  void touch(Index i, Index j)
  {
    if (j <= i || dense_[j])
      return;
    if (common_[j]++ == 0)
      touched_.push_back(j);
  }

  const Pattern &graph_;
  std::vector<char> dense_;
  std::vector<Index> size_;   ///< entries of each row in columns that are not dense, diagonal included
  std::vector<Index> common_; ///< columns in common with the present row
  std::vector<Index> touched_;
};

/// cos(k, k + 1) of a graph without diagonal.
double consecutive_cosine(const Pattern &graph, Index k)
{
  Offset p = graph.start[k], q = graph.start[k + 1];
  const Offset p_end = graph.start[k + 1], q_end = graph.start[k + 2];
  const double size = double(p_end - p + 1) * double(q_end - q + 1);
  // Adjacent vertices also share the columns k and k + 1, each the diagonal of one of them.
  const auto row = graph.column.begin();
  Offset common = std::binary_search(row + p, row + p_end, k + 1) ? 2 : 0;
  while (p < p_end && q < q_end) {
    const Index a = graph.column[p], b = graph.column[q];
    common += a == b;
    p += a <= b;
    q += b <= a;
  }
  return double(common) / std::sqrt(size);
}

} // namespace

Clusters cluster_similar(const Pattern &graph, const std::vector<Index> &weight, Index max_rows, double threshold)
{
  Clusters result;
  std::vector<char> taken(graph.rows, 0);
  std::vector<std::pair<double, Index>> similar;
  ProductRow product_row(graph);
  result.blocks.perm.reserve(graph.rows);
  for (Index i = 0; i < graph.rows; ++i) {
    if (taken[i])
      continue;
    result.blocks.perm.push_back(i);
    similar.clear();
    if (!product_row.dense(i) && weight[i] < max_rows) {
      product_row(i, [&](Index j, double cosine) {
        if (taken[j] || weight[i] + weight[j] > max_rows)
          return;
        if (cosine >= threshold)
          similar.push_back({-cosine, j});
        else
          result.below = std::max(result.below, cosine);
      });
    }
    std::sort(similar.begin(), similar.end());
    Index rows = weight[i];
    for (auto [cosine, j] : similar) {
      if (rows + weight[j] <= max_rows) {
        rows += weight[j];
        taken[j] = 1;
        result.blocks.perm.push_back(j);
      }
    }
    std::sort(result.blocks.perm.begin() + result.blocks.start.back(), result.blocks.perm.end());
    result.blocks.start.push_back(static_cast<Index>(result.blocks.perm.size()));
  }
  return result;
}

Clusters cluster_consecutive(const Pattern &graph, const std::vector<Index> &weight, Index max_rows, double threshold)
{
  const Index n = graph.rows;
  std::vector<double> cosine(n, 0);
#pragma omp parallel for schedule(dynamic, 1024) if (n > parallel_rows)
  for (Index k = 0; k < n - 1; ++k)
    cosine[k] = consecutive_cosine(graph, k);

  Clusters result;
  result.blocks.perm.resize(n);
  Index rows = 0;
  for (Index k = 0; k < n; ++k) {
    result.blocks.perm[k] = k;
    if (k > 0) {
      const bool similar = cosine[k - 1] >= threshold;
      if (!similar && weight[k - 1] + weight[k] <= max_rows)
        result.below = std::max(result.below, cosine[k - 1]);
      if (!similar || rows + weight[k] > max_rows) {
        result.blocks.start.push_back(k);
        rows = 0;
      }
    }
    rows += weight[k];
  }
  if (n > 0)
    result.blocks.start.push_back(n);
  return result;
}

} // namespace tessera
