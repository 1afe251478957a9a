// Ufunc's calls as users make them.
#include <algorithm>

#include "call/arrays_of.hpp"
#include "call/operands.hpp"
#include "call/stoppable.hpp"
#include "call/whole_or_chunks.hpp"
#include "ufunc/accumulate.hpp"
#include "ufunc/call.hpp"
#include "ufunc/impl.hpp"
#include "ufunc/in_chunks.hpp"
#include "ufunc/packed_call.hpp"

namespace kiln {

void Ufunc::call(std::span<const Arg> args, const CallOptions* options, std::span<Array> results) const {
  static const CallOptions none;
  const CallOptions& given = options != nullptr ? *options : none;
  call::check_results_wanted(impl_->name(), impl_->nout(), results.size(), given.out);
  ufunc::PackedCall packed(*impl_);
  const bool fits_packed = packed.add(args, given);
  if (fits_packed && packed.run(results)) {
    for (std::size_t o = 0; o < std::min(results.size(), given.out.list().size()); ++o) {
      if (given.out.list()[o].valid()) results[o] = call::array_of(given.out.list()[o]);
    }
    return;
  }
  // With a mask a chunk's outputs are read, too, and count twice.
  const bool fit = !given.where.valid() || args.size() + 1 + 2 * impl_->nout() <= call::Operands::kMax;
  // A chunk has a part of the arrays, and what its elements reach may lie in others.
  const auto whole = [&](const backend::StopRequest* stop) {
    ufunc::Call(*impl_, args, given, stop).run(results, fits_packed ? &packed : nullptr);
  };
  if (impl_->by_elements() || impl_->inout() != 0) return call::stoppable(impl_->name(), "", given, whole);
  const bool chunks = fit && call::chunks_gain(args, given.where, given.out.list(), {given.stream, given.device}, true);
  call::stoppable(impl_->name(), "", given, [&](const backend::StopRequest* stop) {
    call::whole_or_in_chunks(
        args, given.where, given.out.list(), given, chunks, results, [&] { whole(stop); },
        [&](const std::optional<Device>& device, const CallOptions& own) {
          ufunc::call_in_chunks(*this, device, args, own, stop, results);
        });
  });
}

Array Ufunc::accumulate(const Array& a, const AccumulateOptions& options) const {
  impl_->check_of_elements(".accumulate");
  const Arg arg(a);
  const std::span<const ArrayArg> out(&options.out, options.out.valid() ? 1 : 0);
  Array result;
  call::stoppable(impl_->name(), ".accumulate", options, [&](const backend::StopRequest* stop) {
    call::whole_or_in_chunks(
        {&arg, 1}, call::kNoMask, out, options, false, {&result, 1},
        [&] { result = ufunc::AccumulateCall(*impl_, arg, options, stop).run(); },
        [&](const std::optional<Device>& device, const AccumulateOptions& own) {
          result = ufunc::accumulate_in_chunks(*this, device, a, own, stop);
        });
  });
  return result;
}

}  // namespace kiln
