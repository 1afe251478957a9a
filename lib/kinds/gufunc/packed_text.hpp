// The kernels of generalized ufuncs that bring items which lie side by side into a buffer on a CPU:
// kernels-src/gufunc/packed_cpu.hpp.
#pragma once

#include <cstdint>
#include <string>

#include "kinds/spec.hpp"

namespace kiln::kinds {

/// The room that such a kernel has on its stack.
inline constexpr std::int64_t kBytesBrought = 128 * 1024;

/// Whether the operand's items are brought: they lie apart, each another one.
[[nodiscard]] bool is_brought(const GufuncSpec& spec, const CoreOperandSpec& operand);

/// The spec as bodies see it: what is brought lies in one piece.
[[nodiscard]] GufuncSpec as_brought(const GufuncSpec& spec);

/// Bytes from one item to the next in a buffer. Not of a multiple of a page's: lines of several items would have one place in
/// the cache. Pure.
[[nodiscard]] std::int64_t brought_step(std::int64_t bytes);

/// `item` calls the body for an item: "one(c<arguments>)" and the like with operands named p0, p1, …
[[nodiscard]] std::string brought_kernel(const GufuncSpec& spec, const std::string& item);

}  // namespace kiln::kinds
