// Chunked reductions. Chunks along axes that stay are independent; chunks along reduced axes leave states, of which a last
// reduction makes the results.
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
#include "reduce/two_steps.hpp"

namespace kiln {
namespace chunk {
namespace {

using TwoStepsOf = base::FunctionRef<reduce::TwoSteps(const ufunc::Loop&)>;

std::string dtypes_text(std::span<const DType> dtypes) {
  std::string text;
  for (const DType dtype : dtypes) text += (text.empty() ? "" : ", ") + std::string(name(dtype));
  return text;
}

/// One chunked call.
class ReductionCall {
 public:
  ReductionCall(const reduce::Target& target, std::span<const Arg> args, const reduce::Options& options,
                const ChunkOptions& how)
      : target_(target),
        arrays_(args, options.where, options.out),
        args_(arrays_.args),
        options_(options),
        how_(how),
        whole_(target, args_, options) {}

  void run(std::span<Array> results, TwoStepsOf in_two_steps) {
    results = arrays_.results_or_own(results);
    const auto name_of = [&](std::size_t k) { return target_.operand_name(k); };
    check_host(target_.what(), args_, arrays_.where, arrays_.out, {options_.stream, options_.device}, name_of);
    const Resolution resolution = whole_.resolve();
    if (resolution.variant == "empty") return reduce::Call(target_, args_, options_).run(results);
    check_overlap(target_.what(), args_, arrays_.where, arrays_.out, false, name_of);
    for (const Arg& arg : args_) {
      if (arg.is_array()) inputs_.push_back(broadcast_operand(arg.array(), whole_.whole()));
    }
    if (arrays_.where.valid()) inputs_.push_back(broadcast_operand(arrays_.where, whole_.whole()));
    for (std::size_t o = 0; o < results.size(); ++o) {
      results[o] = o < arrays_.out.size() ? arrays_.out[o] : Array();
      if (!results[o].valid()) results[o] = Array::empty(resolution.shape, whole_.loop().outputs[o]);
    }
    Job job{.what = target_.what(), .inputs = inputs_, .outputs = {}, .cut = cut(results)};
    if (states_of(job.cut) == 1) {
      for (const Array& result : results) job.outputs.push_back(result_operand(result));
      run_chunks(job, target_, options_.initial, [](const Chunk& chunk) { return chunk.outputs; });
      return;
    }
    const reduce::TwoSteps steps = in_two_steps(whole_.loop());
    std::vector<Arg> states;
    Shape shape{states_of(job.cut)};
    for (const std::int64_t extent : resolution.shape) shape.push_back(extent);
    for (const DType dtype : steps.states) states.emplace_back(Array::empty(shape, dtype));
    const Stream stream(devices_of(how_).front());
    static const Axes first = 0;
    // The dtype of a method's results would be widened again.
    const ufunc::LoopOptions loop = steps.combine->maps() ? ufunc::LoopOptions{.casting = options_.loop.casting}
                                                          : ufunc::LoopOptions{.dtype = steps.states.front()};
    const std::vector<ArrayArg> outputs(results.begin(), results.end());
    const reduce::Options last{.axis = first,
                               .keepdims = false,
                               .initial = options_.initial,
                               .where = call::kNoMask,
                               .out = outputs,
                               .loop = loop,
                               .stream = stream,
                               .stop = options_.stop};
    // What does not compile is reported before anything is computed.
    static_cast<void>(reduce::Call(*steps.combine, states, last).compiled());
    part_dtype_ = steps.states.front();
    part_loop_ = dtypes_text(whole_.loop().inputs) + " -> " + dtypes_text(steps.states);
    run_chunks(job, *steps.part, std::nullopt, [&](const Chunk& chunk) { return states_of(states, job.cut, chunk.box); });
    std::vector<Array> written(results.size());
    reduce::Call(*steps.combine, states, last).run(written);
    stream.synchronize();
  }

 private:
  /// In the memory's order, unless the states were then more than a chunk.
  [[nodiscard]] Cut cut(std::span<const Array> results) const {
    const Shape& loop = whole_.whole();
    const std::int64_t chunk_bytes = chunk_bytes_of(how_);
    std::int64_t result_bytes = 0;
    for (const Array& result : results) result_bytes += result.nbytes();
    const std::int64_t bytes = bytes_of(inputs_) + result_bytes;
    std::vector<std::size_t> kept;
    std::vector<std::size_t> reduced;
    for (std::size_t d = 0; d < loop.size(); ++d) (whole_.reduced()[d] == 0 ? kept : reduced).push_back(d);
    kept = memory_order(std::move(kept), inputs_);
    // A part of nothing but masked elements is the identity, which must then be one that may be combined.
    const bool in_parts = target_.reorderable() && (!options_.where.valid() || target_.prepends_identity());
    if (!in_parts) return {loop, kept, bytes, chunk_bytes};
    const Cut by_memory(loop, memory_order(all_axes_of(loop), inputs_), bytes, chunk_bytes);
    if (states_of(by_memory) * result_bytes <= chunk_bytes) return by_memory;
    reduced = memory_order(std::move(reduced), inputs_);
    kept.insert(kept.end(), reduced.begin(), reduced.end());
    return {loop, kept, bytes, chunk_bytes};
  }

  /// Chunks that share an output.
  [[nodiscard]] std::int64_t states_of(const Cut& cut) const {
    std::int64_t parts = 1;
    for (std::size_t d = 0; d < whole_.reduced().size(); ++d) parts *= whole_.reduced()[d] != 0 ? cut.parts(d) : 1;
    return parts;
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

  /// Where a chunk puts its states: in the order of the chunks along the reduced axes.
  [[nodiscard]] std::vector<Array> states_of(std::span<const Arg> states, const Cut& cut, const Box& box) const {
    std::int64_t number = 0;
    for (std::size_t d = 0; d < whole_.reduced().size(); ++d) {
      if (whole_.reduced()[d] != 0) number = number * cut.parts(d) + cut.part(d, box);
    }
    std::vector<Array> parts;
    for (const Arg& state : states) parts.push_back(result_operand(state.array()[number]).at(box));
    return parts;
  }

  void run_chunks(const Job& job, const reduce::Target& target, const std::optional<Arg>& initial,
                  base::FunctionRef<std::vector<Array>(const Chunk&)> outputs_of) const {
    Dims steps(whole_.reduced().size(), 0);
    std::int64_t step = 1;
    for (std::size_t d = steps.size(); d-- > 0;) {
      if (whole_.reduced()[d] == 0) continue;
      steps[d] = step;
      step *= whole_.whole()[d];
    }
    // A part's one loop is the call's, whatever chose it; a method's may be wider.
    const bool same = &target == &target_;
    const ufunc::LoopOptions loop = same ? options_.loop
                                    : !target.maps()
                                        ? ufunc::LoopOptions{.dtype = part_dtype_}
                                        : ufunc::LoopOptions{.casting = options_.loop.casting, .signature = part_loop_};
    chunk::run(job, how_, options_.stop, [&](const Chunk& chunk) {
      const std::vector<Arg> parts = arguments_of(chunk, args_);
      reduce::Numbers numbers{0, steps};
      for (std::size_t d = 0; d < steps.size(); ++d) numbers.first += chunk.box.begin[d] * steps[d];
      const std::vector<Array> arrays = outputs_of(chunk);
      const std::vector<ArrayArg> outputs(arrays.begin(), arrays.end());
      const ArrayArg mask = arrays_.where.valid() ? ArrayArg(chunk.inputs.back()) : ArrayArg();
      const reduce::Options of_chunk{.axis = options_.axis,
                                     .keepdims = options_.keepdims,
                                     .initial = initial,
                                     .where = mask,
                                     .out = outputs,
                                     .loop = loop,
                                     .stream = chunk.stream,
                                     .stop = options_.stop,
                                     .numbers = &numbers};
      std::vector<Array> written(outputs.size());
      reduce::Call(target, parts, of_chunk).run(written);
    });
  }

  const reduce::Target& target_;
  call::ArraysOf arrays_;
  std::span<const Arg> args_;
  const reduce::Options& options_;
  const ChunkOptions& how_;
  reduce::Call whole_;
  std::vector<Operand> inputs_;
  std::string part_loop_;
  std::optional<DType> part_dtype_;
};

Array reduce(const Ufunc& function, const ChunkOptions& how, const Array& a, const ReduceOptions& options,
             const backend::StopRequest* stop) {
  const Arg arg(a);
  Array result;
  const reduce::Method method(*function.impl());
  const reduce::Options given = reduce::options_of(options, stop);
  ReductionCall(method, {&arg, 1}, given, how).run({&result, 1}, [&](const ufunc::Loop& loop) {
    return reduce::in_two_steps(function.impl(), loop);
  });
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
  ReductionCall(*function.impl(), args, given, how).run(results, [&](const ufunc::Loop& loop) {
    return reduce::in_two_steps(function.impl(), loop);
  });
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
