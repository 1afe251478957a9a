#include "kernel/elementwise/spec.hpp"
#include "kernel/gufunc/spec.hpp"
#include "kernel/raw/spec.hpp"
#include "kernel/reduction/spec.hpp"
#include "kernel/scan/spec.hpp"
#include "kernel/scatter/spec.hpp"
#include "kernel/spec.hpp"

#include <doctest/doctest.h>

#include "device/backend.hpp"

using kiln::DeviceKind;
using kiln::DType;
using kiln::kinds::Access;
using kiln::kinds::CoreOperandSpec;
using kiln::kinds::ElementwiseSpec;
using kiln::kinds::GufuncSpec;
using kiln::kinds::ItemStep;
using kiln::kinds::Mapping;
using kiln::kinds::Masking;
using kiln::kinds::OperandSpec;
using kiln::kinds::RawForm;
using kiln::kinds::RawSpec;
using kiln::kinds::ReductionSpec;
using kiln::kinds::ScanSpec;
using kiln::kinds::ScatterSpec;
using kiln::kinds::Staging;

namespace {

OperandSpec operand(Access access = Access::contiguous, DType storage = DType::float64) {
  return {.storage = storage, .compute = DType::float64, .access = access};
}

std::string on_cpu(const kiln::kinds::KernelSpec& spec) {
  return spec->variant_text(DeviceKind::cpu);
}
std::string on_gpu(const kiln::kinds::KernelSpec& spec) {
  return spec->variant_text(DeviceKind::cuda);
}

}  // namespace

TEST_CASE("variants of a ufunc's loop") {
  ElementwiseSpec spec{.inputs = {operand(), operand()}, .outputs = {operand()}};
  CHECK(on_cpu(spec) == "contiguous");
  spec.inputs[1].access = Access::scalar;
  CHECK(on_cpu(spec) == "contiguous, input 1 scalar");
  spec.inputs[0] = operand(Access::broadcast, DType::int32);
  spec.outputs[0].storage = DType::float32;
  spec.rank = 2;
  CHECK(on_cpu(spec) == "inner-contiguous, input 0 broadcast, input 0 from int32, input 1 scalar, output 0 to float32");
  CHECK(on_gpu(spec) == on_cpu(spec) + ", rank 2");
  spec = {.inputs = {operand(Access::strided), operand()}, .outputs = {operand()}, .rank = 2};
  CHECK(on_cpu(spec) == "strided (input 0), any rank");
  spec = {.inputs = {operand(Access::strided), operand(Access::scalar)}, .outputs = {operand(Access::strided)}};
  CHECK(on_cpu(spec) == "strided, input 1 scalar");
  spec = {
      .inputs = {operand()}, .outputs = {operand()}, .rank = 3, .width = 4, .unroll = 2, .wide_index = true, .aliased = true};
  CHECK(on_gpu(spec) == "inner-contiguous, rank 3, width 4, unrolled 2, 64-bit index, in place");
  spec = {.inputs = {operand(Access::across), operand()}, .outputs = {operand()}, .rank = 2, .unroll = 4, .tile = 32};
  CHECK(on_gpu(spec) == "tiled, input 0 across, rank 2, unrolled 4");
  spec.inputs[1] = operand(Access::strided);
  spec.outputs[0] = operand(Access::across);
  CHECK(on_gpu(spec) == "tiled, strided (input 1), input 0 across, output 0 across, rank 2, unrolled 4");
}

TEST_CASE("a mask is no input, and what the CPU reads of the outputs is none") {
  const OperandSpec mask{.storage = DType::bool_, .compute = DType::bool_, .access = Access::broadcast};
  CHECK(
      on_cpu(ElementwiseSpec{.inputs = {operand(), mask}, .outputs = {operand()}, .masking = Masking::zero, .arguments = 1}) ==
      "contiguous, where (zero), where broadcast");
  CHECK(on_cpu(
            ElementwiseSpec{.inputs = {operand(), {.storage = DType::bool_, .compute = DType::bool_}, operand(Access::strided)},
                            .outputs = {operand()},
                            .masking = Masking::keep,
                            .arguments = 1}) == "contiguous, where (keep)");
}

TEST_CASE("variants of methods and reductions") {
  ReductionSpec spec{
      .inputs = {operand(Access::strided, DType::int8)}, .outputs = {operand()}, .masked = true, .ordered = true};
  CHECK(on_cpu(spec) == "reduce, input 0 from int8, where, in order");
  spec = {.inputs = {operand()}, .outputs = {operand()}, .identity = true};
  CHECK(on_cpu(spec) == "reduce, with identity");
  spec = {.inputs = {operand()},
          .outputs = {operand()},
          .stages = true,
          .mapping = Mapping::columns,
          .kept_rank = 2,
          .reduced_rank = 3,
          .width = 4};
  CHECK(on_gpu(spec) == "reduction (columns), 2 kept axes, 3 reduced axes, width 4");
  CHECK(on_gpu(ReductionSpec{.inputs = {operand()}, .outputs = {operand()}, .segmented = true, .wide_index = true}) ==
        "reduceat (warp), 64-bit index");
  CHECK(on_cpu(ScanSpec{.input = operand(Access::contiguous, DType::float32), .output = DType::float64}) ==
        "accumulate, input from float32");
  CHECK(on_gpu(ScatterSpec{.target = operand(), .value = operand(Access::scalar), .ordered = true}) ==
        "at, value scalar, any layout, in order");
  ScatterSpec rows{.target = operand(), .layout = {.arrays = 2, .rank = 2, .row_rank = 1, .wide_index = true, .bins = true}};
  rows.layout.indices = {DType::int64, DType::uint8};
  CHECK(on_gpu(rows) == "at, index int64, index uint8, 2 dimensions, rows, bins, 64-bit index");
  CHECK(on_cpu(ScatterSpec{.target = operand()}) == "at");
  CHECK(on_cpu(RawSpec{.form = RawForm::single}) == "single");
  CHECK(on_cpu(RawSpec{.form = RawForm::blocks, .finds_races = true}) == "blocks, race");
  CHECK(on_gpu(RawSpec{.parameters = {{.array = true, .dimensions = 1},
                                      {.array = true, .dimensions = 2, .strided = true},
                                      {.array = true, .dimensions = 1, .strided = true}},
                       .form = RawForm::items}) == "items, strided (argument 1), strided (argument 2)");
}

TEST_CASE("variants of a generalized ufunc's loop") {
  const auto core = [](bool packed, int unit = -1) {
    return CoreOperandSpec{.element = operand(), .dimensions = {0}, .unit = unit, .packed = packed};
  };
  GufuncSpec spec{.inputs = {core(true)}, .outputs = {core(true)}, .dimensions = {{.name = "n"}}};
  CHECK(on_cpu(spec) == "contiguous");
  spec.dimensions[0].size = 8;
  CHECK(on_cpu(spec) == "contiguous, n = 8");
  spec.inputs[0].step = ItemStep::none;
  CHECK(on_cpu(spec) == "contiguous, n = 8, input 0 shared");
  spec = {.inputs = {core(false, 1)},
          .outputs = {core(false)},
          .dimensions = {{.name = "n"}},
          .masked = true,
          .team = 64,
          .wide_index = true};
  CHECK(on_gpu(spec) == "strided, input 0 along 1, where, team of 64, 64-bit index");
  spec.team_bytes = 4096;
  CHECK(on_gpu(spec) == "strided, input 0 along 1, where, team of 64, 4096 bytes shared, 64-bit index");
  spec.outputs[0].packed = true;
  CHECK(on_gpu(spec).starts_with("strided (input 0), input 0 along 1, "));
  spec = {.inputs = {core(true)}, .outputs = {core(true)}, .dimensions = {{.name = "n", .size = 3}}};
  spec.inputs[0].step = ItemStep::behind;
  spec.outputs[0].step = ItemStep::beside;
  CHECK(on_cpu(spec) == "contiguous, n = 3, input 0 as AoS, output 0 as SoA");
  spec = {.inputs = {core(true)}, .outputs = {core(true)}, .dimensions = {{.name = "n"}}, .each = {{"j", 0}, {"i", 0}}};
  CHECK(on_cpu(spec) == "contiguous, each j i");
  spec.folded = true;
  CHECK(on_cpu(spec) == "contiguous, each j i, whole items");
  spec.folded = false;
  spec.inputs[0].staging = Staging::common;
  CHECK(on_gpu(spec) == "contiguous, input 0 in shared memory, each j i");
  spec.each = {};
  spec.inputs[0].staging = Staging::window;
  CHECK(on_gpu(spec) == "contiguous, input 0 by windows");
}
