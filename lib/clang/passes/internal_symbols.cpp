#include "clang/passes/internal_symbols.hpp"

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/IPO/Internalize.h>

#include "clang/driver/users_texts.hpp"

namespace kiln::clang_module {
namespace {

/// InternalizePass leaves what is marked `used`. Kiln's functions stay: LLVM changes parameters where it knows all calls.
/// Variables stay hidden: other passes replace them by a block's memory.
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
