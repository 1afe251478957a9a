// What NVRTC and hipRTC make of the templates of reductions, with no device: every mapping, mask, identity and dtype.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "compile_all.hpp"
#include "kernel/reduction/spec.hpp"

namespace {

using namespace kiln;
using kiln::test::have_compiler;
using kinds::Mapping;
using kinds::ReductionSpec;

using Variant = kiln::test::VariantOf<ReductionSpec>;

constexpr Mapping kMappings[] = {Mapping::thread, Mapping::warp, Mapping::block, Mapping::columns};

std::vector<Variant> variants() {
  std::vector<Variant> all;
  const auto add = [&](std::string name, const ReductionSpec& spec) {
    codegen::UserText text{.name = "plus", .body = "return a + b;", .input_names = {"a", "b"}};
    if (spec.identity) text.identity = "0";
    if (spec.inputs.front().compute == DType::bool_) text.body = "return a || b;";
    all.push_back({std::move(name), std::move(text), spec});
  };
  for (const Mapping mapping : kMappings) {
    for (const bool masked : {false, true}) {
      for (const bool identity : {false, true}) {
        ReductionSpec spec{.inputs = {{DType::float32, DType::float32}}, .outputs = {{DType::float32, DType::float32}}};
        spec.identity = identity;
        spec.masked = masked;
        spec.mapping = mapping;
        spec.width = mapping == Mapping::warp || mapping == Mapping::block ? 4 : 1;
        add("mapping " + std::to_string(static_cast<int>(mapping)) + (masked ? " masked" : "") + (identity ? " identity" : ""),
            spec);
        spec.kept_rank = 3;
        spec.reduced_rank = 2;
        spec.wide_index = true;
        spec.width = 1;
        add(all.back().name + " nd wide", spec);
      }
    }
  }
  for (const DType dtype : {DType::bool_, DType::int8, DType::uint64, DType::float16, DType::bfloat16, DType::float64,
                            DType::complex64, DType::complex128}) {
    for (const bool masked : {false, true}) {
      ReductionSpec spec{.inputs = {{dtype, dtype}}, .outputs = {{dtype, dtype}}};
      spec.masked = masked;
      spec.mapping = Mapping::block;
      spec.width = static_cast<int>(16 / itemsize(dtype));
      add("dtype " + std::string(name(dtype)) + (masked ? " masked" : ""), spec);
    }
  }
  ReductionSpec ordered{.inputs = {{DType::int8, DType::int32}}, .outputs = {{DType::float16, DType::int32}}, .ordered = true};
  ordered.mapping = Mapping::thread;
  add("ordered", ordered);
  ordered.masked = true;
  add("ordered masked", ordered);
  for (const Mapping mapping : {Mapping::warp, Mapping::columns}) {
    ReductionSpec spec{.inputs = {{DType::float32, DType::float32}}, .outputs = {{DType::float32, DType::float32}}};
    spec.mapping = mapping;
    spec.segmented = true;
    add("mapping " + std::to_string(static_cast<int>(mapping)) + " segmented", spec);
    spec.inputs.front().access = kinds::Access::strided;
    spec.kept_rank = 2;
    add("mapping " + std::to_string(static_cast<int>(mapping)) + " strided segmented", spec);
    spec.kept_rank = 3;
    spec.wide_index = true;
    add("mapping " + std::to_string(static_cast<int>(mapping)) + " nd wide segmented", spec);
  }
  for (const DType dtype : {DType::bool_, DType::int8, DType::float16, DType::float64, DType::complex64, DType::complex128}) {
    for (const Mapping mapping : {Mapping::warp, Mapping::columns}) {
      ReductionSpec spec{.inputs = {{dtype, dtype}}, .outputs = {{dtype, dtype}}};
      spec.segmented = true;
      spec.mapping = mapping;
      add("dtype " + std::string(name(dtype)) + (mapping == Mapping::columns ? " columns" : "") + " segmented", spec);
    }
  }
  ordered.masked = false;
  ordered.segmented = true;
  add("ordered segmented", ordered);
  return all;
}

// Each mapping, and what differs by dtype: halves, 16 bytes that no device swaps at once.
std::vector<Variant> smoke() {
  std::vector<Variant> chosen;
  for (const Variant& one : variants()) {
    for (const char* name : {"mapping 0 masked", "mapping 1 masked", "mapping 2 masked identity", "mapping 3 masked",
                             "dtype float16 masked", "dtype complex128 masked", "mapping 1 segmented",
                             "dtype complex128 segmented", "mapping 3 nd wide segmented", "ordered masked"}) {
      if (one.name == name) chosen.push_back(one);
    }
  }
  REQUIRE(chosen.size() == 10);
  return chosen;
}

}  // namespace

TEST_CASE("reductions: every variant compiles for sm_90") {
  if (have_compiler(DeviceKind::cuda)) compile_all("sm_90", variants());
}

TEST_CASE("reductions: every variant compiles for gfx90a") {
  if (have_compiler(DeviceKind::hip)) compile_all("gfx90a", variants());
}

TEST_CASE("reductions: the smoke set compiles for the other architectures") {
  for (const char* target : {"sm_75", "sm_100"}) {
    if (have_compiler(DeviceKind::cuda)) compile_all(target, smoke());
  }
  for (const char* target : {"gfx906", "gfx1030"}) {
    if (have_compiler(DeviceKind::hip)) compile_all(target, smoke());
  }
}

TEST_CASE("reductions: some variants for other architectures, without a stack") {
  compile_some(variants());
}

TEST_CASE("reductions: machine code for AMD") {
  compile_for_amd(variants(), {.divide = {"mapping 2", "mapping 3", "nd wide", "dtype", "segmented"},
                               .spill = {"nd wide", "masked", "dtype bool"},
                               .exchange = {"segmented"}});
}
