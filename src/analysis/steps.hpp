#ifndef TESSERA_ANALYSIS_STEPS_HPP
#define TESSERA_ANALYSIS_STEPS_HPP

#include <chrono>
#include <vector>

namespace tessera {

/// The steps of an analysis, in their order.
enum class AnalysisStep { Matching, Pairs, Equilibration, Compression, Ordering, Counts, Tiles, Levels, Fronts };
constexpr int analysis_step_count = 9;

/// The name that reports give a step.
constexpr const char *name_of(AnalysisStep step)
{
  constexpr const char *names[analysis_step_count] = {
      "matching", "pairs", "equilibration",        "compression", "ordering and blocking",
      "counts",   "tiles", "levels and value map", "fronts"};
  return names[static_cast<int>(step)];
}

/// Wall-clock time of one step.
struct StepTime {
  AnalysisStep step;
  double seconds;
};

/// Is told when a step begins, and when it ends, be it by an exception. For logs, which the analysis knows nothing of.
class StepObserver {
public:
  virtual ~StepObserver() = default;
  virtual void begin(AnalysisStep step) = 0;
  virtual void end(AnalysisStep step) = 0;
};

/// Runs the steps of an analysis: notes how long each takes, and tells the observer, if there is one.
class StepClock {
public:
  StepClock(std::vector<StepTime> &times, StepObserver *observer) : times_(times), observer_(observer) {}

  /// work(), as this step; returns what it returns.
  template <class Work>
  auto run(AnalysisStep step, const Work &work)
  {
    const Running running(*this, step);
    return work();
  }

private:
  using Clock = std::chrono::steady_clock;

  /// From its construction to its destruction the step runs.
  class Running {
  public:
    Running(StepClock &clock, AnalysisStep step) : clock_(clock), step_(step)
    {
      clock_.times_.push_back({step, 0}); // here, because the destructor must not allocate
      if (clock_.observer_)
        clock_.observer_->begin(step);
    }
    ~Running()
    {
      clock_.times_.back().seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
      if (clock_.observer_)
        clock_.observer_->end(step_);
    }
    Running(const Running &) = delete;
    Running &operator=(const Running &) = delete;

  private:
    StepClock &clock_;
    AnalysisStep step_;
    Clock::time_point begin_ = Clock::now();
  };

  std::vector<StepTime> &times_;
  StepObserver *observer_;
};

} // namespace tessera
#endif
