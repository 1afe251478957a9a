// The text of an elementwise kernel: what kernel/spec.hpp asks of each kind, and its parts. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/elementwise/spec.hpp"
#include "kernel/kernel_text.hpp"

namespace kiln::kinds {

Operation operation_of(const ElementwiseSpec& spec);
std::vector<DType> storage_of(const ElementwiseSpec& spec);
std::string loop_header(const ElementwiseSpec& spec, DeviceKind target);
std::string kernel_text(const ElementwiseSpec& spec, const codegen::UserText& text, DeviceKind target);
std::string words_of(const ElementwiseSpec& spec, DeviceKind device);
/// "float32 r0{}; operation(r0, …);" with the given arguments, one for each input, and the mask as the last one if masking: the
/// body runs where `condition` is true, which names the mask `where`. In debug mode its results are checked. `number` is that
/// of the element, for a body that asks for it; the range of elements is `all`, and raw outputs are "p<operand>".
std::string evaluation(const ElementwiseSpec& spec, const std::vector<std::string>& arguments, const Debug& debug = {},
                       std::string_view condition = "where", const std::string& number = {});

/// Returns true if the kernel goes element by element where they lie: some operand is raw, or the body asks for its place.
bool by_elements(const ElementwiseSpec& spec);
/// The type that the body has for a raw operand.
std::string raw_type(const OperandSpec& operand, std::size_t number, bool writable);
/// The structure `beside`, the parameter of the kernel behind the operands: how raw operands lie, and the range of elements.
std::string beside_struct(const ElementwiseSpec& spec);
Frame frame_of(const codegen::UserText& text, const ElementwiseSpec& spec, DeviceKind target);

/// How many of the inputs are the body's.
std::size_t arguments_of(const ElementwiseSpec& spec);

/// The input that holds the first of the outputs that are read.
std::size_t first_read_output(const ElementwiseSpec& spec);

/// Whether the n-dimensional form of the GPU's loop is needed.
bool needs_nd(const ElementwiseSpec& spec);

/// A thread computes one element at a time.
constexpr bool by_items(const ElementwiseSpec& /*spec*/) noexcept {
  return true;
}

std::string cpu_kernel(const ElementwiseSpec& spec);
std::string checked_cpu_kernel(const ElementwiseSpec& spec, const Debug& debug);
std::string raw_cpu_kernel(const ElementwiseSpec& spec, const Debug& debug);
std::string gpu_kernel(const ElementwiseSpec& spec, const Debug& debug);
std::string strip_kernel(const ElementwiseSpec& spec, const Debug& debug);
std::string tiled_kernel(const ElementwiseSpec& spec, const Debug& debug);

}  // namespace kiln::kinds
