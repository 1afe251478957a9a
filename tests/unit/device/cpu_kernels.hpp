// Kernels for the tests of the CPU backend, written by hand: what lib/kiln/source would render is not their subject.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/cpu/compiler.hpp"
#include "device/backend.hpp"
#include "kernel/elementwise/launch.hpp"

namespace kiln::test {

/// A translation unit: float32 out = body(float32 a, float32 b), contiguous, body under #line "probe".
inline std::string binary_source(const std::string& body, const std::string& functions = {}) {
  return "struct cpu_launch { void* const* data; const long* shape; const long* strides; long rank; };\n"
         "extern \"C\" { float expf(float) noexcept; float sqrtf(float) noexcept; double exp(double) noexcept; }\n"
         "namespace kiln::user {\n"
         "#line 1 \"probe.functions\"\n" +
         functions +
         "\n#line 1 \"kiln\"\n"
         "inline float body(float a, float b) {\n"
         "#line 1 \"probe\"\n" +
         body +
         "\n#line 1 \"kiln\"\n"
         "}\n}\n"
         "extern \"C\" __attribute__((visibility(\"default\"))) void kiln_kernel(const cpu_launch* l, long begin, long end) {\n"
         "  const float* __restrict__ a = (const float*)l->data[0];\n"
         "  const float* __restrict__ b = (const float*)l->data[1];\n"
         "  float* __restrict__ out = (float*)l->data[2];\n"
         "  for (long i = begin; i < end; ++i) out[i] = kiln::user::body(a[i], b[i]);\n"
         "}\n";
}

inline backend::CompileRequest binary_request(const std::string& body, const std::string& functions = {}) {
  return {.name = "probe", .context = "float32(float32 a, float32 b)", .source = binary_source(body, functions)};
}

inline std::shared_ptr<backend::Module> load_binary(backend::Backend& device, const std::string& body) {
  return device.load(device.compiler()->compile(binary_request(body)).code, "probe");
}

/// The launch of such a kernel over `size` elements.
struct BinaryLaunch {
  BinaryLaunch(const float* a, const float* b, float* out, std::int64_t size) : shape{size} {
    const void* const inputs[] = {a, b};
    for (std::size_t i = 0; i < 2; ++i) operands[i].data = const_cast<void*>(inputs[i]);
    operands[2].data = out;
    for (auto& operand : operands) {
      operand.strides = strides.data();
      operand.itemsize = sizeof(float);
    }
  }
  BinaryLaunch(const BinaryLaunch&) = delete;
  BinaryLaunch& operator=(const BinaryLaunch&) = delete;

  [[nodiscard]] kinds::ElementwiseLaunch get() const { return {.operands = operands, .shape = shape, .size = shape[0]}; }

  std::array<std::int64_t, 1> shape;
  std::array<std::int64_t, 1> strides{sizeof(float)};
  std::array<kinds::LaunchOperand, 3> operands;
};

}  // namespace kiln::test
