#include "autotune/tuner.hpp"

#include <ctime>
#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "autotune/session.hpp"
#include "autotune/stopwatch.hpp"
#include "base/log.hpp"
#include "kiln/error.hpp"
#include "program/tuning.hpp"

namespace kiln::autotune {
namespace {

// Below that, a difference is the clock's.
constexpr double kWorthwhile = 0.97;

Freedom freedom_of(const Kernel& kernel) {
  return {.accesses = kernel.all_accesses,
          .warp_size = kernel.backend.info().warp_size,
          .max_threads = kernel.module->max_threads()};
}

/// What a candidate runs; null: it is not to be had, and why.
struct Variant {
  std::shared_ptr<const backend::Module> module;
  std::string why_not;
};

std::map<int, Variant> load_all(const Kernel& kernel, std::span<const Choice> choices) {
  std::map<int, Variant> all;
  for (const Choice& choice : choices) {
    const auto [place, first] = all.try_emplace(choice.accesses);
    if (!first) continue;
    if (choice.accesses == kernel.accesses) {
      place->second.module = kernel.module;
      continue;
    }
    try {
      place->second.module = kernel.load(choice.accesses);
    } catch (const Error& error) {
      place->second.why_not = error.what();
    }
  }
  return all;
}

std::size_t best_of(std::span<const TuneCandidate> candidates) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    if (!candidates[i].why_not.empty()) continue;
    const double limit = best == 0 ? candidates[0].milliseconds * kWorthwhile : candidates[best].milliseconds;
    if (candidates[i].milliseconds < limit) best = i;
  }
  return best;
}

std::vector<TuneCandidate> time_all(const Kernel& kernel, const Work& work, std::span<const Choice> choices,
                                    const std::map<int, Variant>& variants) {
  std::vector<TuneCandidate> all;
  std::vector<std::size_t> runnable;
  for (const Choice& choice : choices) {
    const Variant& variant = variants.at(choice.accesses);
    const bool fits = variant.module != nullptr && choice.block <= variant.module->max_threads();
    if (fits) runnable.push_back(all.size());
    all.push_back({.block = choice.block, .elements_per_thread = choice.accesses * work.width, .why_not = variant.why_not});
    if (!fits && all.back().why_not.empty()) all.back().why_not = "the kernel's registers leave room for fewer threads";
  }
  const auto run = [&](std::size_t i) {
    const Choice& choice = choices[runnable[i]];
    work.run(*variants.at(choice.accesses).module, choice);
  };
  const std::vector<Timed> times = time_in_turn(kernel.backend, work.queue, runnable.size(), work.prepare, run);
  for (std::size_t i = 0; i < runnable.size(); ++i) {
    all[runnable[i]].milliseconds = times[i].milliseconds;
    all[runnable[i]].why_not = times[i].why_not;
  }
  return all;
}

}  // namespace

void read(const Kernel& kernel, Tuned& tuned) {
  if (kernel.module->label == nullptr) return;
  const auto shapes = program::tuned_shapes(kernel.cache, kernel.module->label->id, kernel.backend);
  if (shapes.empty()) return;
  const Freedom freedom = freedom_of(kernel);
  for (const cache::TunedShape& shape : shapes) {
    const Choice choice{.block = shape.block, .accesses = shape.accesses};
    if (!is_free(choice, freedom)) continue;
    if (shape.model) {
      tuned.set_model(shape.elements);
      continue;
    }
    try {
      std::shared_ptr<const backend::Module> module;
      if (choice.accesses != kernel.accesses) module = kernel.load(choice.accesses);
      if (module == nullptr || choice.block <= module->max_threads()) tuned.set(shape.elements, {choice, std::move(module)});
    } catch (const Error& error) {
      base::log_line("the launch shape that was measured for a kernel is not used: " + std::string(error.what()));
    }
  }
}

void measure(const Kernel& kernel, const Work& work, Tuned& tuned) {
  Session* const session = work.session;
  static constinit std::mutex one_at_a_time;
  std::unique_lock<std::mutex> turn(one_at_a_time, std::defer_lock);
  if (session != nullptr) {
    turn.lock();
  } else if (!turn.try_lock()) {
    return;
  }
  if (!tuned.first_try(work.elements) && session == nullptr) return;
  const std::vector<Choice> choices = candidates(work.model, freedom_of(kernel));
  const std::map<int, Variant> variants = load_all(kernel, choices);
  std::vector<TuneCandidate> timed = time_all(kernel, work, choices, variants);
  const std::size_t best = best_of(timed);
  if (best == 0) {
    tuned.set_model(work.elements);
  } else {
    const auto& module = variants.at(choices[best].accesses).module;
    tuned.set(work.elements, {choices[best], module == kernel.module ? nullptr : module});
  }
  const cache::TunedOn on = program::tuned_on(kernel.backend);
  bool kept = false;
  if (kernel.module->label != nullptr) {
    kept = program::keep_shape(kernel.cache, kernel.module->label->id,
                               {.device = on.device,
                                .driver = on.driver,
                                .elements = work.elements,
                                .block = choices[best].block,
                                .accesses = choices[best].accesses,
                                .milliseconds = timed[best].milliseconds,
                                .model_milliseconds = timed[0].milliseconds,
                                .model = best == 0,
                                .measured = static_cast<std::int64_t>(std::time(nullptr))});
  }
  if (session == nullptr) return;
  session->report() = {.id = kernel.module->label != nullptr ? kernel.module->label->id : std::string(),
                       .device = on.device,
                       .driver = on.driver,
                       .elements = work.elements,
                       .candidates = std::move(timed),
                       .best = best,
                       .kept = kept};
}

}  // namespace kiln::autotune
