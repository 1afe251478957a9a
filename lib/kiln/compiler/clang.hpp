// Clang (libkiln-clang.so), for any target that it has: what its compilers for CPUs and for GPUs share.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/compiler.hpp"

namespace kiln::backend {

enum class ClangOutput {
  shared_object,  ///< of the host; for an AMD GPU its code object
  ir,             ///< LLVM's intermediate language as text, after all its passes
  ptx,            ///< for an NVIDIA GPU, as text
  bitcode,        ///< LLVM's intermediate language
  object,         ///< relocatable, of the host or an AMD GPU
  loadable,       ///< of the host: an object that kiln's loader takes as it is, else a shared object
};

/// One compile. What it refers to outlives the call.
struct ClangJob {
  const CompileRequest& request;
  std::vector<std::string> arguments;  ///< of clang -cc1, without input and output
  /// Name and bytes of files of bitcode that the code is linked with where it needs them.
  std::span<const std::pair<std::string, std::string>> bitcode = {};
  bool links_later = false;  ///< of PTX: what it does not define is another linker's to find
  ClangOutput output = ClangOutput::shared_object;
  std::string target;      ///< a short name, for messages
  const char* definers{};  ///< who may define a function that is called, for the message where nobody does
};

/// Whether this build of kiln has Clang (KILN_CPU). Opens nothing.
[[nodiscard]] bool have_clang() noexcept;
/// "19.1.7", as the build found it; empty without Clang. Opens nothing.
[[nodiscard]] std::string clang_release();
/// The same with the version of kiln's own steps around it, which can change the code: for keys.
[[nodiscard]] std::string clang_version_for_keys();

/// The arguments of every target: the language, the optimizer, the warnings. Only clang's driver adds the vectorizers; cc1 has
/// neither by default, nor errno from math functions.
inline constexpr const char* kClangOptions[] = {"-std=c++20",
                                                "-O3",
                                                "-vectorize-loops",
                                                "-vectorize-slp",
                                                "-fno-rounding-math",
                                                "-mconstructor-aliases",
                                                "-fno-rtti",  // whose tables refer to a library of C++'s
                                                "-fgnuc-version=4.2.1",
                                                "--system-header-prefix=kiln/",  // without warnings of theirs
                                                "-nostdsysteminc",
                                                "-nobuiltininc",
                                                "-disable-llvm-verifier",
                                                "-ferror-limit",
                                                "20",
                                                "-Werror=return-type",
                                                "-Wall",
                                                "-Wno-unused",
                                                "-Wno-pass-failed"};
/// The arguments that say how numbers are computed: contraction and fast math as the request wants them. Pure.
[[nodiscard]] std::vector<std::string> clang_number_options(const CompileRequest& request);
/// The same for GPUs, whose code generators would take all of them together for the whole module's, with what a text forbids.
[[nodiscard]] std::vector<std::string> clang_number_options_for_gpu(const CompileRequest& request);
/// The arguments of a kernel that is compiled for debugging: Clang's own checks of what kiln has none for.
[[nodiscard]] std::vector<std::string> clang_debug_options(const CompileRequest& request);

/// Compiles, and links what has to be linked, with the request's files of bitcode and objects: those of other formats are
/// another linker's. Compiles of several threads run in parallel. CompileError for a source that is
/// wrong, and for one that calls a function which nobody defines; CompilerEnded where it crashes, or meets a limit
/// (compile_limits.hpp); DeviceError where libkiln-clang.so is missing, with every path tried, or where it cannot do its work.
[[nodiscard]] CompileResult compile_by_clang(const ClangJob& job);

/// What compiler/cpu, which has Clang, offers to these.
namespace cpu {
std::string clang_release();
std::string clang_version_for_keys();
CompileResult compile_by_clang(const ClangJob& job);
}  // namespace cpu

}  // namespace kiln::backend
