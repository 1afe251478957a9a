#include "compiler/gpu/linker.hpp"

#include <algorithm>

#include "compiler/gpu/jit_link.hpp"
#include "kiln/error.hpp"

namespace kiln::backend::gpu {

const Linker& linker_for(const std::string& arch, const Linker* driver) {
  try {
    const JitLink& link = JitLink::machine();
    if (link.knows(arch)) return link;
    if (driver == nullptr) throw DeviceError(link.display() + " does not make code for " + arch);
  } catch (const DeviceError&) {
    if (driver == nullptr || JitLink::is_named()) throw;
  }
  return *driver;
}

CompileError link_error(const CompileRequest& request, const std::string& arch, const std::string& linker,
                        const std::string& words) {
  std::string line = words;
  std::replace(line.begin(), line.end(), '\n', ' ');
  return CompileError(
      {.diagnostics = {{.severity = Severity::error, .file = request.name, .text = "cannot be linked: " + line}},
       .log = words,
       .source = request.source,
       .options = {},
       .target = arch,
       .compiler = linker,
       .context = request.context});
}

}  // namespace kiln::backend::gpu
