// What NVRTC and hipRTC make of the kernels of generalized ufuncs, with no device: every dtype, casts, constants, .each, masks.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "compile_all.hpp"
#include "kernel/gufunc/spec.hpp"

namespace {

using namespace kiln;
using codegen::UserText;
using kiln::test::have_compiler;
using kiln::test::kAllDTypes;
using kinds::GufuncSpec;

using Variant = kiln::test::VariantOf<GufuncSpec>;

kinds::CoreOperandSpec operand(DType storage, DType compute, std::vector<std::size_t> dimensions, int unit = -1) {
  const bool packed = unit >= 0 && unit + 1 == static_cast<int>(dimensions.size());
  return {.element = {storage, compute}, .dimensions = std::move(dimensions), .unit = unit, .packed = packed};
}

/// y(i) = the sum of a row, times a scalar.
GufuncSpec rows(DType storage, DType compute) {
  return {.inputs = {operand(storage, compute, {0, 1}, 1), operand(compute, compute, {})},
          .outputs = {operand(storage, compute, {0}, 0)},
          .dimensions = {{.name = "m"}, {.name = "n"}}};
}

std::vector<Variant> variants() {
  const UserText each{.name = "rows",
                      .body = "y(i) = w; for (auto& v : A.row(i)) y(i) += v;",
                      .input_names = {"A", "w"},
                      .output_names = {"y"}};
  UserText whole = each;
  whole.body = "for (index i = 0; i < m; ++i) { y(i) = w; for (index j = 0; j < n; ++j) y(i) = y(i) + A(i, j) * w; }";
  std::vector<Variant> found;
  for (const DType dtype : kAllDTypes) {
    if (dtype == DType::bool_) continue;
    found.push_back({std::string(name(dtype)), whole, rows(dtype, dtype)});
    GufuncSpec spread = rows(dtype, dtype);
    spread.each = {{"i", 0}};
    found.push_back({"each " + std::string(name(dtype)), each, spread});
  }
  for (const DType storage : {DType::bool_, DType::int8, DType::float16, DType::float64}) {
    found.push_back({"cast " + std::string(name(storage)), whole, rows(storage, DType::float32)});
  }
  GufuncSpec all = rows(DType::float32, DType::float32);
  all.masked = true;
  all.wide_index = true;
  all.loop_rank = 5;
  all.each = {{"i", 0}};
  all.dimensions[1].size = 8;
  all.inputs[0].unit = -1;
  all.inputs[0].packed = false;
  all.inputs[1].element.access = kinds::Access::scalar;
  found.push_back({"masked", each, all});
  // Teams.
  for (const DType dtype : {DType::int32, DType::float16, DType::float64, DType::complex128}) {
    UserText team = whole;
    team.body =
        "auto* sums = shared<decltype(A(0, 0) * w)>(m); for (index i = lane; i < m; i += lanes) { sums[i] = A(i, 0) * w; }"
        "sync(); y(lane % m) = team_sum(sums[lane % m]);";
    GufuncSpec spec = rows(dtype, dtype);
    spec.team = 64;
    spec.team_bytes = 2048;
    spec.masked = dtype == DType::int32;
    found.push_back({"team " + std::string(name(dtype)), team, spec});
  }
  // Cores in shared memory: of items, and of indices that share them.
  const UserText running{.name = "running",
                         .body = "y(0) = A(0, 0); for (index i = 1; i < m; ++i) y(i) = y(i - 1) + A(i, n - 1) * w;",
                         .input_names = {"A", "w"},
                         .output_names = {"y"}};
  UserText sums = running;
  sums.body = "y(i) = w; for (index j = 0; j < n; ++j) y(i) += A(i, j) * A(j, i);";
  for (const DType dtype : {DType::int8, DType::float16, DType::float32, DType::float64, DType::complex128}) {
    GufuncSpec spec = rows(dtype, dtype);
    spec.inputs[0].staging = kinds::Staging::item;
    if (dtype == DType::float64) {
      spec.masked = true;
    } else {
      spec.outputs[0].staging = kinds::Staging::item;
    }
    spec.loop_rank = dtype == DType::int8 ? 3 : 1;
    found.push_back({"staged " + std::string(name(dtype)), running, spec});
    spec.outputs[0].staging = kinds::Staging::none;
    spec.dimensions[0].size = spec.dimensions[1].size = 16;
    spec.each = {{"i", 0}};
    spec.beside = 4;
    if (dtype == DType::float16) spec.inputs[0].staging = kinds::Staging::common;
    found.push_back({"staged each " + std::string(name(dtype)), sums, spec});
  }
  // Inputs alone, of long rows.
  const UserText softmax{.name = "softmax",
                         .body =
                             "float32 m = x(0); for (index i = 1; i < n; ++i) m = max(m, x(i)); float32 s = 0;"
                             "for (index i = 0; i < n; ++i) { y(i) = exp(x(i) - m); s += y(i); }"
                             "for (index i = 0; i < n; ++i) y(i) = y(i) / s;",
                         .input_names = {"x"},
                         .output_names = {"y"}};
  GufuncSpec long_rows{.inputs = {operand(DType::float32, DType::float32, {0}, 0)},
                       .outputs = {operand(DType::float32, DType::float32, {0}, 0)},
                       .dimensions = {{.name = "n"}}};
  long_rows.inputs[0].staging = kinds::Staging::item;
  found.push_back({"staged inputs", softmax, long_rows});
  long_rows.inputs[0].staging = kinds::Staging::window;
  found.push_back({"windows", softmax, long_rows});
  long_rows.inputs[0].element = {DType::int64, DType::float32};
  long_rows.masked = true;
  found.push_back({"windows of int64", softmax, long_rows});
  return found;
}

}  // namespace

TEST_CASE("the kernels of generalized ufuncs compile for sm_90") {
  if (!have_compiler(DeviceKind::cuda)) return;
  compile_all("sm_90", variants());
}

TEST_CASE("the kernels of generalized ufuncs compile for gfx90a") {
  if (!have_compiler(DeviceKind::hip)) return;
  compile_all("gfx90a", variants());
}

TEST_CASE("the kernels of generalized ufuncs: some variants for other architectures, without a stack") {
  compile_some(variants());
}

TEST_CASE("the kernels of generalized ufuncs: machine code for AMD") {
  compile_for_amd(variants(), {.divide = {"masked", "staged", "team"}, .spill = {"staged"}, .exchange = {}});
}
