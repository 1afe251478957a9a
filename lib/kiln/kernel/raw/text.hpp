// The text of a raw kernel: what kernel/spec.hpp asks of each kind, and its parts. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/kernel_text.hpp"
#include "kernel/raw/spec.hpp"

namespace kiln::kinds {

Operation operation_of(const RawSpec& spec);
std::vector<DType> storage_of(const RawSpec& spec);
std::string loop_header(const RawSpec& spec, DeviceKind target);
std::string kernel_text(const RawSpec& spec, const codegen::UserText& text, DeviceKind target);
std::string words_of(const RawSpec& spec, DeviceKind device);
/// Around the body, which is all that a thread does.
Frame frame_of(const codegen::UserText& text, const RawSpec& spec, DeviceKind target);
constexpr bool by_items(const RawSpec& spec) noexcept {
  return spec.form == RawForm::items;
}
/// "items", "blocks", "single".
[[nodiscard]] std::string_view form_name(RawForm form) noexcept;

}  // namespace kiln::kinds
