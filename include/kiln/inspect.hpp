// Looking into compiled kernels: disassembly, intermediate forms, and what a kernel takes of its processor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/cache.hpp"
#include "kiln/export.hpp"

namespace kiln::inspect {

/// What text() shows of a kernel.
enum class Form : std::uint8_t {
  source,    ///< the translation unit
  ptx,       ///< NVIDIA; compiled again from the entry's key
  sass,      ///< NVIDIA; by nvdisasm or cuobjdump, where the CUDA toolkit has one
  amdgcn,    ///< AMD
  assembly,  ///< of whatever the target is: the same as sass and amdgcn there
  llvm_ir,   ///< where Clang made it: on CPUs always; compiled again from the entry's key
};
/// "source", "ptx", "sass", "amdgcn", "asm", "llvm-ir". Nothing for another name.
[[nodiscard]] KILN_API std::optional<Form> parse_form(std::string_view name) noexcept;

/// The kernel in that form. TypeError where its target has no such form, with those that it has; DeviceError where the tool or
/// compiler that makes it is missing, with every path tried; IoError for machine code that is damaged. What is compiled again
/// is so from the key alone: CacheError where that is another kiln's. It begins with a comment where this machine's compiler is
/// another version than the one that made the entry. Runs nothing of the kernel.
[[nodiscard]] KILN_API std::string text(const cache::Contents& kernel, Form form);

/// What a kernel takes, where its target says so. Read from the machine code, which may be hostile.
struct Resources {
  std::optional<std::int64_t> registers;         ///< a thread's; on AMD: vector registers
  std::optional<std::int64_t> scalar_registers;  ///< AMD: a wave's
  std::optional<std::int64_t> spills;            ///< registers stored for want of others; CPU: stores to the stack in loops
  std::optional<std::int64_t> shared_bytes;      ///< a block's, known at compile time
  std::optional<std::int64_t> local_bytes;       ///< a thread's stack
  std::optional<std::int64_t> constant_bytes;    ///< NVIDIA
  std::optional<std::int64_t> max_threads;       ///< in a block
  std::optional<std::int64_t> wave_size;         ///< AMD
  std::optional<std::int64_t> vector_bits;       ///< CPU: the widest arithmetic in a loop; 0: an element at a time
  std::string scalar_because;                    ///< CPU: why a body with loops has vector_bits 0, and where in its text
  std::int64_t code_bytes = 0;                   ///< instructions; 0 for PTX, which the driver finishes
};
/// IoError for code that is damaged; DeviceError where what reads it is missing (on the CPU, LLVM). NVIDIA's machine code does
/// not tell its spills: where it uses a stack, the kernel is compiled again for them, if the compiler that made it is here; so
/// is a CPU's without vectors, for the reason.
[[nodiscard]] KILN_API Resources resources(const cache::Contents& kernel);

}  // namespace kiln::inspect
