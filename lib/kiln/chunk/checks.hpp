// What chunked calls of every kind ask of their arrays.
#pragma once

#include <span>
#include <string>

#include "base/function_ref.hpp"
#include "call/place.hpp"
#include "chunk/operand.hpp"
#include "kiln/arg.hpp"
#include "kiln/chunked.hpp"

namespace kiln::chunk {

/// "input 1 (b)", of an operand by its number, inputs first.
using NameOf = base::FunctionRef<std::string(std::size_t)>;

/// TypeError for options that cannot be.
void check_options(const std::string& what, const ChunkOptions& options);

/// TypeError, which begins with `what`, for arrays that are on a device, for a stream, and for a device.
void check_host(const std::string& what, std::span<const Arg> args, const Array& where, std::span<const Array> out,
                const call::Context& context, NameOf name_of);

/// ShapeError where an output shares memory with an input or the mask, but for the same window where `by_element`: another
/// chunk would read what is written.
void check_overlap(const std::string& what, std::span<const Arg> args, const Array& where, std::span<const Array> out,
                   bool by_element, NameOf name_of);

}  // namespace kiln::chunk
