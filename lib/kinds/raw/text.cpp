// A raw kernel: its parameters, and the places in the grid that its body is told. Walking is kernels-src/raw_*.hpp's.
#include <fmt/format.h>

#include "kinds/kernel_text.hpp"

namespace kiln::kinds {

using codegen::UserText;

namespace {

/// Threads of a block may share memory and wait for one another.
bool cooperates(const RawSpec& spec, DeviceKind target) {
  return target == DeviceKind::cpu ? spec.form == RawForm::single : spec.form != RawForm::items;
}

std::string pointer_to(const RawParameter& parameter) {
  return (parameter.constant ? "const " : "") + ("::kiln::" + type_name(parameter.dtype)) + "*";
}

/// The parameters of the body, with the user's names.
std::string parameters_of(const UserText& text, const RawSpec& spec) {
  std::string parameters;
  for (std::size_t i = 0; i < spec.parameters.size(); ++i) {
    const RawParameter& each = spec.parameters[i];
    parameters += fmt::format(", {} {}", each.array ? pointer_to(each) : body_type(each.dtype), text.input_names[i]);
  }
  return parameters;
}

/// ", a0, …" of the body's call: scalars as a body gets them.
std::string arguments_of(const RawSpec& spec) {
  std::string arguments;
  for (std::size_t i = 0; i < spec.parameters.size(); ++i) {
    const RawParameter& each = spec.parameters[i];
    const std::string name = fmt::format("p{}", i);
    arguments += ", " + (each.array ? name : loaded({each.dtype, each.dtype}, name));
  }
  return arguments;
}

std::string on_cpu(const RawSpec& spec) {
  std::string text;
  for (std::size_t i = 0; i < spec.parameters.size(); ++i) {
    const RawParameter& each = spec.parameters[i];
    text += each.array ? fmt::format("  const auto p{} = static_cast<{}>(launch->arguments[{}]);\n", i, pointer_to(each), i)
                       : fmt::format("  const auto p{} = *static_cast<const {}*>(launch->arguments[{}]);\n", i,
                                     stored_name(each.dtype), i);
  }
  if (spec.form == RawForm::items) {
    return fmt::format(
        "KILN_KERNEL kiln_kernel(const kinds::CpuRawItems* launch, int64 begin, int64 end) {{\n{}"
        "  for (int64 item = begin; item < end; ++item) {{\n    user::kiln_body(item{});\n  }}\n}}\n",
        text, arguments_of(spec));
  }
  return fmt::format(
      "KILN_KERNEL kiln_kernel(const kinds::CpuRawLaunch* launch, int64 begin, int64 end) {{\n{}"
      "  each_thread(launch, begin, end, [&](grid_place thread, grid_place block, grid_place block_size, grid_place grid_size) "
      "{{\n"
      "    const int64 item = flat(block, grid_size) * count(block_size) + flat(thread, block_size);\n"
      "    user::kiln_body({}item, thread, block, block_size, grid_size{});\n  }});\n}}\n",
      text, cooperates(spec, DeviceKind::cpu) ? "launch->shared, " : "", arguments_of(spec));
}

std::string on_gpu(const RawSpec& spec) {
  std::string parameters;
  for (std::size_t i = 0; i < spec.parameters.size(); ++i) {
    const RawParameter& each = spec.parameters[i];
    parameters += fmt::format("{}{} p{}", parameters.empty() ? "" : ", ",
                              each.array ? pointer_to(each) : "const " + stored_name(each.dtype), i);
  }
  if (spec.form == RawForm::items) {
    return fmt::format(
        "KILN_KERNEL kiln_kernel(const int64 size, {}) {{\n"
        "  each_item(size, [&](int64 item) {{ user::kiln_body(item{}); }});\n}}\n",
        parameters, arguments_of(spec));
  }
  return fmt::format(
      "KILN_RAW_KERNEL kiln_kernel({}) {{\n"
      "  const grid_place thread{{threadIdx.x, threadIdx.y, threadIdx.z}}, block{{blockIdx.x, blockIdx.y, blockIdx.z}};\n"
      "  const grid_place block_size{{blockDim.x, blockDim.y, blockDim.z}}, grid_size{{gridDim.x, gridDim.y, gridDim.z}};\n"
      "  const int64 item = flat(block, grid_size) * count(block_size) + flat(thread, block_size);\n"
      "  user::kiln_body(item, thread, block, block_size, grid_size{});\n}}\n",
      parameters, arguments_of(spec));
}

}  // namespace

Frame frame_of(const UserText& text, const RawSpec& spec, DeviceKind target) {
  const bool places = spec.form != RawForm::items;
  const bool shares = target == DeviceKind::cpu && cooperates(spec, target);
  return {.before = {},
          .declaration = fmt::format("KILN_FN void kiln_body({}const ::kiln::kiln_index item{}{})",
                                     shares ? "[[maybe_unused]] void* kiln_dynamic_shared, " : "",
                                     places ? ", const ::kiln::grid_place thread, const ::kiln::grid_place block, "
                                              "const ::kiln::grid_place block_size, const ::kiln::grid_place grid_size"
                                            : "",
                                     parameters_of(text, spec)),
          .closing = {},
          .declaration_again = {},
          .after = {}};
}

Operation operation_of(const RawSpec& spec) {
  Operation operation;
  for (const RawParameter& each : spec.parameters) operation.inputs.push_back(each.dtype);
  return operation;
}

std::vector<DType> storage_of(const RawSpec&) {
  return {};
}

std::string loop_header(const RawSpec& spec, DeviceKind target) {
  return fmt::format("kiln/raw/{}{}.hpp", cooperates(spec, target) ? "blocks_" : "", target == DeviceKind::cpu ? "cpu" : "gpu");
}

std::string kernel_text(const RawSpec& spec, const UserText&, DeviceKind target) {
  return target == DeviceKind::cpu ? on_cpu(spec) : on_gpu(spec);
}

}  // namespace kiln::kinds
