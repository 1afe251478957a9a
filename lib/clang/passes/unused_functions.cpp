#include "clang/passes/unused_functions.hpp"

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>

namespace kiln::clang_module {
namespace {

/// Of functions that were external.
constexpr const char* kWasExternal = "kiln-was-external";

class DropUnusedFunctions : public llvm::PassInfoMixin<DropUnusedFunctions> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    for (llvm::Function& function : module) {
      const bool whole = !function.isDeclaration() && function.hasExternalLinkage() && !function.hasComdat();
      if (!whole || !function.hasHiddenVisibility()) continue;
      function.setLinkage(llvm::GlobalValue::LinkOnceODRLinkage);  // else GlobalDCE keeps what nobody refers to
      function.addFnAttr(kWasExternal);
    }
    const llvm::PreservedAnalyses kept = llvm::GlobalDCEPass().run(module, analyses);
    for (llvm::Function& function : module) {
      if (!function.hasFnAttribute(kWasExternal)) continue;
      function.setLinkage(llvm::GlobalValue::ExternalLinkage);
      function.removeFnAttr(kWasExternal);
    }
    return kept;
  }
};

}  // namespace

void drop_unused_functions(llvm::PassBuilder& builder) {
  builder.registerPipelineStartEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(DropUnusedFunctions()); });
  builder.registerOptimizerEarlyEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(DropUnusedFunctions()); });
}

}  // namespace kiln::clang_module
