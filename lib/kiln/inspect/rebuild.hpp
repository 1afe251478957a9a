// A stored kernel made ready to be compiled again, from its key.
#pragma once

#include <memory>
#include <string>

#include "compiler/compiler.hpp"
#include "kiln/cache_entry.hpp"

namespace kiln::inspect {

struct Rebuild {
  std::shared_ptr<const backend::Compiler> compiler;
  backend::CompileRequest request;
  /// Where this machine's compiler is another version than the entry's: which two. What it gives need not be what the machine
  /// code was made from.
  std::string other_compiler;
};

/// CacheError for an entry of another kiln, whose device headers or options are not here, and for a key that cannot be read;
/// DeviceError where the compiler is missing. No file takes part, and no option but those that this kiln would give: the key
/// may be anyone's.
[[nodiscard]] Rebuild rebuild_of(const cache::Contents& kernel);

}  // namespace kiln::inspect
