// Calls whose launch shapes are measured.
#include "kiln/tune.hpp"

#include <string>
#include <vector>

#include "autotune/session.hpp"
#include "autotune/tuner.hpp"
#include "kernel/elementwise/launch.hpp"
#include "kernel/elementwise/spec.hpp"
#include "registry/registry.hpp"
#include "ufunc/call.hpp"
#include "ufunc/tuning.hpp"

namespace kiln {
namespace ufunc {

std::string Call::why_not_tuned(const Variant<LayoutClass>& variant) const {
  if (operands_.at().device.is_cpu()) {
    return "a CPU's kernels have no launch shape: its threads take parts of the work as they come";
  }
  if (variant.tuned == nullptr) return "it goes by tiles, by strips of rows or behind a head, whose size is part of its text";
  if (variant.module->faults() != nullptr) return "it checks itself: define it without .compile.debug";
  if (layout_.in_place) return "an output is also an input, which repeated runs would change; give another array for .out";
  return autotune::why_not_now(operands_.context().stop);
}

void Call::tune(const Variant<LayoutClass>& variant, const kinds::ElementwiseLaunch& work) const {
  autotune::Session* const session = autotune::Session::of(&ufunc_);
  if (session == nullptr && !autotune::by_environment()) return;
  if (const std::string why = why_not_tuned(variant); !why.empty()) return autotune::not_tuned(session, ufunc_.name(), why);
  if (session == nullptr && variant.tuned->tried(work.size)) return;
  backend::Backend& backend = backend::backend_for(operands_.at().device);
  const kinds::ElementwiseSpec spec =
      ufunc::specialize(plan_->loop, operands_.storage_dtypes(), variant.layout, operands_.at().device.kind());
  const auto load = [&](int accesses) { return ufunc_.with_accesses(plan_->loop, spec, accesses, backend); };
  const auto run = [&](const backend::Module& module, const autotune::Choice& choice) {
    kinds::ElementwiseLaunch tried = work;
    tried.block = choice.block;
    tried.unroll = choice.accesses;
    kinds::launch_on_gpu(backend, module, tried, {.queue = operands_.at().queue, .keep = nullptr});
  };
  const auto prepare = [] {};
  const auto block = static_cast<int>(kinds::shape_on_gpu(backend, *variant.module, work).block[0]);
  autotune::measure({.backend = backend,
                     .module = variant.module,
                     .accesses = variant.unroll,
                     .all_accesses = tuning::accesses(),
                     .cache = ufunc_.definition_of(plan_->loop).compile.cache,
                     .load = load},
                    {.session = session,
                     .queue = operands_.at().queue,
                     .elements = work.size,
                     .width = variant.width,
                     .model = {.block = block, .accesses = variant.unroll},
                     .run = run,
                     .prepare = prepare},
                    *variant.tuned);
}

}  // namespace ufunc

TuneReport tune(const Ufunc& f, std::span<const Arg> args, const CallOptions& options) {
  TuneReport report{.why_not = "there is nothing to compute, or more dimensions than one launch takes"};
  const autotune::Session session(report, f.impl().get());
  std::vector<Array> results(static_cast<std::size_t>(f.nout()));
  f.call(args, &options, results);
  return report;
}

}  // namespace kiln
