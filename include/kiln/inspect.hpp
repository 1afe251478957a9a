// Inspection of compiled kernels: disassembly, intermediate forms, and the resources that a kernel uses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/cache_entry.hpp"
#include "kiln/diagnostic.hpp"
#include "kiln/export.hpp"

namespace kiln::inspect {

/// Form of a kernel in text().
enum class Form : std::uint8_t {
  source,    ///< the translation unit
  ptx,       ///< NVIDIA; compiled again from the entry's key
  sass,      ///< NVIDIA; by nvdisasm or cuobjdump, if the CUDA toolkit has one
  amdgcn,    ///< AMD
  assembly,  ///< machine code of any target: equal to sass and amdgcn for their targets
  llvm_ir,   ///< output of Clang, always available on CPUs; compiled again from the entry's key
};
/// Parses "source", "ptx", "sass", "amdgcn", "asm" or "llvm-ir". Returns nothing for another name.
[[nodiscard]] KILN_API std::optional<Form> parse_form(std::string_view name) noexcept;

/// Returns the kernel in that form. The kernel does not run. Some forms are compiled again from the key alone. The text then
/// begins with a comment if this machine's compiler has another version than the one that made the entry.
///
/// Throws TypeError, with the available forms, if the kernel's target has no such form. Throws DeviceError, with every path
/// tried, if the necessary tool or compiler is missing. Throws IoError for damaged machine code, CacheError for a key of
/// another kiln.
[[nodiscard]] KILN_API std::string text(const cache::Contents& kernel, Form form);

/// The resources that a kernel uses, as far as they are known. They come from the machine code, which may be hostile, and from
/// the report of the compile that made it. An entry of an older kiln has no such report.
struct Resources {
  std::optional<std::int64_t> registers;         ///< registers of a thread; on AMD: vector registers
  std::optional<std::int64_t> scalar_registers;  ///< AMD: scalar registers of a wave
  std::optional<std::int64_t> spills;            ///< registers spilled to memory; CPU: stores of them in loops
  std::optional<std::int64_t> shared_bytes;      ///< shared memory of a block, known at compile time
  std::optional<std::int64_t> local_bytes;       ///< stack of a thread; CPU: largest frame of a function
  std::optional<std::int64_t> constant_bytes;    ///< NVIDIA: constant memory
  std::optional<std::int64_t> max_threads;       ///< threads in a block at most
  std::optional<std::int64_t> wave_size;         ///< AMD: lanes of a wave
  std::optional<std::int64_t> vector_bits;       ///< CPU: width of the widest arithmetic in a loop; 0: scalar code
  std::optional<Diagnostic> scalar_because;      ///< CPU: reason, with its position, if a body with loops has vector_bits 0
  std::int64_t code_bytes = 0;                   ///< size of the instructions; 0 for PTX, which the driver compiles further
};
/// Returns the resources of a kernel. Compiles nothing. Throws IoError for damaged code, DeviceError for an unknown target.
[[nodiscard]] KILN_API Resources resources(const cache::Contents& kernel);

}  // namespace kiln::inspect
