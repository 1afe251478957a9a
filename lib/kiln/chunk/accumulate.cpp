// Chunked running results: across the axis chunks are independent, along it each begins with what the one before left.
#include <utility>

#include "array/rep.hpp"
#include "call/arrays_of.hpp"
#include "call/stoppable.hpp"
#include "chunk/checks.hpp"
#include "chunk/pipeline.hpp"
#include "kiln/chunked.hpp"
#include "ufunc/accumulate.hpp"
#include "ufunc/axes.hpp"
#include "ufunc/call.hpp"
#include "ufunc/impl.hpp"

namespace kiln {
namespace chunk {
namespace {

/// One index of the axis, of a box's part of the array.
Array row_of(const Operand& operand, Box box, std::size_t axis, std::int64_t index) {
  box.begin[axis] = index;
  box.end[axis] = index + 1;
  return operand.at(box);
}

}  // namespace
}  // namespace chunk

Array ChunkedUfunc::accumulate(const Array& a, const AccumulateOptions& options) const {
  const detail::UfuncImpl& impl = *function_.impl();
  const std::string what = impl.name() + ".accumulate";
  const Arg arg(a);
  const auto name_of = [](std::size_t k) { return std::string(k == 0 ? "the array" : "the out array"); };
  const Array given = call::array_of(options.out);
  const std::span<const Array> out(&given, given.valid() ? 1 : 0);
  chunk::check_host(what, {&arg, 1}, Array(), out, {options.stream, options.device}, name_of);
  if (a.valid() && a.size() == 0) return function_.accumulate(a, options);
  const DType dtype = ufunc::AccumulateCall(impl, arg, options).plan().outputs[0];
  chunk::check_overlap(what, {&arg, 1}, Array(), out, true, name_of);

  const Array result = given.valid() ? given : Array::empty(a.shape(), dtype);
  const Dims named = ufunc::named_axes([&] { return what; }, options.axis, a.shape());
  std::size_t axis = 0;
  while (named[axis] == 0) ++axis;
  chunk::Job job{.what = what,
                 .inputs = {chunk::broadcast_operand(a, a.shape())},
                 .outputs = {chunk::broadcast_operand(result, a.shape())},
                 .cut = chunk::Cut(a.shape(), {}, 0, 1)};
  job.cut = chunk::Cut(a.shape(), chunk::memory_order(chunk::all_axes_of(a.shape()), job.inputs), a.nbytes() + result.nbytes(),
                       chunk::chunk_bytes_of(how_));
  job.in_order = job.cut.cuts(axis);
  // What a chunk ends with, where the result cannot tell: it has another dtype.
  Shape row = a.shape();
  row[axis] = 1;
  const bool narrowed = result.dtype() != dtype;
  const std::string of_one(name(dtype));
  const std::string loop = of_one + ", " + of_one + " -> " + of_one;
  const Array last = narrowed ? Array::empty(row, dtype) : Array();
  const chunk::Operand rows = chunk::broadcast_operand(narrowed ? last : result, a.shape());
  call::stoppable(impl.name(), ".accumulate", options, [&] {
    chunk::run(job, how_, [&](const chunk::Chunk& chunk) {
      const std::int64_t begin = chunk.box.begin[axis];
      const bool carries = begin > 0;
      const Array elements = carries || narrowed ? chunk.inputs[0].astype(dtype) : chunk.inputs[0];
      const Array to = narrowed ? elements : chunk.outputs[0];
      const chunk::Operand own = chunk::broadcast_operand(elements, elements.shape());
      const chunk::Box whole{Dims(row.size(), 0), elements.shape()};
      if (carries) {
        // The chunk's first elements are not its own but what the results so far make of them.
        const Array first = chunk::row_of(own, whole, axis, 0);
        const Array before = narrowed ? rows.at(chunk.box) : chunk::row_of(job.outputs[0], chunk.box, axis, begin - 1);
        const Arg pair[] = {before, first};
        Array written;
        ufunc::Call(impl, pair, {.out = first, .stream = chunk.stream, .signature = loop}).run({&written, 1});
        chunk.stream.synchronize();
      }
      const Arg whole_chunk(elements);
      const AccumulateOptions of_chunk{.axis = static_cast<int>(axis), .dtype = dtype, .out = to, .stream = chunk.stream};
      static_cast<void>(ufunc::AccumulateCall(impl, whole_chunk, of_chunk).run());
      if (!narrowed) return;
      chunk.stream.synchronize();
      chunk.outputs[0].assign(elements, Casting::unsafe);
      rows.at(chunk.box).assign(chunk::row_of(own, whole, axis, elements.shape()[axis] - 1));
    });
  });
  return result;
}

}  // namespace kiln
