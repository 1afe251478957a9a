// The kernel of Ufunc::accumulate: how an element is taken from memory, combined with what runs before it, and written. Walking
// is that of kernels-src/scan/.
#include <fmt/format.h>

#include "kernel/scan/plan.hpp"
#include "kernel/scan/text.hpp"

namespace kiln::kinds {

using codegen::UserText;

namespace {

/// "work", with first(r, x): r = x; next(r, before, x) and join(r, before, x): r = f(before, x), for an element of the input
/// and for a running result; last(r, x): an output. Running results stand in memory as elements of the loop's dtype do.
std::string work(const ScanSpec& spec, const UserText& text, DeviceKind target) {
  const DType dtype = spec.input.compute;
  const OperandSpec running{dtype, dtype};
  const auto combine = [&](std::string_view name, std::string_view from, const std::string& x) {
    return fmt::format(
        "  KILN_FN static void {}(value& r, const value& before, const {}& x) {{\n"
        "    {} r0{{}};\n    operation(r0, {}, {});{}\n    r = {};\n  }}\n",
        name, from, type_name(dtype), loaded(running, "before"), x, text.debug.nan ? " debug::check_result(r0, 2);" : "",
        stored(running, "r0"));
  };
  return fmt::format(
             "struct work {{\n  using in = {};\n  using value = {};\n  using out = {};\n"
             "{}"
             "  KILN_FN static void first(value& r, const in& x) {{ r = {}; }}\n",
             stored_name(spec.input.storage), stored_name(dtype), stored_name(spec.output),
             target == DeviceKind::cpu ? ""
                                       : fmt::format("  static constexpr bool commutes = {}, long_code = {};\n", spec.commutes,
                                                     spec.code == ScanCode::large),
             stored(running, loaded(spec.input, "x"))) +
         combine("next", "in", loaded(spec.input, "x")) + combine("join", "value", loaded(running, "x")) +
         fmt::format("  KILN_FN static void last(out& r, const value& x) {{ r = {}; }}\n}};\n",
                     stored({spec.output, dtype}, loaded(running, "x")));
}

/// Blocks that a multiprocessor has registers for: NVIDIA's compilers otherwise take more of them for small gains. 1 is no
/// limit, where it is not known how many are needed.
int blocks_at_once(const ScanSpec& spec) {
  const DType dtype = spec.input.compute;
  // A block that looks back holds its tile meanwhile.
  if (spec.layout.looks_back) return kind(dtype) == Kind::complex ? 1 : itemsize(dtype) == 4 ? 4 : 3;
  return spec.code == ScanCode::arithmetic && kind(dtype) != Kind::complex && itemsize(dtype) >= 4 ? 4 : 1;
}

std::string gpu_kernel(const ScanSpec& spec) {
  const ScanTile tile = scan_tile(spec);
  const std::string parameters = "const work::in* x, work::out* y, work::value* totals, const kinds::ScanSpace space";
  if (!spec.reorderable) {
    return fmt::format("KILN_KERNEL kiln_kernel({}) {{\n  scan_in_order<work, {}, {}>(space, x, y);\n}}\n", parameters,
                       tile.width, tile.packs);
  }
  return fmt::format(
      "using kernel = {}<work, {}, {}>;\nKILN_KERNEL_OF({}) kiln_kernel({}) {{\n"
      "  alignas(16) KILN_SHARED unsigned char shared[kernel::shared_bytes];\n"
      "  kernel::run(space, x, y, totals, shared);\n}}\n",
      spec.layout.looks_back ? "scan_looking_back" : "scan", tile.width, tile.packs, blocks_at_once(spec), parameters);
}

}  // namespace

Operation operation_of(const ScanSpec& spec) {
  return {.inputs = {spec.input.compute, spec.input.compute}, .outputs = {spec.input.compute}};
}

std::vector<DType> storage_of(const ScanSpec& spec) {
  return {spec.input.storage, spec.output};
}

std::string loop_header(const ScanSpec& spec, DeviceKind target) {
  if (target == DeviceKind::cpu) return "kiln/scan/cpu.hpp";
  if (spec.layout.looks_back) return "kiln/scan/looking_back_gpu.hpp";
  return spec.reorderable ? "kiln/scan/gpu.hpp" : "kiln/scan/in_order_gpu.hpp";
}

std::string kernel_text(const ScanSpec& spec, const UserText& text, DeviceKind target) {
  if (target != DeviceKind::cpu) return work(spec, text, target) + gpu_kernel(spec);
  const std::string_view last = spec.output == spec.input.compute ? "nullptr" : "scan_last<work>";
  const std::string loops =
      text.debug.any()
          ? fmt::format("nullptr, nullptr, nullptr, {}, scan_fold<work>, nullptr", last)
          : fmt::format("scan_next<work>, scan_rows<work>, scan_join<work>,\n  {}, scan_fold<work>, scan_chain<work>", last);
  return work(spec, text, target) + fmt::format(
                                        "static const kinds::CpuScanParts kernel = {{scan_first<work>, {}, sizeof(work::in), "
                                        "sizeof(work::value), sizeof(work::out),\n  same<work::in, work::value>{}}};\n"
                                        "KILN_KERNEL kiln_kernel(const kinds::CpuScanParts** parts) {{ *parts = &kernel; }}\n",
                                        loops, text.debug.any() ? ", debug::begin_items" : "");
}

}  // namespace kiln::kinds
