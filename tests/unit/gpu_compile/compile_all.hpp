// Kernels of every variant by a GPU's compiler, no device needed.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "../../support/sample.hpp"
#include "../backend/gpu_compilers.hpp"
#include "backend/backend.hpp"
#include "backend/gpu/compiler.hpp"
#include "kinds/kernel_text.hpp"
#include "kinds/spec.hpp"

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

/// A third of them compile, and the compiler has nothing to say of them.
template <class Spec>
void compile_all(const std::string& target, const std::vector<VariantOf<Spec>>& variants) {
  const auto compiler = backend::gpu::compiler_for_target(target);
  REQUIRE(compiler);
  Sample sample(3);
  std::printf("%s: KILN_TEST_FIRST=%d\n", compiler->name().c_str(), static_cast<int>(Sample::first() % 3));
  for (const VariantOf<Spec>& variant : variants) {
    if (!sample.takes_next()) continue;
    try {
      const backend::CompileResult result = compiler->compile(request(variant, compiler->kind()));
      CHECK_MESSAGE(result.code.find("kiln_kernel") != std::string::npos, variant.name);
      CHECK_MESSAGE(result.log.empty(), variant.name, ": ", result.log);
    } catch (const CompileError& error) {
      FAIL_CHECK(target, ", ", variant.name, ": ", error.what());
    }
  }
}

}  // namespace kiln::test
