// The text of the kernel of Ufunc::at: what kernel/spec.hpp asks of each kind, and its parts. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/kernel_text.hpp"
#include "kernel/scatter/spec.hpp"

namespace kiln::kinds {

Operation operation_of(const ScatterSpec& spec);
std::vector<DType> storage_of(const ScatterSpec& spec);
std::string loop_header(const ScatterSpec& spec, DeviceKind target);
std::string kernel_text(const ScatterSpec& spec, const codegen::UserText& text, DeviceKind target);
std::string words_of(const ScatterSpec& spec, DeviceKind device);
/// A thread may be at several elements.
constexpr bool by_items(const ScatterSpec& /*spec*/) noexcept {
  return false;
}
/// The operation that f is, on a GPU: of a text like "return a + b;" without functions or a preamble of its own.
Atomic atomic_of(const codegen::UserText& text, const ScatterSpec& spec);

}  // namespace kiln::kinds
