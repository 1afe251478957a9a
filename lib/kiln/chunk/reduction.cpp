// Chunked reductions. Each chunk leaves the accumulators of a part, and those that share outputs are combined:
// reduce/partial.hpp. What is not reorderable is cut along the axes that stay, and each chunk is a call.
#include <map>
#include <optional>
#include <utility>

#include "array/rep.hpp"
#include "call/arrays_of.hpp"
#include "call/operands.hpp"
#include "call/stoppable.hpp"
#include "chunk/checks.hpp"
#include "chunk/pipeline.hpp"
#include "kiln/chunked.hpp"
#include "kiln/error.hpp"
#include "reduce/call.hpp"
#include "reduce/in_chunks.hpp"
#include "reduce/method.hpp"
#include "reduce/partial.hpp"

namespace kiln {
namespace chunk {
namespace {

/// What is reduced in chunks.
struct Function {
  const reduce::Target& target;
  base::FunctionRef<bool(const ufunc::Loop&)> has_parts;
  base::FunctionRef<std::shared_ptr<const reduce::PartialFunction>(const ufunc::Loop&)> parts;
};

/// A view with as many axes as `order`, which says which axis of the loop each of them is.
Array permuted(const Array& array, std::span<const std::size_t> order) {
  detail::ArrayRep rep = detail::view_rep(array);
  const std::size_t missing = order.size() - rep.shape.size();
  Shape shape;
  Dims strides(order.size(), 0);
  for (std::size_t d = 0; d < order.size(); ++d) {
    shape.push_back(order[d] < missing ? 1 : rep.shape[order[d] - missing]);
    if (order[d] >= missing) strides[d] = rep.strides[order[d] - missing];
  }
  rep.shape = shape;
  rep.strides = strides;
  return detail::make_array(std::move(rep));
}

/// One chunked call.
class ReductionCall {
 public:
  ReductionCall(const Function& function, std::span<const Arg> args, const reduce::Options& options, const ChunkOptions& how)
      : function_(function),
        target_(function.target),
        arrays_(args, options.where, options.out),
        args_(arrays_.args),
        options_(options),
        how_(how),
        whole_(target_, args_, options) {}

  void run(std::span<Array> results) {
    results = arrays_.results_or_own(results);
    const auto name_of = [&](std::size_t k) { return target_.operand_name(k); };
    check_host(target_.what(), args_, arrays_.where, arrays_.out, {options_.stream, options_.device}, name_of);
    const Resolution resolution = whole_.resolve();
    if (resolution.variant == "empty") return reduce::Call(target_, args_, options_).run(results);
    check_overlap(target_.what(), args_, arrays_.where, arrays_.out, false, name_of);
    for (std::size_t o = 0; o < results.size(); ++o) {
      results[o] = o < arrays_.out.size() ? arrays_.out[o] : Array();
      if (!results[o].valid()) results[o] = Array::empty(resolution.shape, whole_.loop().outputs[o]);
    }
    find_inputs();
    const bool has_parts = target_.reorderable() && function_.has_parts(whole_.loop());
    Job job{.what = target_.what(), .inputs = inputs_, .outputs = {}, .cut = cut(results)};
    for (const Array& result : results) job.outputs.push_back(result_operand(result));
    if (target_.reorderable() && (has_parts || cuts_reduced(job.cut))) return run_parts(job, results);
    run_whole(job);
  }

 private:
  /// As arrays of the loop's axes. Those that are reduced come in the order of the memory, so that a chunk is one range of
  /// numbers.
  void find_inputs() {
    std::vector<Array> arrays;
    for (const Arg& arg : args_) {
      if (arg.is_array()) arrays.push_back(arg.array());
    }
    if (arrays_.where.valid()) arrays.push_back(arrays_.where);
    loop_ = whole_.whole();
    for (const Array& array : arrays) inputs_.push_back(broadcast_operand(array, loop_));
    const Dims& reduced = whole_.reduced();
    std::vector<std::size_t> places;
    for (std::size_t d = 0; d < loop_.size(); ++d) {
      if (reduced[d] != 0) places.push_back(d);
    }
    const std::vector<std::size_t> by_memory = memory_order(places, inputs_);
    std::vector<std::size_t> order = all_axes_of(loop_);
    for (std::size_t i = 0; i < places.size(); ++i) order[places[i]] = by_memory[i];
    numbers_ = Dims(loop_.size(), 0);
    std::int64_t step = 1;
    for (std::size_t d = loop_.size(); d-- > 0;) {
      if (reduced[d] == 0) continue;
      numbers_[d] = step;
      step *= loop_[d];
    }
    if (by_memory == places) return;
    inputs_.clear();
    const Shape loop = loop_;
    const Dims numbers = numbers_;
    for (std::size_t d = 0; d < order.size(); ++d) {
      loop_[d] = loop[order[d]];
      numbers_[d] = numbers[order[d]];
    }
    for (const Array& array : arrays) inputs_.push_back(broadcast_operand(permuted(array, order), loop_));
  }

  /// In the memory's order, unless the accumulators were then more than a chunk.
  [[nodiscard]] Cut cut(std::span<const Array> results) const {
    const std::int64_t chunk_bytes = chunk_bytes_of(how_);
    std::int64_t result_bytes = 0;
    for (const Array& result : results) result_bytes += result.nbytes();
    const std::int64_t bytes = bytes_of(inputs_) + result_bytes;
    std::vector<std::size_t> kept;
    std::vector<std::size_t> reduced;
    for (std::size_t d = 0; d < loop_.size(); ++d) (whole_.reduced()[d] == 0 ? kept : reduced).push_back(d);
    kept = memory_order(std::move(kept), inputs_);
    if (!target_.reorderable()) return {loop_, kept, bytes, chunk_bytes};
    std::optional<std::size_t> last;
    if (!reduced.empty()) last = reduced.back();
    const Cut by_memory(loop_, memory_order(all_axes_of(loop_), inputs_), bytes, chunk_bytes, last);
    if (nodes_of(by_memory) * result_bytes <= chunk_bytes) return by_memory;
    kept.insert(kept.end(), reduced.begin(), reduced.end());
    return {loop_, kept, bytes, chunk_bytes, last};
  }

  [[nodiscard]] bool cuts_reduced(const Cut& cut) const {
    for (std::size_t d = 0; d < loop_.size(); ++d) {
      if (whole_.reduced()[d] != 0 && cut.cuts(d)) return true;
    }
    return false;
  }

  /// A box's elements, without their accumulators.
  [[nodiscard]] detail::PartialImpl part_of(const Box& box) const {
    detail::PartialImpl part;
    std::int64_t step = 1;
    part.end = 1;
    for (std::size_t d = 0; d < loop_.size(); ++d) {
      if (whole_.reduced()[d] == 0) part.kept.push_back(box.end[d] - box.begin[d]);
    }
    for (std::size_t d = loop_.size(); d-- > 0;) {
      if (whole_.reduced()[d] == 0) continue;
      const std::int64_t extent = box.end[d] - box.begin[d];
      part.begin += box.begin[d] * step;
      part.end *= extent;
      step *= loop_[d];
    }
    part.size = step;
    part.end += part.begin;
    for (const std::int64_t each : whole_.reduced()) part.axes.push_back(each != 0);
    return part;
  }

  /// Which of the boxes that have different outputs it is.
  [[nodiscard]] std::int64_t number_of_outputs(const Cut& cut, const Box& box) const {
    std::int64_t number = 0;
    for (std::size_t d = 0; d < loop_.size(); ++d) {
      if (whole_.reduced()[d] == 0) number = number * cut.parts(d) + cut.part(d, box);
    }
    return number;
  }

  /// Accumulators of an output before they are combined.
  [[nodiscard]] std::int64_t nodes_of(const Cut& cut) const {
    std::int64_t nodes = 0;
    for (std::int64_t chunk = 0; chunk < cut.count(); ++chunk) {
      const Box box = cut.box(chunk);
      if (number_of_outputs(cut, box) == 0) nodes += std::ssize(part_of(box).nodes());
    }
    return nodes;
  }

  [[nodiscard]] Operand result_operand(const Array& result) const {
    const Dims& reduced = whole_.reduced();
    Dims axes(reduced.size(), -1);
    std::int64_t next = 0;
    for (std::size_t d = 0; d < reduced.size(); ++d) {
      if (reduced[d] == 0) axes[d] = next;
      if (reduced[d] == 0 || options_.keepdims) ++next;
    }
    return {result, std::move(axes)};
  }

  /// Compute(arguments, options, chunk) for each chunk.
  template <class Compute>
  void run_chunks(const Job& job, const std::optional<Arg>& initial, const Compute& compute) const {
    chunk::run(job, how_, options_.stop, [&](const Chunk& chunk) {
      const std::vector<Arg> args = arguments_of(chunk, args_);
      reduce::Numbers numbers{0, numbers_};
      for (std::size_t d = 0; d < numbers_.size(); ++d) numbers.first += chunk.box.begin[d] * numbers_[d];
      const std::vector<ArrayArg> outputs(chunk.outputs.begin(), chunk.outputs.end());
      const ArrayArg mask = arrays_.where.valid() ? ArrayArg(chunk.inputs.back()) : ArrayArg();
      compute(args,
              reduce::Options{.axis = options_.axis,
                              .keepdims = options_.keepdims,
                              .initial = initial,
                              .where = mask,
                              .out = outputs,
                              .loop = options_.loop,
                              .stream = chunk.stream,
                              .stop = options_.stop,
                              .numbers = &numbers},
              chunk);
    });
  }

  void run_whole(const Job& job) const {
    run_chunks(job, options_.initial, [&](std::span<const Arg> args, const reduce::Options& options, const Chunk&) {
      std::vector<Array> written(options.out.size());
      reduce::Call(target_, args, options).run(written);
    });
  }

  /// What does not compile is reported before anything is computed.
  void check_finish(const reduce::PartialFunction& function) const {
    std::vector<Arg> states;
    for (const DType dtype : function.steps.states) states.emplace_back(Array::empty({1}, dtype));
    static const Axes first = 0;
    const Stream stream(devices_of(how_).front());
    static_cast<void>(reduce::Call(*function.steps.finish, states,
                                   reduce::Options{.axis = first,
                                                   .keepdims = false,
                                                   .initial = options_.initial,
                                                   .where = call::kNoMask,
                                                   .out = {},
                                                   .loop = {},
                                                   .stream = stream})
                          .compiled());
  }

  /// By the tree over all elements: the same results whatever the chunks, and whoever computes them.
  void run_parts(const Job& job, std::span<const Array> results) const {
    const std::shared_ptr<const reduce::PartialFunction> function = function_.parts(whole_.loop());
    check_finish(*function);
    std::vector<std::shared_ptr<const detail::PartialImpl>> parts(static_cast<std::size_t>(job.cut.count()));
    static const std::optional<Arg> none;
    run_chunks(job, none, [&](std::span<const Arg> args, const reduce::Options& options, const Chunk& chunk) {
      auto part = std::make_shared<detail::PartialImpl>(part_of(chunk.box));
      part->function = function;
      part->device = devices_of(how_).front();
      Shape extents;
      for (std::size_t d = 0; d < loop_.size(); ++d) extents.push_back(chunk.box.end[d] - chunk.box.begin[d]);
      reduce::compute(*part, args, options, *options.numbers, extents, true);
      parts[static_cast<std::size_t>(chunk.number)] = std::move(part);
    });
    struct Output {
      Box box;
      std::shared_ptr<const detail::PartialImpl> part;
    };
    std::map<std::int64_t, Output> outputs;
    for (std::int64_t chunk = 0; chunk < job.cut.count(); ++chunk) {
      const Box box = job.cut.box(chunk);
      const std::shared_ptr<const detail::PartialImpl> next = std::move(parts[static_cast<std::size_t>(chunk)]);
      Output& output = outputs.try_emplace(number_of_outputs(job.cut, box), Output{box, nullptr}).first->second;
      output.part = output.part == nullptr ? next : reduce::combined(output.part, next);
    }
    for (const auto& [number, output] : outputs) {
      const std::vector<Array> made =
          reduce::finished(*output.part, {.keepdims = options_.keepdims, .initial = options_.initial});
      for (std::size_t o = 0; o < results.size(); ++o) {
        result_operand(results[o]).at(output.box).assign(made[o], options_.loop.casting);
      }
    }
  }

  Function function_;
  const reduce::Target& target_;
  call::ArraysOf arrays_;
  std::span<const Arg> args_;
  const reduce::Options& options_;
  const ChunkOptions& how_;
  reduce::Call whole_;
  Shape loop_;
  Dims numbers_;  // of an element: steps along the axes
  std::vector<Operand> inputs_;
};

Array reduce(const Ufunc& function, const ChunkOptions& how, const Array& a, const ReduceOptions& options,
             const backend::StopRequest* stop) {
  const Arg arg(a);
  Array result;
  const reduce::Method method(*function.impl());
  const reduce::Options given = reduce::options_of(options, stop);
  const auto always = [](const ufunc::Loop&) { return true; };
  const auto parts = [&](const ufunc::Loop& loop) { return reduce::partial_function(function.impl(), loop); };
  ReductionCall({method, always, parts}, {&arg, 1}, given, how).run({&result, 1});
  return result;
}

void call_reduction(const Reduction& function, const ChunkOptions& how, std::span<const Arg> args,
                    const ReductionOptions& options, const backend::StopRequest* stop, std::span<Array> results) {
  const reduce::Options given = reduce::options_of(options, stop);
  if (function.impl()->only_whole()) {
    throw TypeError(function.name() +
                    ", in chunks: its texts see more than elements (raw inputs, places, what outputs hold, or "
                    "accumulators of a type that no array has), and a chunk has a part of the arrays; call it whole");
  }
  const auto has_parts = [&](const ufunc::Loop& loop) { return reduce::has_partial_steps(*function.impl(), loop); };
  const auto parts = [&](const ufunc::Loop& loop) { return reduce::partial_function(function.impl(), loop); };
  ReductionCall({*function.impl(), has_parts, parts}, args, given, how).run(results);
}

[[maybe_unused]] const bool provides_reductions =
    reduce::reduce_in_chunks.provide(
        [](const Ufunc& function, const std::optional<Device>& device, const Array& a, const ReduceOptions& options,
           const backend::StopRequest* stop) { return reduce(function, chunks_on(device), a, options, stop); }) &&
    reduce::call_in_chunks.provide(
        [](const Reduction& function, const std::optional<Device>& device, std::span<const Arg> args,
           const ReductionOptions& options, const backend::StopRequest* stop,
           std::span<Array> results) { call_reduction(function, chunks_on(device), args, options, stop, results); });

}  // namespace
}  // namespace chunk

Array ChunkedUfunc::reduce(const Array& a, const ReduceOptions& options) const {
  return call::stoppable(function_.name(), ".reduce", options,
                         [&](const backend::StopRequest* stop) { return chunk::reduce(function_, how_, a, options, stop); });
}

ChunkedReduction::ChunkedReduction(Reduction function, ChunkOptions options)
    : function_(std::move(function)), how_(std::move(options)) {
  chunk::check_options(function_.name(), how_);
}

void ChunkedReduction::call(std::span<const Arg> args, const ReductionOptions* given, std::span<Array> results) const {
  static const ReductionOptions none;
  const ReductionOptions& options = given != nullptr ? *given : none;
  call::check_results_wanted(function_.name(), static_cast<std::size_t>(function_.nout()), results.size(), options.out);
  call::stoppable(function_.name(), "", options, [&](const backend::StopRequest* stop) {
    chunk::call_reduction(function_, how_, args, options, stop, results);
  });
}

ChunkedReduction chunked(const Reduction& function, ChunkOptions options) {
  return {function, std::move(options)};
}

}  // namespace kiln
