// Kernels of every variant by a GPU's compiler, no device needed.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "../../support/sample.hpp"
#include "../device/gpu_compilers.hpp"
#include "amd_code.hpp"
#include "compiler/gpu/clang_compiler.hpp"
#include "compiler/gpu/compiler.hpp"
#include "device/backend.hpp"
#include "kernel/kernel_text.hpp"
#include "kernel/spec.hpp"
#include "kiln/error.hpp"
#include "stack.hpp"

namespace kiln::test {

inline constexpr DType kAllDTypes[] = {DType::bool_,    DType::int8,    DType::int16,   DType::int32,     DType::int64,
                                       DType::uint8,    DType::uint16,  DType::uint32,  DType::uint64,    DType::float16,
                                       DType::bfloat16, DType::float32, DType::float64, DType::complex64, DType::complex128};

/// A kernel of some kind: a user's text, and what it is specialized for.
template <class Spec>
struct VariantOf {
  std::string name;
  codegen::UserText text;
  Spec spec;
};

template <class Spec>
backend::CompileRequest request(const VariantOf<Spec>& variant, DeviceKind target) {
  backend::CompileRequest made{.name = variant.text.name, .context = variant.name};
  made.source = kinds::render(variant.text, variant.spec, target);
  made.headers = codegen::resolve_includes({{variant.text.name, made.source}}, {}, {});
  return made;
}

/// A fifth of them, or one in `one_in`, compile. The compiler has nothing to say of them, and no kernel has a stack but those
/// that are known to.
template <class Spec>
void compile_all(const std::string& target, const std::vector<VariantOf<Spec>>& variants, std::uint64_t one_in = 5) {
  const auto compiler = backend::gpu::compiler_for_target(target);
  REQUIRE(compiler);
  Sample sample(one_in);
  std::printf("%s: KILN_TEST_FIRST=%llu\n", compiler->name().c_str(), static_cast<unsigned long long>(Sample::first()));
  for (const VariantOf<Spec>& variant : variants) {
    if (!sample.takes_next()) continue;
    try {
      const backend::CompileResult result = compiler->compile(request(variant, compiler->kind()));
      CHECK_MESSAGE(result.code.find("kiln_kernel") != std::string::npos, variant.name);
      CHECK_MESSAGE(result.log.empty(), variant.name, ": ", result.log);
      check_stack(*compiler, variant.name, result.code);
    } catch (const CompileError& error) {
      FAIL_CHECK(target, ", ", variant.name, ": ", error.what());
    }
  }
}

/// Some of them for AMD's architectures by Clang, whose machine code is looked at.
template <class Spec>
void compile_for_amd(const std::vector<VariantOf<Spec>>& variants, const KnownAmdCode& known, std::uint64_t one_in = 12) {
  if (!backend::have_clang()) return;
  for (const char* target : {"gfx90a", "gfx942", "gfx1100"}) {
    const auto compiler = backend::gpu::make_clang_compiler({.name = target});
    Sample sample(one_in);
    std::printf("%s: KILN_TEST_FIRST=%llu\n", target, static_cast<unsigned long long>(Sample::first()));
    for (const VariantOf<Spec>& variant : variants) {
      if (!sample.takes_next()) continue;
      const std::string code = compiler->compile(request(variant, DeviceKind::hip)).code;
      check_amd_code({.name = "kiln_kernel", .target = target, .bytes = code}, variant.name, known);
    }
  }
}

/// Some of them for other architectures of NVIDIA's, whose stack is looked at.
template <class Spec>
void compile_some(const std::vector<VariantOf<Spec>>& variants) {
  for (const char* target : {"sm_80", "sm_100"}) {
    if (have_compiler(DeviceKind::cuda)) compile_all(target, variants, 6);
  }
}

}  // namespace kiln::test
