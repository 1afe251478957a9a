// Which code is of the user's texts: by the files that debug information names, or by names of functions.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>

namespace kiln::clang_module {

/// The name that a file has in #line or #include, of that in debug information, which may stand in the folder for debuggers
/// (lib/kiln/compiler/debug_folder.hpp).
inline llvm::StringRef name_in_text(llvm::StringRef file) {
  if (file.consume_front("/kiln-debug-folder/")) file = file.ltrim('-');
  if (!file.consume_front("/kiln/")) file.consume_front("/");
  file.consume_front("include/");
  return file;
}

/// Kiln's own text, which is of no use to who wrote the body.
inline bool is_kilns_file(llvm::StringRef file) {
  const llvm::StringRef name = name_in_text(file);
  return name.empty() || name == "kernel.cpp" || name.starts_with("kiln/") || name == "<invalid>";
}

/// Whether kiln wrote the function. Known without debug information, so that code does not depend on it; kiln's passes know
/// such functions by their names and parameters.
inline bool is_kilns_own(llvm::StringRef name) {
  return name.starts_with("kiln_") || (name.contains("4kiln") && !name.contains("4kiln4user"));
}

/// In the user's namespace, or of a file of the user's: extern "C" is in no namespace.
inline bool is_users(const llvm::Function& function) {
  if (function.getName().contains("4kiln4user")) return true;
  const llvm::DISubprogram* const described = function.getSubprogram();
  return described != nullptr && !is_kilns_file(described->getFilename());
}

}  // namespace kiln::clang_module
