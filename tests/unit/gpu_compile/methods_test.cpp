// What NVRTC and hipRTC make of the kernels of methods, with no device: every dtype, casts, both ways of a scatter, and which
// operations of memory become single instructions.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "compile_all.hpp"
#include "kernel/scan/spec.hpp"
#include "kernel/scatter/text.hpp"
#include "types/each_dtype.hpp"

namespace {

using namespace kiln;
using codegen::UserText;
using kiln::test::have_compiler;
using kiln::test::kAllDTypes;
using kinds::KernelSpec;
using kinds::ScanSpec;
using kinds::ScatterSpec;

using Variant = kiln::test::VariantOf<KernelSpec>;

UserText binary(const std::string& body) {
  return {.name = "combine", .body = body, .input_names = {"a", "b"}};
}
UserText product(DType dtype) {
  return binary(dtype == DType::bool_ ? "return a && b;" : "return a * b;");
}

ScatterSpec scatter(DType dtype, bool ordered) {
  return {.target = {dtype, dtype}, .result = dtype, .value = kinds::OperandSpec{dtype, dtype}, .ordered = ordered};
}

kinds::ScatterLayout flat(DType index) {
  kinds::ScatterLayout layout{.arrays = 1, .rank = 1};
  layout.indices[0] = index;
  return layout;
}

void add_layouts(std::vector<Variant>& found) {
  for (const bool ordered : {false, true}) {
    const auto add = [&](const std::string& what, const kinds::ScatterLayout& layout) {
      ScatterSpec spec = scatter(DType::float32, ordered);
      spec.layout = layout;
      if (!ordered) spec.atomic = kinds::Atomic::add;
      found.push_back({(ordered ? "scatter in order, " : "scatter, ") + what, binary("return a + b;"), spec});
    };
    for (const DType index : kAllDTypes) {
      if (kind(index) == Kind::integer) add("index " + std::string(name(index)), flat(index));
    }
    kinds::ScatterLayout rows{.arrays = 3, .rank = 2, .row_rank = 3};
    rows.indices = {DType::int32, DType::int64, DType::uint8};
    add("rows", rows);
    rows.wide_index = true;
    add("rows, wide", rows);
    kinds::ScatterLayout most{.arrays = 8, .rank = 7, .row_rank = 1};
    most.indices.fill(DType::int32);
    add("all dimensions", most);
  }
}

// One of every size, as nothing else differs, and halves.
bool in_order(DType dtype) {
  return is_half(dtype) || kind(dtype) == Kind::complex || dtype == DType::bool_ || dtype == DType::int16 ||
         dtype == DType::float32;
}

std::vector<Variant> variants() {
  std::vector<Variant> found;
  for (const DType dtype : kAllDTypes) {
    const std::string type(name(dtype));
    ScanSpec scan{.input = {dtype, dtype}, .output = dtype, .reorderable = true, .commutes = true};
    scan.code = kinds::ScanCode::arithmetic;
    found.push_back({"scan " + type, product(dtype), scan});
    scan.layout.looks_back = true;
    found.push_back({"scan that looks back " + type, product(dtype), scan});
    scan.layout.looks_back = false;
    scan.code = kinds::ScanCode::large;
    found.push_back({"scan of large code " + type, binary("return a == b ? a : a / b;"), scan});
    if (kind(dtype) < Kind::complex) {
      scan.code = kinds::ScanCode::small;
      found.push_back({"scan of small code " + type, binary("return maximum(a, b);"), scan});
    }
    scan.commutes = scan.reorderable = false;
    found.push_back({"scan in order " + type, product(dtype), scan});
    if (in_order(dtype)) found.push_back({"scatter in order " + type, product(dtype), scatter(dtype, true)});
    if (itemsize(dtype) <= 8) found.push_back({"scatter " + type, product(dtype), scatter(dtype, false)});
    const char* const sum = kind(dtype) == Kind::integer ? "return wrapping_add(a, b);" : "return a + b;";
    for (const char* body :
         {sum, "return max(a, b);", "return min(b, a);", "return a & b;", "return a | b;", "return b ^ a;"}) {
      ScatterSpec spec = scatter(dtype, false);
      spec.atomic = kinds::atomic_of(binary(body), spec);
      if (spec.atomic == kinds::Atomic::none) continue;
      found.push_back({"scatter " + type + ": " + body, binary(body), spec});
      spec.layout = flat(DType::int64);
      spec.layout.bins = true;
      found.push_back({"scatter to bins " + type + ": " + body, binary(body), spec});
    }
  }
  add_layouts(found);
  found.push_back(
      {"scan cast", product(DType::float32),
       ScanSpec{.input = {DType::int8, DType::float32}, .output = DType::float64, .reorderable = true, .commutes = true}});
  ScatterSpec cast = scatter(DType::float32, false);
  cast.target.storage = DType::int16;
  found.push_back({"scatter cast", product(DType::float32), cast});
  ScatterSpec unary = scatter(DType::float64, false);
  unary.value.reset();
  found.push_back({"scatter of one input", {.name = "half", .body = "return a / 2;", .input_names = {"a"}}, unary});
  return found;
}

}  // namespace

TEST_CASE("the kernels of methods compile for sm_90") {
  if (!have_compiler(DeviceKind::cuda)) return;
  compile_all("sm_90", variants());
}

TEST_CASE("the kernels of methods compile for gfx90a") {
  if (!have_compiler(DeviceKind::hip)) return;
  compile_all("gfx90a", variants());
}

TEST_CASE("sums are the device's atomic operation, products compare and swap") {
  if (!have_compiler(DeviceKind::cuda)) return;
  const auto compiler = backend::gpu::compiler_for_target("sm_90");
  const auto ptx = [&](const Variant& variant) {
    return compiler->emit(request(variant, DeviceKind::cuda), inspect::Form::ptx);
  };
  for (const DType dtype : {DType::int32, DType::uint64, DType::float32, DType::float64}) {
    ScatterSpec spec = scatter(dtype, false);
    spec.atomic = kinds::atomic_of(binary("return a + b;"), spec);
    const std::string sum = ptx({"sum", binary("return a + b;"), spec});
    CHECK(sum.find(".add.") != std::string::npos);
    CHECK(sum.find("atom.global.cas") == std::string::npos);
    CHECK(sum.find("atom.cas") == std::string::npos);
    const std::string times = ptx({"product", product(dtype), scatter(dtype, false)});
    CHECK(times.find(".cas.") != std::string::npos);
  }
}

TEST_CASE("the kernels of methods: some variants for other architectures, without a stack") {
  compile_some(variants());
}

TEST_CASE("the kernels of methods: machine code for AMD") {
  compile_for_amd(variants(), {.divide = {"scan", "scatter"},
                               .spill = {"looks back", "scan bool", "scan of small code bool", "scan of small code float32",
                                         "scan in order", "all dimensions"},
                               .exchange = {"scan", "scatter, index", "scatter to bins"}});
}
