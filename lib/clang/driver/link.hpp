// A kernel's object, of the host or of an AMD GPU, and those that it is linked with to one shared object, by lld in process.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <string>
#include <vector>

#include "clang/interface.h"

namespace kiln::clang_module {

struct Linked {
  bool ok = false;
  std::string code;
  std::vector<std::string> undefined;  ///< readable names; then there is no code
  std::string error;
  bool refused = false;  ///< the error is about the objects
};

/// The names in an object of the host that nobody defines, where it is linked with the C library alone; else `ok`.
void find_undefined(llvm::StringRef kernel, Linked& out);
/// `debugs` keeps what debuggers read. lld is not re-entrant: the caller holds one lock around it.
void link(llvm::StringRef kernel, llvm::ArrayRef<kiln_clang_object> others, bool debugs, Linked& out);

}  // namespace kiln::clang_module
