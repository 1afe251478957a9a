// The text of a generalized ufunc's kernel: what kernel/spec.hpp asks of each kind, and its parts. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/gufunc/spec.hpp"
#include "kernel/kernel_text.hpp"

namespace kiln::kinds {

Operation operation_of(const GufuncSpec& spec);
std::vector<DType> storage_of(const GufuncSpec& spec);
std::string loop_header(const GufuncSpec& spec, DeviceKind target);
std::string kernel_text(const GufuncSpec& spec, const codegen::UserText& text, DeviceKind target);
std::string words_of(const GufuncSpec& spec, DeviceKind device);
/// Around a body that takes views.
Frame frame_of(const codegen::UserText& text, const GufuncSpec& spec, DeviceKind target);
/// A thread computes one item at a time.
constexpr bool by_items(const GufuncSpec& /*spec*/) noexcept {
  return true;
}

std::string gufunc_cpu(const GufuncSpec& spec);
std::string gufunc_gpu(const GufuncSpec& spec, const Debug& debug, DeviceKind target);
std::string staged_kernel(const GufuncSpec& spec);

}  // namespace kiln::kinds
