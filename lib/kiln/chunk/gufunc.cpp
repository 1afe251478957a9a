// Chunked calls of generalized ufuncs: along the dimensions of the loop.
#include <utility>

#include "array/rep.hpp"
#include "call/arrays_of.hpp"
#include "call/operands.hpp"
#include "call/stoppable.hpp"
#include "chunk/checks.hpp"
#include "chunk/pipeline.hpp"
#include "gufunc/call.hpp"
#include "gufunc/impl.hpp"
#include "gufunc/in_chunks.hpp"
#include "kiln/chunked.hpp"

namespace kiln {
namespace chunk {
namespace {

void call_gufunc(const Gufunc& function, const ChunkOptions& how, std::span<const Arg> given_args, const GufuncOptions& options,
                 const backend::StopRequest* stop, std::span<Array> results) {
  call::ArraysOf arrays(given_args, options.where, options.out.list());
  const std::span<const Arg> args = arrays.args;
  results = arrays.results_or_own(results);
  const detail::GufuncImpl& impl = *function.impl();
  const auto name_of = [&](std::size_t k) { return impl.operand_name(k); };
  const std::span<const Array> out = arrays.out;
  check_host(impl.name(), args, arrays.where, out, {options.stream, options.device}, name_of);
  gufunc::Call whole(impl, args, options);
  const GufuncResolution resolution = whole.resolve();
  const gufunc::CoreShape& shape = whole.shape();
  if (resolution.variant == "nothing") return gufunc::Call(impl, args, options).run(results);
  check_overlap(impl.name(), args, arrays.where, out, false, name_of);

  Job job{.what = impl.name(), .inputs = {}, .outputs = {}, .cut = Cut(shape.loop, {}, 0, 1)};
  for (std::size_t k = 0; k < args.size(); ++k) {
    if (args[k].is_array()) job.inputs.emplace_back(args[k].array(), shape.operands[k].loop);
  }
  const bool masked = arrays.where.valid();
  if (masked) job.inputs.emplace_back(arrays.where, shape.where.loop);
  for (std::size_t o = 0; o < results.size(); ++o) {
    results[o] = o < out.size() ? out[o] : Array();
    if (!results[o].valid()) {
      const DType dtype = resolution.dtypes[args.size() + o];
      const Shape& extents = shape.output_shapes[o];
      results[o] = masked ? Array::zeros(extents, dtype) : Array::empty(extents, dtype);
    }
    job.outputs.emplace_back(results[o], shape.operands[args.size() + o].loop);
  }
  std::vector<Operand> all = job.inputs;
  all.insert(all.end(), job.outputs.begin(), job.outputs.end());
  job.cut = Cut(shape.loop, memory_order(all_axes_of(shape.loop), all), bytes_of(all), chunk_bytes_of(how));
  run(job, how, stop, [&](const Chunk& chunk) {
    const std::vector<Arg> parts = arguments_of(chunk, args);
    GufuncOptions of_chunk = options;
    of_chunk.out = Outputs(chunk.outputs);
    of_chunk.where = masked ? chunk.inputs.back() : Array();
    of_chunk.stream = chunk.stream;
    std::vector<Array> written(chunk.outputs.size());
    gufunc::Call(impl, parts, of_chunk, stop).run(written);
  });
}

[[maybe_unused]] const bool provides_gufuncs = gufunc::call_in_chunks.provide(
    [](const Gufunc& function, const std::optional<Device>& device, std::span<const Arg> args, const GufuncOptions& options,
       const backend::StopRequest* stop,
       std::span<Array> results) { call_gufunc(function, chunks_on(device), args, options, stop, results); });

}  // namespace
}  // namespace chunk

ChunkedGufunc::ChunkedGufunc(Gufunc function, ChunkOptions options) : function_(std::move(function)), how_(std::move(options)) {
  chunk::check_options(function_.name(), how_);
}

void ChunkedGufunc::call(std::span<const Arg> args, const GufuncOptions* options, std::span<Array> results) const {
  static const GufuncOptions none;
  const GufuncOptions& given = options != nullptr ? *options : none;
  call::check_results_wanted(function_.name(), static_cast<std::size_t>(function_.nout()), results.size(), given.out);
  call::stoppable(function_.name(), "", given,
                  [&](const backend::StopRequest* stop) { chunk::call_gufunc(function_, how_, args, given, stop, results); });
}

ChunkedGufunc chunked(const Gufunc& function, ChunkOptions options) {
  return {function, std::move(options)};
}

}  // namespace kiln
