// Gufunc's calls as users make them.
#include "call/stoppable.hpp"
#include "call/whole_or_chunks.hpp"
#include "gufunc/call.hpp"
#include "gufunc/in_chunks.hpp"

namespace kiln {

void Gufunc::call(std::span<const Arg> args, const GufuncOptions* options, std::span<Array> results) const {
  static const GufuncOptions none;
  const GufuncOptions& given = options != nullptr ? *options : none;
  call::check_results_wanted(impl_->name(), impl_->nout(), results.size(), given.out);
  const bool chunks = call::chunks_gain(args, given.where, given.out.list(), {given.stream, given.device}, false);
  call::stoppable(impl_->name(), "", given, [&](const backend::StopRequest* stop) {
    call::whole_or_in_chunks(
        args, given.where, given.out.list(), given, chunks, results,
        [&] { gufunc::Call(*impl_, args, given, stop).run(results); },
        [&](const std::optional<Device>& device, const GufuncOptions& own) {
          gufunc::call_in_chunks(*this, device, args, own, stop, results);
        });
  });
}

}  // namespace kiln
