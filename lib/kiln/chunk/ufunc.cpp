// Chunked calls of ufuncs.
#include <utility>

#include "array/access.hpp"
#include "array/rep.hpp"
#include "call/arrays_of.hpp"
#include "call/operands.hpp"
#include "call/stoppable.hpp"
#include "chunk/checks.hpp"
#include "chunk/pipeline.hpp"
#include "kiln/chunked.hpp"
#include "ufunc/call.hpp"
#include "ufunc/impl.hpp"
#include "ufunc/in_chunks.hpp"

namespace kiln {
namespace chunk {
namespace {

/// An axis along which an input only repeats is one index of it: what is sent is less, and all chunks may share it.
Array once(const Array& input) {
  detail::ArrayRep rep = detail::view_rep(input);
  for (std::size_t d = 0; d < rep.shape.size(); ++d) {
    if (rep.strides[d] == 0 && rep.shape[d] > 1) rep.shape[d] = 1;
  }
  return rep.shape == input.shape() ? input : detail::make_array(std::move(rep));
}

void call_ufunc(const Ufunc& function, const ChunkOptions& how, std::span<const Arg> given_args, const CallOptions& options,
                const backend::StopRequest* stop, std::span<Array> results) {
  call::ArraysOf arrays(given_args, options.where, options.out.list());
  const std::span<const Arg> args = arrays.args;
  results = arrays.results_or_own(results);
  const detail::UfuncImpl& impl = *function.impl();
  impl.check_of_elements(", in chunks");
  const auto name_of = [&](std::size_t k) { return impl.operand_name(k); };
  const std::span<const Array> out = arrays.out;
  check_host(impl.name(), args, arrays.where, out, {options.stream, options.device}, name_of);
  const Resolution resolution = ufunc::Call(impl, args, options).resolve();
  const Shape& loop = resolution.shape;
  if (resolution.variant == "empty") return ufunc::Call(impl, args, options).run(results);
  check_overlap(impl.name(), args, arrays.where, out, true, name_of);

  Job job{.what = impl.name(), .inputs = {}, .outputs = {}, .cut = Cut(loop, {}, 0, 1)};
  for (const Arg& arg : args) {
    if (arg.is_array()) job.inputs.push_back(broadcast_operand(once(arg.array()), loop));
  }
  const bool masked = arrays.where.valid();
  if (masked) job.inputs.push_back(broadcast_operand(once(arrays.where), loop));
  std::vector<Operand> given = job.inputs;
  for (const Array& array : out) {
    if (array.valid()) given.push_back(broadcast_operand(array, loop));
  }
  const std::vector<std::size_t> order = memory_order(all_axes_of(loop), given);
  const std::vector<int> memory(order.begin(), order.end());
  for (std::size_t o = 0; o < results.size(); ++o) {
    results[o] = o < out.size() ? out[o] : Array();
    // What the mask leaves out of a fresh result is zero.
    if (!results[o].valid()) {
      const DType dtype = resolution.dtypes[args.size() + o];
      results[o] = masked ? Array::zeros(loop, dtype) : detail::allocate(loop, dtype, memory, true, Device::cpu());
    }
    job.outputs.push_back(broadcast_operand(results[o], loop));
  }
  job.cut = Cut(loop, order, bytes_of(job.inputs) + bytes_of(job.outputs), chunk_bytes_of(how));
  run(job, how, stop, [&](const Chunk& chunk) {
    const std::vector<Arg> parts = arguments_of(chunk, args);
    const CallOptions of_chunk{.out = Outputs(chunk.outputs),
                               .where = masked ? ArrayArg(chunk.inputs.back()) : ArrayArg(),
                               .stream = chunk.stream,
                               .casting = options.casting,
                               .dtype = options.dtype,
                               .signature = options.signature};
    std::vector<Array> written(chunk.outputs.size());
    ufunc::Call(impl, parts, of_chunk, stop).run(written);
  });
}

[[maybe_unused]] const bool provided =
    ufunc::call_in_chunks.provide([](const Ufunc& function, const std::optional<Device>& device, std::span<const Arg> args,
                                     const CallOptions& options, const backend::StopRequest* stop, std::span<Array> results) {
      call_ufunc(function, chunks_on(device), args, options, stop, results);
    });

}  // namespace
}  // namespace chunk

ChunkedUfunc::ChunkedUfunc(Ufunc function, ChunkOptions options) : function_(std::move(function)), how_(std::move(options)) {
  chunk::check_options(function_.name(), how_);
}

void ChunkedUfunc::call(std::span<const Arg> args, const CallOptions* options, std::span<Array> results) const {
  static const CallOptions none;
  const CallOptions& given = options != nullptr ? *options : none;
  call::check_results_wanted(function_.name(), function_.impl()->nout(), results.size(), given.out);
  call::stoppable(function_.name(), "", given,
                  [&](const backend::StopRequest* stop) { chunk::call_ufunc(function_, how_, args, given, stop, results); });
}

ChunkedUfunc chunked(const Ufunc& function, ChunkOptions options) {
  return {function, std::move(options)};
}

}  // namespace kiln
