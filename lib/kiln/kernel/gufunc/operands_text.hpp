// What the kernels of generalized ufuncs share on all targets: from the addresses of an item's cores to a call of the body.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/gufunc/spec.hpp"
#include "source/user_text.hpp"

namespace kiln::kinds {

/// Inputs, then outputs.
[[nodiscard]] std::vector<const CoreOperandSpec*> operands_of(const GufuncSpec& spec);

/// A view in the body, and not a value.
[[nodiscard]] bool is_view(const CoreOperandSpec& operand);

/// Whether it is read or written through an address: all but scalar arguments.
[[nodiscard]] bool in_memory(const CoreOperandSpec& operand);

/// The stride along one of its core dimensions, where the kernel knows it.
[[nodiscard]] std::optional<std::int64_t> known_stride(const GufuncSpec& spec, const CoreOperandSpec& operand,
                                                       std::size_t axis);

/// "core", the sizes and strides that only the launch knows, and "one(c, p0, …, e0, …)", which calls the body for an item, or
/// for one index of each of .each, a function of that kind. Stands in namespace kiln::loops. `restricts`: said of outputs that
/// only this call accesses.
[[nodiscard]] std::string gufunc_members(const GufuncSpec& spec, const codegen::UserText& text, const char* kind,
                                         const char* restricts = "__restrict__");

/// Strides that `core` has: the core dimensions of all operands.
[[nodiscard]] std::size_t core_strides_of(const GufuncSpec& spec);

/// On the CPU: fills a `core` named c from the launch.
[[nodiscard]] std::string launch_numbers(const GufuncSpec& spec);

/// An expression for the size of a core dimension, by the name of a `core`.
[[nodiscard]] std::string size_of(const GufuncSpec& spec, std::size_t dimension, const char* core);

}  // namespace kiln::kinds
