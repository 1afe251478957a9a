// Which run-time compilers this machine has, for tests that need one: a case is skipped, and counted, where it is missing, and
// fails where KILN_REQUIRE_COMPILERS ("nvrtc,hiprtc") names it. With KILN_GPU_COMPILER=clang the compiler is Clang.
#pragma once

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "compiler/clang.hpp"
#include "library/compiler_library.hpp"

namespace kiln::test {

/// Prints "NVRTC not installed: 3 cases not run" when the process ends.
class SkippedCases {
 public:
  explicit SkippedCases(const char* compiler) : compiler_(compiler) {}
  ~SkippedCases() {
    if (count_ > 0) std::printf("%s not installed: %d case%s not run\n", compiler_, count_, count_ == 1 ? "" : "s");
  }
  void count() { ++count_; }

 private:
  const char* compiler_;
  int count_ = 0;
};

/// True where the compiler is there. Call it once at the top of a test case.
inline bool have_compiler(DeviceKind kind) {
  const char* const chosen = std::getenv("KILN_GPU_COMPILER");
  if (chosen != nullptr && std::string(chosen) == "clang") return backend::have_clang();
  static SkippedCases nvrtc("NVRTC");
  static SkippedCases hiprtc("hipRTC");
  try {
    static_cast<void>(backend::gpu::CompilerLibrary::of(kind));
    return true;
  } catch (const std::exception& error) {
    const char* const required = std::getenv("KILN_REQUIRE_COMPILERS");
    if (required != nullptr && std::string(required).find(kind == DeviceKind::hip ? "hiprtc" : "nvrtc") != std::string::npos) {
      FAIL_CHECK("KILN_REQUIRE_COMPILERS names a compiler that is not here: ", error.what());
    } else {
      (kind == DeviceKind::hip ? hiprtc : nvrtc).count();
    }
    return false;
  }
}

}  // namespace kiln::test
