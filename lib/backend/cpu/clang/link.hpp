// One relocatable object, of the host or of an AMD GPU, to one shared object, by lld in process.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <string>
#include <vector>

namespace kiln::clang_module {

struct Linked {
  bool ok = false;
  std::string code;
  std::vector<std::string> undefined;  ///< readable names; then there is no code
  std::string error;
};

/// lld is not re-entrant: the caller holds one lock around it.
void link(llvm::StringRef object, Linked& out);

}  // namespace kiln::clang_module
