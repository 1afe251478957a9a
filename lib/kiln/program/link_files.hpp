// The files of `.compile.link` on their way into a kernel: read, classified, chosen for a target.
#pragma once

#include <string>
#include <vector>

#include "compiler/compiler.hpp"
#include "kiln/compile_options.hpp"
#include "program/program.hpp"

namespace kiln::program {

/// What the files hold, for all devices. IoError for one that cannot be read; CompileError for one that cannot be linked.
/// `kernel` is for messages.
[[nodiscard]] std::vector<backend::LinkPart> link_files(const std::string& kernel, const CompileOptions& options);

/// Those for the compiler's target. CompileError where there are files and none is for it.
[[nodiscard]] std::vector<backend::LinkPart> files_for(const Request& request, const backend::Compiler& compiler);

/// The same files by their bytes, which then need not be there any more; shared objects, which are loaded from where they are,
/// by their whole paths. IoError as of link_files().
[[nodiscard]] std::vector<LinkFile> with_bytes(const std::string& kernel, const std::vector<LinkFile>& files);

/// For keys: of the bytes; of a shared object also where it lies, which the code names.
[[nodiscard]] std::vector<std::string> digests_of(const std::vector<backend::LinkPart>& files);

}  // namespace kiln::program
