#include "autotune/stopwatch.hpp"

#include <algorithm>
#include <cmath>

#include "kiln/error.hpp"

namespace kiln::autotune {
namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class Rounds {
 public:
  Rounds(backend::Backend& backend, backend::Queue* queue, std::size_t count, base::FunctionRef<void()> prepare,
         base::FunctionRef<void(std::size_t)> run)
      : queue_(queue), prepare_(prepare), run_(run), works_(count) {
    for (Work& work : works_) {
      work.begin = backend.make_event();
      work.end = backend.make_event();
    }
  }

  /// Runs the works from `first` to before `last` that still run, queued in sequence; the milliseconds of all.
  double run(std::size_t first, std::size_t last, bool counts) {
    std::vector<std::size_t> ran;
    for (std::size_t i = first; i < last; ++i) {
      if (queued(i)) ran.push_back(i);
    }
    double total = 0;
    for (const std::size_t i : ran) {
      Work& work = works_[i];
      work.end->synchronize();
      const double milliseconds = work.end->milliseconds_since(*work.begin);
      total += milliseconds;
      if (counts) work.times.push_back(milliseconds);
    }
    return total;
  }
  void leave_out(std::size_t first, const std::string& why) {
    for (std::size_t i = first; i < works_.size(); ++i) works_[i].why_not = why;
  }
  [[nodiscard]] std::size_t count() const noexcept { return works_.size(); }

  [[nodiscard]] std::vector<Timed> result() const {
    std::vector<Timed> all;
    for (const Work& work : works_) {
      const bool timed = work.why_not.empty() && !work.times.empty();
      all.push_back({timed ? median(work.times) : 0, work.why_not});
    }
    return all;
  }

 private:
  struct Work {
    std::shared_ptr<backend::Event> begin, end;
    std::vector<double> times;
    std::string why_not;
  };

  bool queued(std::size_t i) {
    Work& work = works_[i];
    if (!work.why_not.empty()) return false;
    prepare_();
    try {
      work.begin->record(queue_);
      run_(i);
      work.end->record(queue_);
    } catch (const DeviceError& error) {
      if (i == 0) throw;
      work.why_not = error.what();
      return false;
    }
    return true;
  }

  backend::Queue* queue_;
  base::FunctionRef<void()> prepare_;
  base::FunctionRef<void(std::size_t)> run_;
  std::vector<Work> works_;
};

}  // namespace

std::vector<Timed> time_in_turn(backend::Backend& backend, backend::Queue* queue, std::size_t count,
                                base::FunctionRef<void()> prepare, base::FunctionRef<void(std::size_t)> run,
                                const Budget& budget) {
  Rounds rounds(backend, queue, count, prepare, run);
  const double first = rounds.run(0, 1, false);
  // Each work runs at least twice.
  const double fit = budget.most_ms / (2 * std::max(first, 1e-6));
  if (fit < static_cast<double>(count))
    rounds.leave_out(std::max<std::size_t>(1, static_cast<std::size_t>(fit)), "no time left");
  double total = first + rounds.run(1, count, false);
  double measured = 0;
  for (int round = 0; round < budget.most_rounds; ++round) {
    const double last = rounds.run(0, count, true);
    measured += last;
    total += last;
    if ((round + 1 >= budget.least_rounds && measured >= budget.enough_ms) || total + last > budget.most_ms) break;
  }
  return rounds.result();
}

}  // namespace kiln::autotune
