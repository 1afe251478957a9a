// What NVRTC and hipRTC make of the templates of reductions, with no device: every mapping, mask, identity and dtype.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../backend/gpu_compilers.hpp"
#include "backend/backend.hpp"
#include "backend/gpu/compiler.hpp"
#include "kinds/spec.hpp"

namespace {

using namespace kiln;
using kiln::test::have_compiler;
using kinds::Mapping;
using kinds::ReductionSpec;

struct Case {
  std::string name;
  ReductionSpec spec;
};

constexpr Mapping kMappings[] = {Mapping::thread, Mapping::warp, Mapping::block, Mapping::columns};

std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](std::string name, const ReductionSpec& spec) { all.push_back({std::move(name), spec}); };
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
  for (const Mapping mapping : kMappings) {
    ReductionSpec spec{.inputs = {{DType::float32, DType::float32}}, .outputs = {{DType::float32, DType::float32}}};
    spec.mapping = mapping;
    spec.segmented = true;
    add("mapping " + std::to_string(static_cast<int>(mapping)) + " segmented", spec);
    spec.kept_rank = 3;
    spec.wide_index = true;
    add("mapping " + std::to_string(static_cast<int>(mapping)) + " nd wide segmented", spec);
  }
  for (const DType dtype : {DType::bool_, DType::int8, DType::float16, DType::complex128}) {
    ReductionSpec spec{.inputs = {{dtype, dtype}}, .outputs = {{dtype, dtype}}};
    spec.segmented = true;
    spec.mapping = Mapping::warp;
    add("dtype " + std::string(name(dtype)) + " segmented", spec);
  }
  ordered.masked = false;
  ordered.segmented = true;
  add("ordered segmented", ordered);
  return all;
}

void compile_all(const char* target, const std::vector<Case>& chosen) {
  const auto compiler = backend::gpu::compiler_for_target(target);
  REQUIRE(compiler);
  for (const Case& one : chosen) {
    codegen::UserText text{.name = "plus", .body = "return a + b;", .input_names = {"a", "b"}};
    if (one.spec.identity) text.identity = "0";
    if (one.spec.inputs.front().compute == DType::bool_) text.body = "return a || b;";
    backend::CompileRequest request{.name = text.name, .context = one.name};
    request.source = kinds::render(text, one.spec, compiler->kind());
    request.headers = codegen::resolve_includes({{text.name, request.source}}, {}, {});
    try {
      const backend::CompileResult result = compiler->compile(request);
      CHECK_MESSAGE(result.code.find("kiln_kernel") != std::string::npos, one.name);
      CHECK_MESSAGE(result.log.empty(), one.name, ": ", result.log);
    } catch (const CompileError& error) {
      FAIL_CHECK(std::string(target), ", ", one.name, ": ", std::string(error.what()));
    }
  }
}

// Each mapping, and what differs by dtype: halves, 16 bytes that no device swaps at once.
std::vector<Case> smoke() {
  std::vector<Case> chosen;
  for (const Case& one : cases()) {
    for (const char* name :
         {"mapping 0 masked", "mapping 1 masked", "mapping 2 masked identity", "mapping 3 masked", "dtype float16 masked",
          "dtype complex128 masked", "mapping 2 nd wide segmented", "ordered masked"}) {
      if (one.name == name) chosen.push_back(one);
    }
  }
  REQUIRE(chosen.size() == 8);
  return chosen;
}

}  // namespace

TEST_CASE("reductions: every variant compiles for sm_90") {
  if (have_compiler(DeviceKind::cuda)) compile_all("sm_90", cases());
}

TEST_CASE("reductions: every variant compiles for gfx90a") {
  if (have_compiler(DeviceKind::hip)) compile_all("gfx90a", cases());
}

TEST_CASE("reductions: the smoke set compiles for the other architectures") {
  for (const char* target : {"sm_75", "sm_100"}) {
    if (have_compiler(DeviceKind::cuda)) compile_all(target, smoke());
  }
  for (const char* target : {"gfx906", "gfx1030"}) {
    if (have_compiler(DeviceKind::hip)) compile_all(target, smoke());
  }
}
