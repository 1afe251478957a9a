// Provides the calls in chunks that ordinary calls fall back on.
#include "gufunc/in_chunks.hpp"
#include "kiln/chunked.hpp"
#include "reduce/in_chunks.hpp"
#include "ufunc/in_chunks.hpp"

namespace kiln::chunk {
namespace {

ChunkOptions on(const std::optional<Device>& device) {
  ChunkOptions how;
  if (device) how.devices = {*device};
  return how;
}

/// A call of a ufunc, a generalized ufunc or a reduction.
template <class Function, class Options>
void call(const Function& function, const std::optional<Device>& device, std::span<const Arg> args, const Options& options,
          std::span<Array> results) {
  chunked(function, on(device)).call(args, &options, results);
}

Array reduce(const Ufunc& function, const std::optional<Device>& device, const Array& a, const ReduceOptions& options) {
  return chunked(function, on(device)).reduce(a, options);
}

Array accumulate(const Ufunc& function, const std::optional<Device>& device, const Array& a, const AccumulateOptions& options) {
  return chunked(function, on(device)).accumulate(a, options);
}

[[maybe_unused]] const bool provided =
    ufunc::call_in_chunks.provide(call<Ufunc, CallOptions>) && ufunc::accumulate_in_chunks.provide(accumulate) &&
    gufunc::call_in_chunks.provide(call<Gufunc, GufuncOptions>) &&
    reduce::call_in_chunks.provide(call<Reduction, ReductionOptions>) && reduce::reduce_in_chunks.provide(reduce);

}  // namespace
}  // namespace kiln::chunk
