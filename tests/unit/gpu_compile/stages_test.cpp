// What NVRTC and hipRTC make of reductions of stages, with no device: every mapping, mask, index and kind of operand.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "compile_all.hpp"
#include "kernel/reduction/spec.hpp"

namespace {

using namespace kiln;
using codegen::UserText;
using kiln::test::have_compiler;
using kinds::Access;
using kinds::Mapping;
using kinds::ReductionSpec;

UserText argmax(DType dtype) {
  UserText text{.name = "argmax", .body = "return a.best < b.best || (a.best == b.best && b.at < a.at) ? b : a;"};
  text.stages = codegen::Stages{.accumulator = "T best; int64 at;", .map = "return {x, i};", .post = "return a.at;"};
  text.input_names = {"x"};
  text.type_variables = {{"T", dtype}};
  return text;
}

UserText weighted_mean() {
  UserText text{.name = "weighted", .body = "a.weight += b.weight;\na.sum += b.sum;\nreturn a;", .identity = "{0, 0}"};
  text.stages = codegen::Stages{.accumulator = "float64 weight, sum;",
                                .map = "return {w, w * x};",
                                .post = "mean = a.sum / a.weight; weight = a.weight;"};
  text.input_names = {"x", "w"};
  text.output_names = {"mean", "weight"};
  return text;
}

using Variant = kiln::test::VariantOf<ReductionSpec>;

std::vector<Variant> variants() {
  std::vector<Variant> found;
  for (const Mapping mapping : {Mapping::thread, Mapping::warp, Mapping::block, Mapping::columns}) {
    const std::string number = "mapping " + std::to_string(static_cast<int>(mapping));
    const int width = mapping == Mapping::warp || mapping == Mapping::block ? 4 : 1;
    ReductionSpec spec{.inputs = {{DType::float32, DType::float32}}, .outputs = {{DType::int64, DType::int64}}};
    spec.stages = spec.indexed = true;
    spec.state_bytes = 16;
    spec.mapping = mapping;
    spec.width = width;
    found.push_back({number + " argmax", argmax(DType::float32), spec});
    ReductionSpec two{.inputs = {{DType::int16, DType::float64}, {DType::float32, DType::float64}},
                      .outputs = {{DType::float16, DType::float64}, {DType::float64, DType::float64}},
                      .identity = true};
    two.stages = true;
    two.state_bytes = 16;
    two.mapping = mapping;
    two.width = width;
    for (const bool masked : {false, true}) {
      two.masked = masked;
      found.push_back({number + (masked ? " weighted, masked" : " weighted"), weighted_mean(), two});
    }
    two.inputs[0].access = Access::broadcast;
    two.inputs[1] = {DType::float64, DType::float64, Access::scalar};
    two.kept_rank = 3;
    two.reduced_rank = 2;
    two.width = 1;
    two.wide_index = true;
    found.push_back({number + " still inputs, nd wide", weighted_mean(), two});
  }
  for (const DType dtype : {DType::bool_, DType::uint8, DType::float16, DType::bfloat16, DType::int64}) {
    ReductionSpec spec{.inputs = {{dtype, dtype}}, .outputs = {{DType::int64, DType::int64}}};
    spec.stages = spec.indexed = true;
    spec.state_bytes = 16;
    spec.mapping = Mapping::block;
    spec.width = static_cast<int>(16 / itemsize(dtype));
    found.push_back({"argmax of " + std::string(name(dtype)), argmax(dtype), spec});
  }
  ReductionSpec ordered{.inputs = {{DType::int8, DType::int32}}, .outputs = {{DType::int64, DType::int64}}, .ordered = true};
  ordered.stages = ordered.indexed = true;
  ordered.state_bytes = 16;
  ordered.mapping = Mapping::thread;
  found.push_back({"ordered", argmax(DType::int32), ordered});
  return found;
}

}  // namespace

TEST_CASE("reductions of stages: every variant compiles for sm_90") {
  if (have_compiler(DeviceKind::cuda)) compile_all("sm_90", variants());
}

TEST_CASE("reductions of stages: every variant compiles for gfx90a") {
  if (have_compiler(DeviceKind::hip)) compile_all("gfx90a", variants());
}

TEST_CASE("reductions of stages: some variants for other architectures, without a stack") {
  compile_some(variants());
}

TEST_CASE("reductions of stages: machine code for AMD") {
  compile_for_amd(
      variants(),
      {.divide = {"mapping 2", "mapping 3", "nd wide", "argmax of"}, .spill = {"argmax", "masked", "nd wide"}, .exchange = {}});
}
