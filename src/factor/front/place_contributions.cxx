#include "factor/front/place_contributions.hpp"

#include "factor/front/best_fit.hpp"

#include <algorithm>
#include <map>

namespace tessera {
namespace {

/// Tasks that may run at the same time on a large GPU: one that begins so much later need not wait.
constexpr Offset at_once = 512;

/// Who was the last to read free memory.
class LastReaders {
public:
  void add(Offset begin, Offset size, Index front)
  {
    if (size > 0)
      piece_[begin] = {begin + size, front};
  }

  /// Takes begin .. end - 1 from it; returns who has read there, each once, in ascending order.
  std::vector<Index> take(Offset begin, Offset end)
  {
    std::vector<Index> readers;
    auto p = piece_.upper_bound(begin);
    if (p != piece_.begin() && std::prev(p)->second.end > begin)
      --p;
    while (p != piece_.end() && p->first < end) {
      const Offset first = p->first;
      const Piece piece = p->second;
      p = piece_.erase(p);
      readers.push_back(piece.front);
      if (first < begin)
        piece_[first] = {begin, piece.front};
      if (piece.end > end)
        piece_[end] = {piece.end, piece.front};
    }
    std::sort(readers.begin(), readers.end());
    readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
    return readers;
  }

private:
  struct Piece {
    Offset end;
    Index front;
  };
  std::map<Offset, Piece> piece_; ///< by their begin
};

class ContributionPlaces {
public:
  explicit ContributionPlaces(DevicePlan &plan)
      : plan_(plan), others_(plan.contribution_numbers), last_(plan.front.size(), -1)
  {
    for (std::size_t t = 0; t < plan.tile_order.size(); ++t)
      last_[plan.tile_order[t].front] = Offset(t);
  }

  void run()
  {
    const std::vector<TileTask> &order = plan_.tile_order;
    std::vector<bool> placed(plan_.front.size(), false);
    for (std::size_t t = 0; t < order.size(); ++t) {
      const Index s = order[t].front;
      const DeviceFront &f = plan_.front[s];
      if (f.parent >= 0 && order[t].column >= f.panels() && !placed[s]) {
        give_back(Offset(t));
        place(s);
        placed[s] = true;
      }
    }
    plan_.contribution_numbers = others_ + memory_.most();
  }

private:
  static Offset size(const DeviceFront &f) { return f.contribution.numbers() + f.contribution.numbers() % 2; }

  void place(Index s)
  {
    DeviceFront &f = plan_.front[s];
    const Offset at = memory_.take(size(f));
    f.contribution.begin = others_ + at;
    f.gathered_begin = Index(plan_.gathered_first.size());
    for (Index front : readers_.take(at, at + size(f)))
      plan_.gathered_first.push_back({front, Index(plan_.front[front].tasks())});
    f.gathered_end = Index(plan_.gathered_first.size());
    free_at_.insert({last_[f.parent] + at_once, s});
  }

  /// Gives back what nobody reads any longer when task t is begun.
  void give_back(Offset t)
  {
    while (!free_at_.empty() && free_at_.begin()->first < t) {
      const DeviceFront &f = plan_.front[free_at_.begin()->second];
      memory_.give_back(f.contribution.begin - others_, size(f));
      readers_.add(f.contribution.begin - others_, size(f), f.parent);
      free_at_.erase(free_at_.begin());
    }
  }

  DevicePlan &plan_;
  const Offset others_;      ///< numbers of other fronts' contributions, which come first
  std::vector<Offset> last_; ///< [fronts] number of the last task
  BestFit memory_;
  LastReaders readers_;
  std::multimap<Offset, Index> free_at_; ///< task before which a front's place is free
};

} // namespace

void place_contributions(DevicePlan &plan)
{
  ContributionPlaces(plan).run();
}

} // namespace tessera
