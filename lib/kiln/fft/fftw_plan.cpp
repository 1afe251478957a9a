#include "fft/fftw_plan.hpp"

#include <optional>
#include <utility>

#include "fft/plan_cache.hpp"
#include "kiln/array.hpp"
#include "kiln/error.hpp"

namespace kiln::fft {
namespace {

/// Plans of a few hundred bytes to a few hundred kilobytes each.
constexpr std::size_t kMostPlans = 64;

PlanKey key_of(const FftwProblem& problem, bool in_place, bool aligned) {
  PlanKey key;
  key.reserve(2 + 3 * (problem.dims.size() + problem.batch.size()));
  std::int64_t word = static_cast<std::int64_t>(problem.dims.size()) << 8 | static_cast<std::int64_t>(problem.kind);
  for (const bool flag :
       {problem.inverse, problem.single, problem.keeps_input, problem.planning == Planning::measure, in_place, aligned}) {
    word = word << 1 | (flag ? 1 : 0);
  }
  key.push_back(word);
  key.push_back(problem.threads);
  for (const auto* list : {&problem.dims, &problem.batch}) {
    for (const FftwDim& dim : *list) key.insert(key.end(), {dim.n, dim.in, dim.out});
  }
  return key;
}

/// Memory for one side of a plan that is measured: FFTW overwrites it.
class PlanningMemory {
 public:
  static constexpr std::ptrdiff_t kAlign = 64;

  PlanningMemory(const FftwProblem& problem, std::ptrdiff_t FftwDim::* side, std::ptrdiff_t item) {
    std::ptrdiff_t low = 0;
    std::ptrdiff_t high = 0;
    for (const auto* list : {&problem.dims, &problem.batch}) {
      for (const FftwDim& dim : *list) {
        const std::ptrdiff_t reach = (dim.n - 1) * (dim.*side);
        (reach < 0 ? low : high) += reach;
      }
    }
    const std::ptrdiff_t before = (-low * item + kAlign - 1) / kAlign * kAlign;
    memory_ = Array::zeros({before + (high + 1) * item}, DType::uint8);
    address_ = static_cast<char*>(memory_.data()) + before;
  }
  [[nodiscard]] void* address() const noexcept { return address_; }

 private:
  Array memory_;
  char* address_ = nullptr;
};

std::ptrdiff_t item_of(bool single, bool complex) {
  return (single ? 4 : 8) * (complex ? 2 : 1);
}

FftwTable::Plan make_plan(const FftwTable& calls, const FftwProblem& problem, void* in, void* out, unsigned flags) {
  const auto rank = static_cast<int>(problem.dims.size());
  const auto batch_rank = static_cast<int>(problem.batch.size());
  switch (problem.kind) {
    case FftKind::real_to_complex:
      return calls.plan_r2c(rank, problem.dims.data(), batch_rank, problem.batch.data(), in, out, flags);
    case FftKind::complex_to_real:
      return calls.plan_c2r(rank, problem.dims.data(), batch_rank, problem.batch.data(), in, out, flags);
    case FftKind::complex:
      break;
  }
  return calls.plan_dft(rank, problem.dims.data(), batch_rank, problem.batch.data(), in, out, problem.inverse ? 1 : -1, flags);
}

/// Plans use so many threads while it lives; the planner lock is held.
class PlannedThreads {
 public:
  PlannedThreads(const FftwTable& calls, int threads) : calls_(calls) {
    if (calls_.plan_with_threads == nullptr) return;
    if (calls_.planner_threads != nullptr) before_ = calls_.planner_threads();
    calls_.plan_with_threads(threads);
  }
  ~PlannedThreads() {
    if (calls_.plan_with_threads != nullptr) calls_.plan_with_threads(before_);
  }
  PlannedThreads(const PlannedThreads&) = delete;
  PlannedThreads& operator=(const PlannedThreads&) = delete;

 private:
  const FftwTable& calls_;
  int before_ = 1;  // the host program's
};

std::shared_ptr<const FftwPlan> make_fftw_plan(const Fftw& library, const FftwProblem& problem, void* in, void* out,
                                               bool aligned) {
  unsigned flags = problem.planning == Planning::measure ? kFftwMeasure : kFftwEstimate;
  if (!aligned) flags |= kFftwUnaligned;
  if (problem.kind == FftKind::complex_to_real) flags |= problem.keeps_input ? kFftwPreserveInput : kFftwDestroyInput;
  std::optional<PlanningMemory> instead_of_in;
  std::optional<PlanningMemory> instead_of_out;
  if (problem.planning == Planning::measure) {
    const bool in_place = in == out;
    instead_of_in.emplace(problem, &FftwDim::in, item_of(problem.single, problem.kind != FftKind::real_to_complex));
    if (!in_place)
      instead_of_out.emplace(problem, &FftwDim::out, item_of(problem.single, problem.kind != FftKind::complex_to_real));
    in = instead_of_in->address();
    out = in_place ? in : instead_of_out->address();
  }
  FftwTable::Plan plan = nullptr;
  {
    const auto planner = Fftw::lock_planner();
    const PlannedThreads threads(library.calls(), problem.threads);
    plan = make_plan(library.calls(), problem, in, out, flags);
  }
  if (plan == nullptr) throw DeviceError("failed to plan an FFT: " + library.path() + " has no plan for this layout");
  return std::make_shared<const FftwPlan>(problem, library, plan);
}

}  // namespace

FftwPlan::~FftwPlan() {
  const auto planner = Fftw::lock_planner();
  library_.calls().destroy(plan_);
}

void FftwPlan::execute(void* in, void* out) const {
  const FftwTable& calls = library_.calls();
  switch (kind_) {
    case FftKind::complex:
      return calls.execute_dft(plan_, in, out);
    case FftKind::real_to_complex:
      return calls.execute_r2c(plan_, in, out);
    case FftKind::complex_to_real:
      return calls.execute_c2r(plan_, in, out);
  }
}

std::shared_ptr<const FftwPlan> plan_for(const FftwProblem& problem, void* in, void* out,
                                         std::span<const std::ptrdiff_t> steps) {
  // Leaked on purpose: a plan's end wants FFTW, which may be gone by then.
  static auto& plans = []() -> PlanCache<const FftwPlan>& {
    auto& made = *new PlanCache<const FftwPlan>(kMostPlans);
    keep_free_in_children(made.mutex());
    return made;
  }();
  const Fftw& library = Fftw::of(problem.single);
  const auto at_boundary = [&](void* address) { return library.calls().alignment_of(address) == 0; };
  bool aligned = at_boundary(in) && at_boundary(out);
  for (const std::ptrdiff_t step : steps) aligned = aligned && step % PlanningMemory::kAlign == 0;
  return plans.find_or_make(key_of(problem, in == out, aligned),
                            [&] { return make_fftw_plan(library, problem, in, out, aligned); });
}

}  // namespace kiln::fft
