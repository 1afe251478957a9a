// A raw kernel: its parameters, and its place in the grid. Walking is kernels-src/raw/'s.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "kernel/raw/text.hpp"
#include "source/body_tokens.hpp"

namespace kiln::kinds {

using codegen::UserText;

namespace {

/// Threads of a block may share memory and wait for one another.
bool cooperates(const RawSpec& spec, DeviceKind target) {
  const bool alone = target == DeviceKind::cpu && !spec.finds_races && !spec.shares;
  return alone ? spec.form == RawForm::single : spec.form != RawForm::items;
}

/// What the body calls for its place in the grid.
constexpr std::array kGrids{"grid", "gridsize"};

bool asks_for_grid(const UserText& text) {
  return std::any_of(kGrids.begin(), kGrids.end(), [&](const char* name) { return codegen::calls_kilns(text, name); });
}

/// Whether it takes arrays of the launch's .shared_bytes by shared<T>().
bool asks_for_arrays(const UserText& text, const RawSpec& spec) {
  return spec.form != RawForm::items && codegen::calls_kilns(text, "shared", "<");
}

/// Macros, since what they are depends on the number they are given, or is the launch's. They stand around the body alone.
std::string body_macros(const UserText& text, const RawSpec& spec) {
  std::string macros;
  if (asks_for_arrays(text, spec)) macros += "#define shared kiln_arrays.shared\n";
  for (const char* const name : kGrids) {
    if (codegen::calls_kilns(text, name)) macros += fmt::format("#define {0}(d) kiln_{0}<(d)>(kiln_here)\n", name);
  }
  return macros;
}

std::string end_of_body_macros(const UserText& text, const RawSpec& spec) {
  std::string macros;
  if (asks_for_arrays(text, spec)) macros += "#undef shared\n";
  for (const char* const name : kGrids) {
    if (codegen::calls_kilns(text, name)) macros += fmt::format("#undef {}\n", name);
  }
  return macros;
}

std::string pointer_to(const RawParameter& parameter) {
  return (parameter.read_only ? "const " : "") + ("::kiln::" + type_name(parameter.dtype)) + "*";
}

/// What messages of compilers call the type of a view.
std::string view_of(const UserText& text, std::size_t i) {
  return "view_of_" + text.input_names[i];
}

/// The types of the views. Known are the strides of contiguous elements, so that such a view of one dimension is a pointer.
std::string view_types(const UserText& text, const RawSpec& spec) {
  std::string types;
  for (std::size_t i = 0; i < spec.parameters.size(); ++i) {
    const RawParameter& each = spec.parameters[i];
    if (each.dimensions == 0) continue;
    std::string axes;
    for (int d = 1; d < each.dimensions; ++d) axes += ", axis<varies, varies>";
    axes += fmt::format(", axis<varies, {}>", each.strided ? "varies" : std::to_string(itemsize(each.dtype)));
    types +=
        fmt::format("struct element_of_{0} : plain_element<::kiln::{1}> {{{5}}};\nusing {2} = view<element_of_{0}, {3}{4}>;\n",
                    text.input_names[i], type_name(each.dtype), view_of(text, i), !each.read_only, axes,
                    text.debug.any() ? fmt::format(" static constexpr int argument = {}; ", i) : "");
  }
  return types.empty() ? types : "namespace kiln::operands {\n" + types + "}\n";
}

/// The parameters of the body, with the user's names.
std::string parameters_of(const UserText& text, const RawSpec& spec) {
  std::string parameters;
  for (std::size_t i = 0; i < spec.parameters.size(); ++i) {
    const RawParameter& each = spec.parameters[i];
    parameters += fmt::format(", {} {}",
                              each.dimensions > 0 ? "const ::kiln::operands::" + view_of(text, i)
                              : each.array        ? pointer_to(each)
                                                  : body_type(each.dtype),
                              text.input_names[i]);
  }
  return parameters;
}

/// "  const operands::view_of_x v0(p0, n0.extent[0], n0.stride[0]);" for each view.
std::string views_of(const UserText& text, const RawSpec& spec) {
  std::string views;
  for (std::size_t i = 0; i < spec.parameters.size(); ++i) {
    if (spec.parameters[i].dimensions == 0) continue;
    views += fmt::format("  const operands::{} v{}(p{}", view_of(text, i), i, i);
    for (int d = 0; d < spec.parameters[i].dimensions; ++d) views += fmt::format(", n{0}.extent[{1}], n{0}.stride[{1}]", i, d);
    views += ");\n";
  }
  return views;
}

/// ", a0, …" of the body's call: scalars as a body gets them.
std::string arguments_of(const RawSpec& spec, const UserText& text) {
  std::string arguments;
  for (std::size_t i = 0; i < spec.parameters.size(); ++i) {
    const RawParameter& each = spec.parameters[i];
    const std::string name = fmt::format("{}{}", each.dimensions > 0 ? "v" : "p", i);
    arguments += ", " + (each.array ? name : text.argument(i, loaded({each.dtype, each.dtype}, name)));
  }
  return arguments;
}

constexpr const char* kThreadInGrid = ", thread_in_grid{thread, block, block_size, threads_of(grid_size, block_size)}";

/// The variable that functions of the user's find themselves in.
std::string declare_here(const RawSpec& spec, const char* dynamic) {
  if (!spec.places) return {};
  return fmt::format("  here_in_grid kiln_place{{}};\n  kiln_place.dynamic = {};\n  kiln_enter(&kiln_place);\n", dynamic);
}
/// "kiln_place.enter(thread, …); ", in front of the body's call.
std::string enter_here(const RawSpec& spec, const char* places) {
  return spec.places ? fmt::format("kiln_place.enter({}); ", places) : std::string();
}
constexpr const char* kThreadPlaces = "thread, block, block_size, grid_size";

std::string on_cpu(const RawSpec& spec, const UserText& user) {
  std::string text;
  std::size_t axes = spec.parameters.size();
  for (std::size_t i = 0; i < spec.parameters.size(); ++i) {
    const RawParameter& each = spec.parameters[i];
    text += each.array ? fmt::format("  const auto p{} = static_cast<{}>(launch->arguments[{}]);\n", i, pointer_to(each), i)
                       : fmt::format("  const auto p{} = *static_cast<const {}*>(launch->arguments[{}]);\n", i,
                                     stored_name(each.dtype), i);
    if (each.dimensions == 0) continue;
    text += fmt::format("  const auto& n{} = *static_cast<const kinds::RawAxes<{}>*>(launch->arguments[{}]);\n", i,
                        each.dimensions, axes++);
  }
  text += views_of(user, spec);
  const bool grids = asks_for_grid(user);
  if (spec.form == RawForm::items) {
    return fmt::format(
        "KILN_KERNEL kiln_kernel(const kinds::CpuRawItems* launch, int64 begin, int64 end) {{\n{}{}"
        "#pragma clang loop vectorize(assume_safety)\n"
        "  for (int64 item = begin; item < end; ++item) {{\n    KILN_ENTER_ITEM(item);\n    {}user::kiln_body(item{}{});\n  "
        "}}\n}}\n",
        text, declare_here(spec, "nullptr"),
        enter_here(spec, "{0, 0, 0}, {uint32(item), 0, 0}, {1, 1, 1}, {uint32(launch->size), 1, 1}"),
        grids ? ", item_in_grid{item, launch->size}" : "", arguments_of(spec, user));
  }
  const char* const arrays =
      asks_for_arrays(user, spec) ? ", shared_memory(static_cast<unsigned char*>(launch->shared), launch->shared_bytes)" : "";
  if (spec.shares) {
    const char* const warps = spec.warps ? "  kiln_place.waits = static_cast<const row_of_warps&>(all).waits;\n"
                                           "  kiln_place.asks = static_cast<const row_of_warps&>(all).asks;\n"
                                           "  kiln_place.whole = row.block_size.x % kWarp == 0;\n"
                                         : "";
    return fmt::format(
        "extern \"C\" KILN_NOINLINE void* kiln_threads(const kinds::CpuWaiting*, void* shared, const kinds::CpuRawLaunch* "
        "launch, const row_of_threads& all) {{\n  kiln_share(shared);\n{}"
        "  void* const dynamic = launch->shared;\n"
        "  const row_of_threads row = all;\n{}"
        "  const grid_place block = row.block, block_size = row.block_size, grid_size = row.grid;\n"
        "  const int64 first = flat(block, grid_size) * count(block_size) + (int64(row.z) * block_size.y + row.y) * "
        "block_size.x;\n"
        "#pragma clang loop vectorize(assume_safety) unroll(disable)\n"
        "  for (uint32 x = row.begin; x < row.end; ++x) {{\n"
        "    const grid_place thread{{x, row.y, row.z}};\n"
        "    KILN_ENTER_THREAD(block, thread);\n"
        "    {}user::kiln_body(dynamic, first + x, thread, block, block_size, grid_size{}{}{});\n  }}\n  return nullptr;\n}}\n"
        "KILN_KERNEL kiln_kernel(const kinds::CpuRawLaunch* launch, int64 begin, int64 end) {{\n"
        "  {}(launch, begin, end, kiln_threads);\n}}\n",
        text, declare_here(spec, "dynamic") + warps, enter_here(spec, kThreadPlaces), grids ? kThreadInGrid : "", arrays,
        arguments_of(spec, user), spec.warps ? "each_block_of_warps" : "each_waiting_block");
  }
  return fmt::format(
      "KILN_KERNEL kiln_kernel(const kinds::CpuRawLaunch* launch, int64 begin, int64 end) {{\n{}{}"
      "  {}(launch, begin, end, [&](grid_place thread, grid_place block, grid_place block_size, grid_place grid_size) "
      "{{\n"
      "    const int64 item = item_of(thread, block, block_size, grid_size);\n"
      "    {}user::kiln_body({}item, thread, block, block_size, grid_size{}{}{});\n  }});\n}}\n",
      text, declare_here(spec, "launch->shared"),
      spec.finds_races               ? "one_thread"
      : spec.form == RawForm::single ? "each_thread<true>"
                                     : "each_thread<false>",
      enter_here(spec, kThreadPlaces), cooperates(spec, DeviceKind::cpu) ? "launch->shared, " : "", grids ? kThreadInGrid : "",
      arrays, arguments_of(spec, user));
}

std::string on_gpu(const RawSpec& spec, const UserText& user) {
  std::string parameters;
  std::string axes;
  for (std::size_t i = 0; i < spec.parameters.size(); ++i) {
    const RawParameter& each = spec.parameters[i];
    parameters += fmt::format("{}{} p{}", parameters.empty() ? "" : ", ",
                              each.array ? pointer_to(each) : "const " + stored_name(each.dtype), i);
    if (each.dimensions > 0) axes += fmt::format(", const kinds::RawAxes<{}> n{}", each.dimensions, i);
  }
  parameters += axes;
  const std::string views = views_of(user, spec);
  const bool grids = asks_for_grid(user);
  if (spec.form == RawForm::items) {
    return fmt::format(
        "KILN_KERNEL kiln_kernel(const int64 size{}{}) {{\n{}"
        "  each_item(size, [&](int64 item) {{ user::kiln_body(item{}{}); }});\n}}\n",
        parameters.empty() ? "" : ", ", parameters, views, grids ? ", item_in_grid{item, size}" : "", arguments_of(spec, user));
  }
  return fmt::format(
      "{} kiln_kernel({}) {{\n{}"
      "  const grid_place thread{{threadIdx.x, threadIdx.y, threadIdx.z}}, block{{blockIdx.x, blockIdx.y, blockIdx.z}};\n"
      "  const grid_place block_size{{blockDim.x, blockDim.y, blockDim.z}}, grid_size{{gridDim.x, gridDim.y, gridDim.z}};\n"
      "  const int64 item = item_of(thread, block, block_size, grid_size);\n"
      "  user::kiln_body(item, thread, block, block_size, grid_size{}{}{});\n}}\n",
      spec.bounds.empty() ? "KILN_RAW_KERNEL" : fmt::format("KILN_RAW_KERNEL_OF({})", spec.bounds), parameters, views,
      grids ? kThreadInGrid : "", asks_for_arrays(user, spec) ? ", kiln_dynamic_arrays()" : "", arguments_of(spec, user));
}

}  // namespace

Frame frame_of(const UserText& text, const RawSpec& spec, DeviceKind target) {
  const bool places = spec.form != RawForm::items;
  const bool shares = target == DeviceKind::cpu && cooperates(spec, target);
  const std::string here =
      fmt::format(", __attribute__((__unused__)) const ::kiln::{}_in_grid kiln_here", places ? "thread" : "item");
  return {.before = view_types(text, spec),
          .declaration =
              fmt::format("{}KILN_FN void kiln_body({}const ::kiln::kiln_index item{}{}{}{})", body_macros(text, spec),
                          shares ? "__attribute__((__unused__)) void* kiln_dynamic_shared, " : "",
                          places ? ", const ::kiln::grid_place thread, const ::kiln::grid_place block, "
                                   "const ::kiln::grid_place block_size, const ::kiln::grid_place grid_size"
                                 : "",
                          asks_for_grid(text) ? here : "",
                          asks_for_arrays(text, spec) ? ", ::kiln::shared_memory kiln_arrays" : "", parameters_of(text, spec)),
          .closing = end_of_body_macros(text, spec),
          .after = {},
          .places = {"item", "thread", "block", "block_size", "grid_size"}};
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
  if (spec.finds_races) return "kiln/raw/race_cpu.hpp";
  if (spec.warps) return "kiln/raw/resume_warps_cpu.hpp";
  if (spec.shares) return "kiln/raw/shared_cpu.hpp";
  return fmt::format("kiln/raw/{}{}.hpp", cooperates(spec, target) ? "blocks_" : "", target == DeviceKind::cpu ? "cpu" : "gpu");
}

std::string kernel_text(const RawSpec& spec, const UserText& text, DeviceKind target) {
  std::string sizes;
  for (const std::string& name : spec.constants) {
    sizes += fmt::format("extern \"C\" KILN_EXPORTED_CONSTANT const uint64 kiln_bytes_of_{} = sizeof(::kiln::user::{});\n",
                         &name - spec.constants.data(), name);
  }
  for (const std::size_t parameter : spec.structures) {
    sizes +=
        fmt::format("extern \"C\" {{\nKILN_EXPORTED_SIZE(kiln_bytes_of_parameter_{0}, ::kiln::cuda::parameter<{1}, {0}>)\n}}\n",
                    parameter, spec.called);
  }
  return sizes + (target == DeviceKind::cpu ? on_cpu(spec, text) : on_gpu(spec, text));
}

}  // namespace kiln::kinds
