// What NVIDIA's containers of device code hold: cubins, fatbins, the objects and archives of nvcc. The bytes may be damaged or
// hostile.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kiln::backend::gpu {

/// Architectures of device code, and whether some of it is LTO-IR.
struct FatbinContents {
  std::vector<std::string> archs;  ///< "sm_90" in machine code, "compute_90" as PTX or LTO-IR
  bool lto = false;
};

/// Whether the bytes are a fatbin.
[[nodiscard]] bool is_fatbin(std::string_view bytes);
/// Entries of all consecutive fatbins in the bytes. Entries after a damaged one are left out.
[[nodiscard]] FatbinContents fatbin_contents(std::string_view bytes);
/// "sm_90" of a cubin, which is an ELF file of NVIDIA's machine.
[[nodiscard]] std::string cubin_arch(std::string_view bytes);
/// "compute_80" of PTX; empty where its directives do not begin as PTX does.
[[nodiscard]] std::string ptx_arch(std::string_view text);

inline constexpr unsigned kCudaMachine = 190;  // EM_CUDA

}  // namespace kiln::backend::gpu
