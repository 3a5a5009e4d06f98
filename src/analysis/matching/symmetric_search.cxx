#include "analysis/matching/symmetric_search.hpp"

#include <algorithm>

namespace tessera {

SymmetricSearch::SymmetricSearch(const CostGraph &graph, const Assignment &start) : graph_(graph), vertex_(graph.n)
{
  for (Index i = 0; i < graph.n; ++i)
    vertex_[i] = {start.row_dual[i], unreached, unreached, start.col_of_row[i], start.row_of_col[i], -1};
}

bool SymmetricSearch::augment_from(Index root, Offset limit)
{
  length_ = unreached;
  Cost reached = 0;
  Index row = root, v;
  const Offset begin = edges_scanned_;
  const auto tired = [&] { return length_ != unreached && edges_scanned_ - begin >= limit; };
  bool stopped = false;
  while (!scan(row, reached) && !(stopped = tired()) && take_next(reached, v)) {
    taken_.push_back(v);
    row = vertex_[v].next;
  }
  if (length_ == unreached) {
    // All edges of the outer rows lead to inner ones, whose partners are outer: no augmentation changes that.
    dead_.insert(dead_.end(), taken_.begin(), taken_.end());
    dead_end_.push_back(dead_.size());
    reset(dead);
    return false;
  }
  update_duals(root, stopped ? reached : length_);
  if (vertex_[to_].is_outer()) {
    close_cycle(from_, to_);
  } else {
    open_cycle(to_);
    path_to_root(from_, path_);
    flip(path_);
    match(from_, to_);
  }
  reset(unreached);
  return true;
}

bool SymmetricSearch::in_pair(Index v) const
{
  const Vertex &x = vertex_[v];
  return x.next >= 0 && x.next == x.previous && x.next != v;
}

/// The nearest vertex reached as a column but not yet taken, and its distance. False if the path found is no longer.
bool SymmetricSearch::take_next(Cost &reached, Index &v)
{
  return queue_.pop(length_, reached, v, [&](Index x, Cost distance) { // not one that became a row since
    return vertex_[x].inner == distance && !vertex_[x].is_outer();
  });
}

/// Makes a row at distance `reached` outer and reaches vertices from it. True if that ends the search: a path just as
/// far.
bool SymmetricSearch::scan(Index row, Cost reached)
{
  Vertex &here = vertex_[row];
  here.outer = reached;
  if (here.inner == unreached)
    touched_.push_back(row);
  else
    end_at((here.inner + reached) / 2, here.parent, row);
  edges_scanned_ += graph_.start[row + 1] - graph_.start[row];
  const Cost base = reached - here.dual;
  for (Offset p = graph_.start[row]; p < graph_.start[row + 1] && length_ > reached; ++p) {
    const Edge edge = graph_.edge[p];
    Vertex &x = vertex_[edge.col];
    // Reduced costs are not negative, but might be if costs were not symmetric.
    const Cost distance = std::max(base + edge.cost - x.dual, reached);
    if (distance >= x.inner)
      continue;
    if (x.is_outer()) {
      x.inner = distance;
      x.parent = row;
      end_at((distance + x.outer) / 2, row, edge.col);
    } else if (distance < length_) {
      if (in_pair(edge.col)) {
        if (x.inner == unreached)
          touched_.push_back(edge.col);
        x.inner = distance;
        x.parent = row;
        queue_.push(edge.col, distance);
      } else {
        end_at(distance, row, edge.col);
      }
    }
  }
  return length_ == reached;
}

void SymmetricSearch::end_at(Cost length, Index from, Index to)
{
  if (length >= length_)
    return;
  length_ = length;
  from_ = from;
  to_ = to;
}

void SymmetricSearch::change_dual(Index v, Cost by)
{
  vertex_[v].dual = std::clamp(vertex_[v].dual + by, -largest_dual, largest_dual);
}

/// Makes paths as long as the radius tight, of which all that are shorter have been followed: no reduced cost becomes
/// negative.
void SymmetricSearch::update_duals(Index root, Cost radius)
{
  change_dual(root, radius);
  for (Index v : taken_) {
    const Cost slack = radius - vertex_[v].inner;
    change_dual(v, -slack);
    change_dual(vertex_[v].next, slack);
  }
}

/// Forgets the search; the vertices reached get this distance as columns: unreached or dead.
void SymmetricSearch::reset(Cost inner)
{
  for (Index v : touched_) {
    vertex_[v].inner = inner;
    vertex_[v].outer = unreached;
  }
  touched_.clear();
  taken_.clear();
  queue_.clear();
}

void SymmetricSearch::match(Index a, Index b)
{
  vertex_[a].next = vertex_[a].previous = b;
  vertex_[b].next = vertex_[b].previous = a;
}

/// The vertices from an outer row to the root: outer and inner in turn.
void SymmetricSearch::path_to_root(Index outer, std::vector<Index> &path) const
{
  path.assign(1, outer);
  for (Index inner; (inner = vertex_[path.back()].next) >= 0;) {
    path.push_back(inner);
    path.push_back(vertex_[inner].parent);
  }
}

/// Exchanges matched and unmatched edges between the root, at the end of the path, and its begin, which becomes free.
void SymmetricSearch::flip(const std::vector<Index> &path)
{
  for (size_t k = 1; k < path.size(); k += 2)
    match(path[k], path[k + 1]);
}

/// Frees a row of an odd cycle (or loop), whose other rows become pairs.
void SymmetricSearch::open_cycle(Index v)
{
  if (is_free(v))
    return;
  for (Index a = vertex_[v].next; a != v;) {
    const Index b = vertex_[a].next, after = vertex_[b].next;
    match(a, b);
    a = after;
  }
}

/// Makes an odd cycle of the edge between two outer rows a and b (a loop if a == b) and their paths to the nearest row
/// that these share; that row is freed first.
void SymmetricSearch::close_cycle(Index a, Index b)
{
  path_to_root(a, path_);
  path_to_root(b, other_path_);
  size_t shared = 1; // vertices at the ends, from the root
  while (shared < path_.size() && shared < other_path_.size() &&
         path_[path_.size() - 1 - shared] == other_path_[other_path_.size() - 1 - shared])
    ++shared;
  std::vector<Index> cycle(path_.begin(), path_.end() - static_cast<std::ptrdiff_t>(shared) + 1);
  cycle.insert(cycle.end(), other_path_.rend() - static_cast<std::ptrdiff_t>(other_path_.size() - shared),
               other_path_.rend());
  path_.erase(path_.begin(), path_.end() - static_cast<std::ptrdiff_t>(shared));
  flip(path_);
  for (size_t k = 0; k < cycle.size(); ++k) {
    const Index i = cycle[k], j = cycle[(k + 1) % cycle.size()];
    vertex_[i].next = j;
    vertex_[j].previous = i;
  }
}

/// The outer rows of a search without a path have edges to its own inner ones and to those of earlier such searches
/// only, so that their duals may grow by what the inner ones' shrink. Latest first, as a shift gives the edges of its
/// outer rows to earlier inner ones less slack.
void SymmetricSearch::settle()
{
  for (std::size_t k = dead_end_.size(); k-- > 0;)
    shift_duals(k > 0 ? dead_end_[k - 1] : 0, dead_end_[k]);
}

void SymmetricSearch::shift_duals(std::size_t begin, std::size_t end)
{
  Cost shift = 0;
  for (std::size_t k = begin; k < end; ++k)
    for (Offset p = graph_.start[dead_[k]]; p < graph_.start[dead_[k] + 1]; ++p) {
      const Vertex &other = vertex_[graph_.edge[p].col];
      if (other.next >= 0)
        shift = std::max(shift, vertex_[dead_[k]].dual + other.dual - graph_.edge[p].cost);
    }
  for (std::size_t k = begin; k < end; ++k) {
    change_dual(dead_[k], -shift);
    change_dual(vertex_[dead_[k]].next, shift);
  }
}

Index SymmetricSearch::result(Assignment &assignment) const
{
  Index matched = 0;
  for (Index i = 0; i < graph_.n; ++i) {
    assignment.col_of_row[i] = vertex_[i].next;
    assignment.row_of_col[i] = vertex_[i].previous;
    assignment.row_dual[i] = assignment.col_dual[i] = vertex_[i].dual;
    matched += vertex_[i].next >= 0;
  }
  return matched;
}

} // namespace tessera
