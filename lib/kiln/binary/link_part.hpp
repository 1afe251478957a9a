// Files of compiled device code that kernels are linked with: what they are, which devices they are for, by their bytes alone.
// Pure functions; the bytes may be damaged or hostile.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/device.hpp"

namespace kiln::backend {

enum class LinkFormat {
  ptx,
  cubin,
  fatbin,
  lto_ir,         ///< NVIDIA's, of nvcc -ltoir and NVRTC
  gpu_object,     ///< an object for the host that holds code for NVIDIA's GPUs, of nvcc -dc
  gpu_library,    ///< an archive of such
  bitcode,        ///< LLVM's
  object,         ///< a relocatable ELF file, of a CPU or an AMD GPU
  shared_object,  ///< of a CPU
};

/// One file for one kind of device.
struct LinkPart {
  std::string name;  ///< for messages
  LinkFormat format = LinkFormat::object;
  DeviceKind kind = DeviceKind::cpu;
  /// Architectures that it has code for: "sm_90" in machine code alone, "compute_90" in a form that serves newer ones,
  /// "gfx90a"; empty where it does not say.
  std::vector<std::string> archs = {};
  std::shared_ptr<const std::string> bytes = nullptr;
  bool lto = false;  ///< of NVIDIA's: holds LTO-IR, perhaps beside machine code
  /// Of an archive's member: linked only where it defines what is missing.
  bool lazy = false;
  /// Of a shared object: the file that the loader opens; empty where its bytes were given.
  std::string path = {};
};

/// What a file holds, each part with the devices that it is for. An archive is its members, but for NVIDIA's, which is one
/// file; a bundle of clang's is its entries. Empty where it holds nothing that can be linked, with the reason in `why`.
[[nodiscard]] std::vector<LinkPart> parts_of(const std::string& name, std::shared_ptr<const std::string> bytes,
                                             std::string* why);

/// The architecture in the target triple of LLVM's bitcode: "x86_64", "amdgcn", "nvptx64", "aarch64"; empty for none of them.
[[nodiscard]] std::string_view bitcode_arch(std::string_view bytes);

/// "LTO-IR", "bitcode": for messages.
[[nodiscard]] const char* name_of(LinkFormat format) noexcept;

/// Whether code of that file runs on the target: "sm_90", "gfx90a:xnack-". A CPU's always does.
[[nodiscard]] bool serves(const LinkPart& file, std::string_view target);

}  // namespace kiln::backend
