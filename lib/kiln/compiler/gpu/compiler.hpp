// NVRTC and hipRTC as a backend::Compiler. No device is needed.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "compiler/compiler.hpp"
#include "compiler/gpu/linker.hpp"
#include "library/compiler_library.hpp"

namespace kiln::backend::gpu {

/// What one Compiler makes code for.
struct CompileTarget {
  std::string name;       ///< "sm_90", "gfx90a:xnack-"
  std::string arch;       ///< what the compiler is asked for: name, or "compute_90" where the device is newer than the compiler
  bool assembly = false;  ///< PTX instead of machine code: the driver finishes it when it loads the module
  std::string finisher;   ///< with PTX: the driver and its version, part of the key
  bool lines = false;     ///< with the lines of the source texts
};

/// Who links kernels with device code from files, and who compiles those that this compiler cannot link or does not check.
struct Linking {
  std::shared_ptr<const Linker> driver = nullptr;  ///< CUDA's, of the device that the code is for
  bool only_device = false;                        ///< of HIP's, that the code is for: hipRTC links for the one that is current
  std::function<std::shared_ptr<const Compiler>()> by_clang = nullptr;  ///< for the same target; null: there is no Clang
  bool clang_debugs = false;                                            ///< it compiles kernels in debug mode, too
};

/// `library` outlives the compiler.
[[nodiscard]] std::shared_ptr<const Compiler> make_compiler(const CompilerLibrary& library, CompileTarget target,
                                                            Linking linking = {});

/// The target of a device of that name: machine code where the compiler knows it, else PTX for the highest architecture that it
/// does know below it. `driver` names the driver and its version. DeviceError where nothing fits.
[[nodiscard]] CompileTarget target_of_device(const CompilerLibrary& library, const std::string& arch,
                                             const std::string& driver);

/// The target of the emulator, which runs PTX and tells lines of it. DeviceError where NVRTC does not compile for `arch`.
[[nodiscard]] CompileTarget target_of_emulator(const CompilerLibrary& library, const std::string& arch);

/// PTX of a kernel with the name that the emulator's reports have for it.
[[nodiscard]] inline std::string named_for_emulator(const std::string& ptx, const std::string& kernel) {
  return "// kernel " + kernel + "\n" + ptx;
}

/// DeviceError where that library does not compile for "sm_90", "gfx90a:xnack-", with what it compiles for.
void require_known(const CompilerLibrary& library, const std::string& target);

/// The PTX text of a request for "sm_90", "sm_90a", …, for tests and inspection. Throws as Compiler::compile does; NVRTC only.
[[nodiscard]] std::string ptx(const CompilerLibrary& library, std::string_view target, const CompileRequest& request);

}  // namespace kiln::backend::gpu
