// The text of the kernel of Ufunc::accumulate: what kernel/spec.hpp asks of each kind, and its parts. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/kernel_text.hpp"
#include "kernel/scan/spec.hpp"

namespace kiln::kinds {

Operation operation_of(const ScanSpec& spec);
std::vector<DType> storage_of(const ScanSpec& spec);
std::string loop_header(const ScanSpec& spec, DeviceKind target);
std::string kernel_text(const ScanSpec& spec, const codegen::UserText& text, DeviceKind target);
std::string words_of(const ScanSpec& spec, DeviceKind device);
/// A thread may be at several elements.
constexpr bool by_items(const ScanSpec& /*spec*/) noexcept {
  return false;
}

}  // namespace kiln::kinds
