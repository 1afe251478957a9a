#include "clang/passes/internal_symbols.hpp"

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/IPO/Internalize.h>

namespace kiln::clang_module {
namespace {

/// Of those that kiln's other passes know by their names and parameters, which LLVM changes where it knows all calls.
bool is_kilns_own(llvm::StringRef name) {
  return name.starts_with("kiln_") || (name.contains("4kiln") && !name.contains("4kiln4user"));
}

/// What is marked `used` stays, as InternalizePass has it. So do variables, which passes replace by memory of a block's.
class MakeHiddenInternal : public llvm::PassInfoMixin<MakeHiddenInternal> {
 public:
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    const auto stays = [](const llvm::GlobalValue& value) {
      return !llvm::isa<llvm::Function>(value) || !value.hasHiddenVisibility() || is_kilns_own(value.getName());
    };
    return llvm::InternalizePass(stays).run(module, analyses);
  }
};

}  // namespace

void make_hidden_internal(llvm::PassBuilder& builder) {
  builder.registerPipelineStartEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
    passes.addPass(MakeHiddenInternal());
    passes.addPass(llvm::GlobalDCEPass());
  });
}

}  // namespace kiln::clang_module
