// The kernels of generalized ufuncs that compute several items at once on a CPU: kernels-src/gufunc/items_cpu.hpp.
#pragma once

#include <cstdint>
#include <string>

#include "kinds/spec.hpp"

namespace kiln::kinds {

/// Whether bodies are compiled with vectors of such numbers: float32, float64, and whole ones of as many bytes.
[[nodiscard]] bool has_lanes(DType dtype) noexcept;
/// Whether an operand is of whole numbers.
[[nodiscard]] bool has_whole_numbers(const GufuncSpec& spec);

/// Items that one run of the body computes: a vector of 64 bytes, 16 of float32 or, where an operand has 8 bytes, 8.
[[nodiscard]] int items_at_once(const GufuncSpec& spec);
inline constexpr int kMostItemsAtOnce = 16;
/// Items that are packed into a buffer at once where they lie apart.
inline constexpr int kStagedItems = 16;
/// Elements of a core from which on they go one by one instead, where the body is vectors along it. One thread, float32,
/// nanoseconds of a(i) * b(n - 1 - i) + 1, reversed: of 4 1.02 staged and 0.69, of 8 2.4 and 1.3.
inline constexpr std::int64_t kFewestAlong = 4;
/// The room that a kernel has for their cores, on its stack. One thread, nanoseconds of an item, one by one and at once: matrix
/// products of 13 × 13, 32 KB, 233 at once, of 14 × 14 800 and 265, of 16 × 16, 48 KB and beyond, 136 and 373.
inline constexpr std::int64_t kBytesOfItems = 48 * 1024;
/// The same where items of some operands lie side by side: products of 32 × 32, with an output one behind the other, of 64 KB,
/// 21,000 one by one and 3,800 at once.
inline constexpr std::int64_t kBytesBeside = 128 * 1024;

/// Whether the spec is of such a kernel.
[[nodiscard]] bool takes_items(const GufuncSpec& spec);
/// The type of a view of several items' cores, whose elements are vectors, in C order. Here and below, `levels` are those of
/// levels_of().
[[nodiscard]] std::string wide_view_text(const GufuncSpec& spec, const CoreOperandSpec& operand, std::size_t number,
                                         bool output, std::size_t levels);
/// The type of the parameter that the body has it as.
[[nodiscard]] std::string wide_type(const CoreOperandSpec& operand, std::size_t number, bool output);
/// "several<N>(c, p, step, pool, keeps)": turns N items' cores, runs the body, turns the results back.
[[nodiscard]] std::string several_items_function(const GufuncSpec& spec, std::size_t levels);
[[nodiscard]] std::string several_items_kernel(const GufuncSpec& spec, std::size_t levels);

}  // namespace kiln::kinds
