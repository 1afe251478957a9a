// Whether a call on host arrays is computed whole or in chunks: in chunks where a GPU has no room for what it needs there, and
// where chunks are quicker.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <span>

#include "call/place.hpp"
#include "device/out_of_memory.hpp"
#include "kiln/arg.hpp"
#include "kiln/array.hpp"
#include "kiln/error.hpp"

namespace kiln::call {

/// Whether the input and the output share memory, other than the same window where `by_element`. Handles may be empty.
[[nodiscard]] bool overlaps(const Array& input, const Array& output, bool by_element);

/// Whether all of a call's arrays are host arrays.
[[nodiscard]] bool on_host(std::span<const Arg> args, const ArrayArg& where, std::span<const ArrayArg> out);

/// Whether a call whose results do not depend on chunks is quicker in them.
[[nodiscard]] bool chunks_gain(std::span<const Arg> args, const ArrayArg& where, std::span<const ArrayArg> out,
                               const Context& context, bool by_element);

/// `whole()`, or `in_chunks(device, options)`: at once where `chunks`, else where `whole()` finds no memory on a GPU. Nothing
/// has been written then, since results of host arrays are fetched last.
template <class Options, class Whole, class InChunks>
void whole_or_in_chunks(std::span<const Arg> args, const ArrayArg& where, std::span<const ArrayArg> out, const Options& options,
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
  std::optional<Device> device;
  if (!options.stream.is_default() || options.device) device = host_place({options.stream, options.device});
  Options own = options;
  own.stream = Stream();
  own.device.reset();
  try {
    in_chunks(device, own);
  } catch (const ShapeError&) {  // what has no chunks
    if (no_memory) std::rethrow_exception(no_memory);
    throw;
  } catch (const TypeError&) {
    if (no_memory) std::rethrow_exception(no_memory);
    throw;
  }
}

}  // namespace kiln::call
