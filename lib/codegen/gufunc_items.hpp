// The kernels of generalized ufuncs that compute several items at once on a CPU: kernels-src/gufunc_items.hpp.
#pragma once

#include <cstdint>
#include <string>

#include "codegen/spec.hpp"

namespace kiln::codegen {

/// Items that one run of the body computes: a vector of 64 bytes of float32.
inline constexpr int kItemsAtOnce = 16;
/// The room that a kernel has for their cores: a first-level cache. Beyond, items go one by one: matrix products of 16 × 16, 48
/// KB, take 136 ns so and 373 several at once.
inline constexpr std::int64_t kBytesOfItems = 32 * 1024;

/// Whether the spec is of such a kernel.
[[nodiscard]] bool takes_items(const GufuncSpec& spec);
/// The type of a view of several items' cores, whose elements are vectors, in C order.
[[nodiscard]] std::string wide_view_text(const GufuncSpec& spec, const CoreOperandSpec& operand, std::size_t number,
                                         bool output);
/// The type of the parameter that the body has it as.
[[nodiscard]] std::string wide_type(const CoreOperandSpec& operand, std::size_t number, bool output);
/// "several<N>(c, p, step, pool, keeps)": turns N items' cores, runs the body, turns the results back.
[[nodiscard]] std::string several_items_function(const GufuncSpec& spec);
[[nodiscard]] std::string several_items_kernel(const GufuncSpec& spec);

}  // namespace kiln::codegen
