// The text of a reduction's kernel: what kernel/spec.hpp asks of each kind, and its parts. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/kernel_text.hpp"
#include "kernel/reduction/spec.hpp"

namespace kiln::kinds {

Operation operation_of(const ReductionSpec& spec);
std::vector<DType> storage_of(const ReductionSpec& spec);
std::string loop_header(const ReductionSpec& spec, DeviceKind target);
std::string kernel_text(const ReductionSpec& spec, const codegen::UserText& text, DeviceKind target);
std::string words_of(const ReductionSpec& spec, DeviceKind device);
/// A thread may be at several elements.
constexpr bool by_items(const ReductionSpec& /*spec*/) noexcept {
  return false;
}
/// Of a reduction of stages: accumulator, map, reduce, post and identity, as functions in the user's namespace.
std::vector<StageText> stages_of(const codegen::UserText& text, const ReductionSpec& spec);

std::string reduction_cpu(const ReductionSpec& spec, const codegen::UserText& text);
std::string reduction_gpu(const ReductionSpec& spec, const codegen::UserText& text);
std::string segments_gpu(const ReductionSpec& spec, const codegen::UserText& text);

}  // namespace kiln::kinds
