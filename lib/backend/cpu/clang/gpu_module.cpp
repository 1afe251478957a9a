#include "backend/cpu/clang/gpu_module.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/GlobalValue.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/Internalize.h>

namespace kiln::clang_module {
namespace {

constexpr llvm::StringRef kKernel = "kiln_kernel";

/// "f" of ".extern .func  (.param .b32 func_retval0) f": the last word before what follows the name.
llvm::StringRef declared_name(llvm::StringRef line) {
  llvm::StringRef rest = line.ltrim();
  if (rest.starts_with("(")) rest = rest.drop_front(rest.find(')') + 1).ltrim();
  return rest.take_until([](char c) { return c == ' ' || c == '(' || c == ';' || c == '\t' || c == '\r'; });
}

}  // namespace

void hide_all_but_kernel(llvm::PassBuilder& builder) {
  builder.registerPipelineStartEPCallback([](llvm::ModulePassManager& manager, llvm::OptimizationLevel) {
    manager.addPass(llvm::InternalizePass([](const llvm::GlobalValue& value) { return value.getName() == kKernel; }));
  });
}

std::vector<std::string> undefined_functions(llvm::StringRef ptx) {
  constexpr llvm::StringRef kDeclaration = ".extern .func";
  std::vector<std::string> names;
  llvm::SmallVector<llvm::StringRef, 0> lines;
  ptx.split(lines, '\n');
  for (const llvm::StringRef line : lines) {
    if (!line.starts_with(kDeclaration)) continue;
    const llvm::StringRef name = declared_name(line.drop_front(kDeclaration.size()));
    // Declared by LLVM for every module that prints or asserts, defined by the driver.
    if (name.empty() || name == "vprintf" || name == "__assertfail" || name == "malloc" || name == "free") continue;
    names.push_back(llvm::demangle(name));
  }
  return names;
}

}  // namespace kiln::clang_module
