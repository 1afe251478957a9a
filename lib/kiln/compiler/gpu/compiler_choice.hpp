// Which compiler makes a GPU's kernels: the vendor's where it is there and knows the architecture, else Clang, or the one that
// KILN_GPU_COMPILER names.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/compiler.hpp"
#include "compiler/gpu/linker.hpp"

namespace kiln::backend::gpu {

enum class CompilerName { nvrtc, hiprtc, clang };

/// What a value of KILN_GPU_COMPILER names; nothing where it is empty. DeviceError for another text, with those there are.
/// Pure.
[[nodiscard]] std::optional<CompilerName> parse_compiler_name(std::string_view text);
/// The value of KILN_GPU_COMPILER, read once.
[[nodiscard]] std::optional<CompilerName> wanted_compiler();

struct CompilerQuestion {
  std::string target;        ///< "sm_90", "gfx90a:xnack-"
  std::string driver = {};   ///< of a device: its driver and version; empty where there is none
  bool emulated = false;     ///< the device is kiln's emulator, which runs PTX and tells the lines of texts
  bool only_device = false;  ///< the one device of its vendor
  std::shared_ptr<const Linker> driver_linker = nullptr;  ///< of a device of CUDA's
  std::optional<CompilerName> wanted = {};                ///< nvrtc and hiprtc say nothing of the other vendor's targets
};

/// A vendor's that nobody asked for leaves kernels in debug mode to Clang (Compiler::for_debugging()), where that is there.
/// DeviceError where the wanted compiler is not there or does not know the target, or, where none is wanted, neither the
/// vendor's nor Clang does: with why, and which targets each knows.
[[nodiscard]] std::shared_ptr<const Compiler> choose_compiler(const CompilerQuestion& question);

}  // namespace kiln::backend::gpu
