// Runs a test by every compiler that is here: Clang for the CPU, NVRTC, hipRTC. None needs a device.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "kiln/error.hpp"
#include "kiln/kernel.hpp"
#include "kiln/ufunc.hpp"
#include "report.hpp"

namespace conformance {

struct Compiler {
  const char* target;
  std::string name;     ///< as the closing line names it: "NVRTC"
  const char* not_run;  ///< as reports name it
};
inline const Compiler kCompilers[] = {
    {"native", "Clang", "clang"}, {"sm_90", "NVRTC", "nvrtc"}, {"gfx90a", "hipRTC", "hiprtc"}};

inline bool required(std::string_view compiler) {
  const char* list = std::getenv("KILN_REQUIRE_COMPILERS");
  return list != nullptr && std::string_view(list).find(compiler) != std::string_view::npos;
}

/// The compiler for the target, without its version: "NVRTC". DeviceError where there is none.
inline std::string compiler_for(const char* target) {
  try {
    (void)kiln::vectorize("float32(float32 a)", "return unknown;").compile(target);
  } catch (const kiln::CompileError& error) {
    return error.compiler().substr(0, error.compiler().find(' '));
  }
  FAIL("an unknown name compiled");
  return "";
}

/// Runs the body for every target, with the compiler that is here for it. Clang takes the place of a missing vendor's compiler,
/// which is reported.
template <class Body>
void on_every_compiler(Body body) {
  for (Compiler compiler : kCompilers) {
    INFO(compiler.target);
    std::string name;
    try {
      name = compiler_for(compiler.target);
    } catch (const kiln::DeviceError& error) {
      INFO(error.what());
    }
    if (name != compiler.name && std::getenv("KILN_GPU_COMPILER") == nullptr) {
      CHECK(!required(compiler.not_run));
      note_not_run(compiler.not_run);
    }
    if (name.empty()) continue;
    compiler.name = name;
    body(compiler);
  }
}

}  // namespace conformance
