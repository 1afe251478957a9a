// hipRTC's linker (hiprtcLink…), since ROCm 5.3. It links bitcode for the device that is current, and nothing else.
#pragma once

#include <string>

#include "compiler/compiler.hpp"
#include "library/compiler_library.hpp"

namespace kiln::backend::gpu {

/// Whether this hipRTC has one, and all files are its to link. Loads the library.
[[nodiscard]] bool can_link(const CompilerLibrary& library, const std::vector<LinkPart>& files);

/// A code object of the kernel's bitcode and the request's files. CompileError with hipRTC's words.
[[nodiscard]] std::string link_by_hiprtc(const CompilerLibrary& library, const std::string& kernel,
                                         const CompileRequest& request, const std::string& arch);

}  // namespace kiln::backend::gpu
