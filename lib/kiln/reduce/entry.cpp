// Reductions as users call them, and what arrays ask of them.
#include "array/on_device.hpp"
#include "call/stoppable.hpp"
#include "call/whole_or_chunks.hpp"
#include "kiln/math.hpp"
#include "reduce/call.hpp"
#include "reduce/impl.hpp"
#include "reduce/in_chunks.hpp"
#include "reduce/method.hpp"
#include "ufunc/call.hpp"

namespace kiln {
namespace {

bool has_element(const Array& array, bool wanted) {
  const math::Function& reduced = wanted ? math::logical_or : math::logical_and;
  return reduced.reduce(array, {.axis = all_axes}).item<bool>() == wanted;
}

[[maybe_unused]] const bool provided = detail::has_element_on_device.provide(has_element);

}  // namespace

Array Ufunc::reduce(const Array& a, const ReduceOptions& options) const {
  impl_->check_of_elements(".reduce");
  const Arg arg(a);
  const std::span<const ArrayArg> out(&options.out, options.out.valid() ? 1 : 0);
  Array result;
  call::stoppable(impl_->name(), ".reduce", options, [&](const backend::StopRequest* stop) {
    call::whole_or_in_chunks(
        {&arg, 1}, options.where, out, options, false, {&result, 1}, [&] { result = reduce::reduce(*impl_, a, options, stop); },
        [&](const std::optional<Device>& device, const ReduceOptions& own) {
          result = reduce::reduce_in_chunks(*this, device, a, own, stop);
        });
  });
  return result;
}

void Reduction::call(std::span<const Arg> args, const ReductionOptions* options, std::span<Array> results) const {
  static const ReductionOptions none;
  const ReductionOptions& given = options != nullptr ? *options : none;
  call::check_results_wanted(name(), impl_->loops().nout(), results.size(), given.out);
  const auto whole = [&](const backend::StopRequest* stop) {
    const reduce::Options view = reduce::options_of(given, stop);
    reduce::Call(*impl_, args, view).run(results);
  };
  if (impl_->only_whole()) return call::stoppable(name(), "", given, whole);
  call::stoppable(name(), "", given, [&](const backend::StopRequest* stop) {
    call::whole_or_in_chunks(
        args, given.where, given.out.list(), given, false, results, [&] { whole(stop); },
        [&](const std::optional<Device>& device, const ReductionOptions& own) {
          reduce::call_in_chunks(*this, device, args, own, stop, results);
        });
  });
}

}  // namespace kiln
