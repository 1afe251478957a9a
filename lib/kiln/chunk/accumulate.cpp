// Chunked running results: across the axis chunks are independent, along it each begins with what the one before left.
#include <utility>

#include "array/named_axes.hpp"
#include "array/rep.hpp"
#include "call/arrays_of.hpp"
#include "call/stoppable.hpp"
#include "chunk/checks.hpp"
#include "chunk/pipeline.hpp"
#include "kiln/chunked.hpp"
#include "ufunc/accumulate.hpp"
#include "ufunc/call.hpp"
#include "ufunc/impl.hpp"
#include "ufunc/in_chunks.hpp"

namespace kiln {
namespace chunk {
namespace {

/// One index of the axis, of a box's part of the array.
Array row_of(const Operand& operand, Box box, std::size_t axis, std::int64_t index) {
  box.begin[axis] = index;
  box.end[axis] = index + 1;
  return operand.at(box);
}

Array accumulate(const Ufunc& function, const ChunkOptions& how, const Array& a, const AccumulateOptions& options,
                 const backend::StopRequest* stop) {
  const detail::UfuncImpl& impl = *function.impl();
  const std::string what = impl.name() + ".accumulate";
  const Arg arg(a);
  const auto name_of = [](std::size_t k) { return std::string(k == 0 ? "the array" : "the out array"); };
  const Array given = call::array_of(options.out);
  const std::span<const Array> out(&given, given.valid() ? 1 : 0);
  check_host(what, {&arg, 1}, Array(), out, {options.stream, options.device}, name_of);
  if (a.valid() && a.size() == 0) return function.accumulate(a, options);
  const DType dtype = ufunc::AccumulateCall(impl, arg, options).plan().outputs[0];
  check_overlap(what, {&arg, 1}, Array(), out, true, name_of);

  const Array result = given.valid() ? given : Array::empty(a.shape(), dtype);
  const Dims named = detail::named_axes([&] { return what; }, options.axis, a.shape());
  std::size_t axis = 0;
  while (named[axis] == 0) ++axis;
  Job job{.what = what,
          .inputs = {broadcast_operand(a, a.shape())},
          .outputs = {broadcast_operand(result, a.shape())},
          .cut = Cut(a.shape(), {}, 0, 1)};
  job.cut = Cut(a.shape(), memory_order(all_axes_of(a.shape()), job.inputs), a.nbytes() + result.nbytes(), chunk_bytes_of(how));
  job.in_order = job.cut.cuts(axis);
  // What a chunk ends with, where the result cannot tell: it has another dtype.
  Shape row = a.shape();
  row[axis] = 1;
  const bool narrowed = result.dtype() != dtype;
  const std::string of_one(name(dtype));
  const std::string loop = of_one + ", " + of_one + " -> " + of_one;
  const Array last = narrowed ? Array::empty(row, dtype) : Array();
  const Operand rows = broadcast_operand(narrowed ? last : result, a.shape());
  run(job, how, stop, [&](const Chunk& chunk) {
    const std::int64_t begin = chunk.box.begin[axis];
    const bool carries = begin > 0;
    const Array elements = carries || narrowed ? chunk.inputs[0].astype(dtype) : chunk.inputs[0];
    const Array to = narrowed ? elements : chunk.outputs[0];
    const Operand own = broadcast_operand(elements, elements.shape());
    const Box whole{Dims(row.size(), 0), elements.shape()};
    if (carries) {
      // The chunk's first elements are not its own but what the results so far make of them.
      const Array first = row_of(own, whole, axis, 0);
      const Array before = narrowed ? rows.at(chunk.box) : row_of(job.outputs[0], chunk.box, axis, begin - 1);
      const Arg pair[] = {before, first};
      Array written;
      ufunc::Call(impl, pair, {.out = first, .stream = chunk.stream, .signature = loop}, stop).run({&written, 1});
      chunk.stream.synchronize();
    }
    const Arg whole_chunk(elements);
    const AccumulateOptions of_chunk{.axis = static_cast<int>(axis), .dtype = dtype, .out = to, .stream = chunk.stream};
    static_cast<void>(ufunc::AccumulateCall(impl, whole_chunk, of_chunk, stop).run());
    if (!narrowed) return;
    chunk.stream.synchronize();
    chunk.outputs[0].assign(elements, Casting::unsafe);
    rows.at(chunk.box).assign(row_of(own, whole, axis, elements.shape()[axis] - 1));
  });
  return result;
}

[[maybe_unused]] const bool provides_accumulate = ufunc::accumulate_in_chunks.provide(
    [](const Ufunc& function, const std::optional<Device>& device, const Array& a, const AccumulateOptions& options,
       const backend::StopRequest* stop) { return accumulate(function, chunks_on(device), a, options, stop); });

}  // namespace
}  // namespace chunk

Array ChunkedUfunc::accumulate(const Array& a, const AccumulateOptions& options) const {
  return call::stoppable(function_.name(), ".accumulate", options, [&](const backend::StopRequest* stop) {
    return chunk::accumulate(function_, how_, a, options, stop);
  });
}

}  // namespace kiln
