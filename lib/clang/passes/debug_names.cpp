#include "clang/passes/debug_names.hpp"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>

#include <optional>
#include <utility>

namespace kiln::clang_module {
namespace {

constexpr unsigned kName = 2;  // operands of a DISubprogram
constexpr unsigned kLinkageName = 3;

/// What follows the kernel's name; nothing for functions that are not its own.
std::optional<llvm::StringRef> suffix_of(llvm::StringRef function) {
  return llvm::StringSwitch<std::optional<llvm::StringRef>>(function)
      .Cases("kiln_body", "kiln_reduce", "")
      .Case("kiln_map", "_map")
      .Case("kiln_post", "_post")
      .Case("kiln_identity", "_identity")
      .Default(std::nullopt);
}

class NameBodies : public llvm::PassInfoMixin<NameBodies> {
 public:
  explicit NameBodies(std::string kernel) : kernel_(std::move(kernel)) {}
  static bool isRequired() { return true; }  // NOLINT(readability-identifier-naming): LLVM's name
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    llvm::DebugInfoFinder all;
    all.processModule(module);
    for (llvm::DISubprogram* const function : all.subprograms()) {
      const auto suffix = suffix_of(function->getName());
      if (!suffix) continue;
      function->replaceOperandWith(kName, llvm::MDString::get(module.getContext(), kernel_ + suffix->str()));
      function->replaceOperandWith(kLinkageName, nullptr);
    }
    return llvm::PreservedAnalyses::all();
  }

 private:
  std::string kernel_;
};

}  // namespace

void name_bodies(llvm::PassBuilder& builder, std::string kernel) {
  builder.registerPipelineStartEPCallback(
      [kernel = std::move(kernel)](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
        passes.addPass(NameBodies(kernel));
      });
}

}  // namespace kiln::clang_module
