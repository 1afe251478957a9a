// What links a kernel of NVIDIA's with device code from files: nvJitLink, or the driver.
#pragma once

#include <span>
#include <string>

#include "compiler/compiler.hpp"

namespace kiln {
class CompileError;
}  // namespace kiln

namespace kiln::backend::gpu {

/// A kernel's own code on its way to the linker.
struct KernelPart {
  LinkFormat format;  ///< ptx, cubin or lto_ir
  const std::string& code;
};

class Linker {
 public:
  virtual ~Linker() = default;
  /// "nvJitLink-13.0.88+65be0db342ad": for keys.
  [[nodiscard]] virtual std::string mark() const = 0;
  /// Whether it takes LTO-IR, and inlines across it.
  [[nodiscard]] virtual bool takes_lto() const noexcept = 0;
  /// Machine code for "sm_90". CompileError, with the linker's words, for what cannot be linked or stays undefined; DeviceError
  /// where the linker cannot be used. Thread-safe.
  [[nodiscard]] virtual std::string link(const KernelPart& kernel, const CompileRequest& request,
                                         const std::string& arch) const = 0;
};

/// For a target without a device, or for the device's driver where nvJitLink is not there. DeviceError where there is neither,
/// with every path tried. `driver` may be null.
[[nodiscard]] const Linker& linker_for(const std::string& arch, const Linker* driver);

/// The CompileError of a link: `words` are the linker's.
[[nodiscard]] CompileError link_error(const CompileRequest& request, const std::string& arch, const std::string& linker,
                                      const std::string& words);

}  // namespace kiln::backend::gpu
