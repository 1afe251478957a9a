// Calls as users make them: whole, and where a GPU has no room for what the host's arrays need there, in chunks.
#include <algorithm>
#include <exception>
#include <utility>

#include "call/operands.hpp"
#include "call/place.hpp"
#include "call/stoppable.hpp"
#include "chunk/checks.hpp"
#include "device/capture.hpp"
#include "device/out_of_memory.hpp"
#include "gufunc/call.hpp"
#include "kiln/chunked.hpp"
#include "reduce/call.hpp"
#include "reduce/impl.hpp"
#include "reduce/method.hpp"
#include "ufunc/accumulate.hpp"
#include "ufunc/call.hpp"

namespace kiln {
namespace {

bool on_host(std::span<const Arg> args, const Array& where, std::span<const Array> out) {
  const auto is_host = [](const Array& array) { return !array.valid() || array.is_host(); };
  return std::all_of(args.begin(), args.end(), [&](const Arg& arg) { return is_host(arg.array()); }) && is_host(where) &&
         std::all_of(out.begin(), out.end(), is_host);
}

/// From here on chunks pay: several of them are copied to and from a GPU at once.
constexpr std::int64_t kChunksFrom = std::int64_t{128} << 20;

/// Whether a call whose results do not depend on chunks is quicker in them.
bool gains(std::span<const Arg> args, const Array& where, std::span<const Array> out, const call::Wanted& wanted,
           bool by_element) {
  std::int64_t bytes = 0;
  const auto add = [&](const Array& array) {
    if (array.valid()) bytes += array.nbytes();
  };
  for (const Arg& arg : args) add(arg.array());
  for (const Array& array : out) add(array);
  if (bytes < kChunksFrom || !on_host(args, where, out)) return false;
  const Device device = call::host_place(wanted);
  return !device.is_cpu() && backend::Capture::current() == nullptr && !chunk::overlap(args, where, out, by_element);
}

/// `whole()`, else `in_chunks(how)`. Nothing has been written where the first ends without memory: results of host arrays are
/// fetched last. `chunks`: those at once.
template <class Options, class Whole, class InChunks>
void whole_or_in_chunks(std::span<const Arg> args, const Array& where, std::span<const Array> out, const Options& options,
                        bool chunks, std::span<Array> results, const Whole& whole, const InChunks& in_chunks) {
  std::exception_ptr no_memory;
  try {
    if (!chunks) return whole();
  } catch (const backend::OutOfMemory&) {
    if (!on_host(args, where, out)) throw;
    no_memory = std::current_exception();
  }
  for (Array& result : results) result = Array();
  // The chunks' streams are not ordered after the caller's.
  if (!options.stream.is_default()) options.stream.synchronize();
  ChunkOptions how;
  if (!options.stream.is_default() || options.device) how.devices = {call::host_place({options.stream, options.device})};
  Options own = options;
  own.stream = Stream();
  own.device.reset();
  try {
    in_chunks(how, own);
  } catch (const ShapeError&) {  // what has no chunks
    if (no_memory) std::rethrow_exception(no_memory);
    throw;
  } catch (const TypeError&) {
    if (no_memory) std::rethrow_exception(no_memory);
    throw;
  }
}

}  // namespace

void Ufunc::call(std::span<const Arg> args, const CallOptions* options, std::span<Array> results) const {
  static const CallOptions none;
  const CallOptions& given = options != nullptr ? *options : none;
  call::check_results_wanted(impl_->name(), impl_->nout(), results.size());
  // With a mask a chunk's outputs are read, too, and count twice.
  const bool fit = !given.where.valid() || args.size() + 1 + 2 * results.size() <= call::Operands::kMax;
  const bool chunks = fit && gains(args, given.where, given.out.arrays(), {given.stream, given.device}, true);
  call::stoppable(impl_->name(), "", given, [&] {
    whole_or_in_chunks(
        args, given.where, given.out.arrays(), given, chunks, results, [&] { ufunc::Call(*impl_, args, given).run(results); },
        [&](const ChunkOptions& how, const CallOptions& own) { chunked(*this, how).call(args, &own, results); });
  });
}

Array Ufunc::reduce(const Array& a, const ReduceOptions& options) const {
  const Arg arg(a);
  const std::span<const Array> out(&options.out, options.out.valid() ? 1 : 0);
  Array result;
  call::stoppable(impl_->name(), ".reduce", options, [&] {
    whole_or_in_chunks(
        {&arg, 1}, options.where, out, options, false, {&result, 1}, [&] { result = reduce::reduce(*impl_, a, options); },
        [&](const ChunkOptions& how, const ReduceOptions& own) { result = chunked(*this, how).reduce(a, own); });
  });
  return result;
}

Array Ufunc::accumulate(const Array& a, const AccumulateOptions& options) const {
  const Arg arg(a);
  const std::span<const Array> out(&options.out, options.out.valid() ? 1 : 0);
  Array result;
  call::stoppable(impl_->name(), ".accumulate", options, [&] {
    whole_or_in_chunks(
        {&arg, 1}, Array(), out, options, false, {&result, 1},
        [&] { result = ufunc::AccumulateCall(*impl_, arg, options).run(); },
        [&](const ChunkOptions& how, const AccumulateOptions& own) { result = chunked(*this, how).accumulate(a, own); });
  });
  return result;
}

void Gufunc::call(std::span<const Arg> args, const GufuncOptions* options, std::span<Array> results) const {
  static const GufuncOptions none;
  const GufuncOptions& given = options != nullptr ? *options : none;
  call::check_results_wanted(impl_->name(), impl_->nout(), results.size());
  const bool chunks = gains(args, given.where, given.out.arrays(), {given.stream, given.device}, false);
  call::stoppable(impl_->name(), "", given, [&] {
    whole_or_in_chunks(
        args, given.where, given.out.arrays(), given, chunks, results, [&] { gufunc::Call(*impl_, args, given).run(results); },
        [&](const ChunkOptions& how, const GufuncOptions& own) { chunked(*this, how).call(args, &own, results); });
  });
}

void Reduction::call(std::span<const Arg> args, const ReductionOptions* options, std::span<Array> results) const {
  static const ReductionOptions none;
  const ReductionOptions& given = options != nullptr ? *options : none;
  call::check_results_wanted(name(), impl_->loops().nout(), results.size());
  call::stoppable(name(), "", given, [&] {
    whole_or_in_chunks(
        args, given.where, given.out.arrays(), given, false, results,
        [&] {
          const reduce::Options view = reduce::options_of(given);
          reduce::Call(*impl_, args, view).run(results);
        },
        [&](const ChunkOptions& how, const ReductionOptions& own) { chunked(*this, how).call(args, &own, results); });
  });
}

}  // namespace kiln
