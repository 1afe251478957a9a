// GPU architecture names: what they look like, and which compiler version knows them. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kiln/device.hpp"

namespace kiln::backend::gpu {

/// cuda for "sm_90", "sm_90a"; hip for "gfx90a", "gfx90a:sramecc+:xnack-"; nullopt for anything else.
[[nodiscard]] std::optional<DeviceKind> vendor_of(std::string_view target);

/// Why hipRTC of that version (major * 100 + minor) must not be asked for `target`, empty where it may: it aborts the whole
/// process on an architecture, or a feature of one, that it does not know.
[[nodiscard]] std::string refuse_amd(std::string_view target, int version);

/// Why Clang of LLVM 19 does not compile for `target`, with what it compiles for; empty where it does. Of NVIDIA's newer
/// architectures it makes PTX for the last that it knows below them.
[[nodiscard]] std::string refuse_clang(std::string_view target);

/// What Clang makes PTX for, and the version of PTX that it takes.
struct PtxTarget {
  int capability;       ///< 90
  const char* arch;     ///< "sm_90"
  const char* version;  ///< "ptx78"
};
/// For a capability, the newest that Clang knows up to it; null where there is none.
[[nodiscard]] const PtxTarget* ptx_target_of(int capability);

/// Lanes of a wave of HIP's kernels on an AMD architecture: 64 up to gfx9, 32 from gfx10 on.
[[nodiscard]] int wave_of(std::string_view target);

/// "gfx90a" of the flags of an AMD ELF file; empty for an architecture that is not known.
[[nodiscard]] std::string_view amd_arch_of(std::uint32_t elf_flags);

/// 90 for "sm_90" and "sm_90a"; 0 where there is no number.
[[nodiscard]] int compute_capability(std::string_view target);

/// Whether NVRTC of that version is known to compile for the capability, without loading it. False is "ask the library".
[[nodiscard]] bool known_to_nvrtc(int capability, int version);

}  // namespace kiln::backend::gpu
