// That kernels keep nothing in memory of each thread's own, read from their machine code.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "binary/code_object.hpp"
#include "binary/cubin.hpp"
#include "compiler/compiler.hpp"

namespace kiln::test {

/// Bytes of stack a thread; nothing for PTX, from which the driver makes machine code.
inline std::optional<std::int64_t> stack_bytes(const backend::Compiler& compiler, const std::string& code) {
  const std::string target = compiler.short_target();
  const backend::StoredCode stored{.name = "kiln_kernel", .target = target, .bytes = code};
  if (compiler.kind() == DeviceKind::hip) return backend::gpu::code_object_resources(stored).local_bytes;
  if (!code.starts_with("\x7f"
                        "ELF"))
    return std::nullopt;
  return backend::gpu::cubin_resources(stored).local_bytes;
}

/// A kernel whose compiler spills registers.
struct KnownStack {
  std::string_view compiler;
  std::string_view target;
  std::string_view variant;
};
inline constexpr KnownStack kKnownStacks[] = {
    {"NVRTC", "sm_80", "team complex128"},
    {"NVRTC", "sm_90", "each complex64"},
    {"NVRTC", "sm_90", "scatter of one input"},
};

inline bool known_stack(const backend::Compiler& compiler, std::string_view variant) {
  return std::any_of(std::begin(kKnownStacks), std::end(kKnownStacks), [&](const KnownStack& known) {
    return known.compiler == compiler.name() && known.target == compiler.short_target() && known.variant == variant;
  });
}

/// That it has no stack, unless it is known to have one.
inline void check_stack(const backend::Compiler& compiler, const std::string& variant, const std::string& code) {
  const std::int64_t bytes = stack_bytes(compiler, code).value_or(0);
  if (bytes == 0 || known_stack(compiler, variant)) return;
  FAIL_CHECK(compiler.name(), ", ", compiler.short_target(), ", ", variant, ": ", bytes, " bytes of stack");
}

}  // namespace kiln::test
