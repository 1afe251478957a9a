#include "clang/passes/inlined_functions.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/InlineCost.h>
#include <llvm/Analysis/LazyCallGraph.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/Passes/PassBuilder.h>

#include "clang/driver/users_texts.hpp"

namespace kiln::clang_module {
namespace {

/// LLVM's threshold for hot calls (-hot-callsite-threshold), and what it counts for each instruction.
constexpr unsigned kHotThreshold = 3000;
constexpr unsigned kInstructionCost = 5;

bool calls(const llvm::Function& function, const llvm::Function& other) {
  return llvm::any_of(llvm::instructions(function), [&](const llvm::Instruction& each) {
    const auto* const call = llvm::dyn_cast<llvm::CallBase>(&each);
    return call != nullptr && call->getCalledFunction() == &other;
  });
}

/// Runs on simplified functions, callees first, so that sizes are those of what a caller would inline.
class InlineSmallFunctions : public llvm::PassInfoMixin<InlineSmallFunctions> {
 public:
  static llvm::PreservedAnalyses run(llvm::LazyCallGraph::SCC& functions, llvm::CGSCCAnalysisManager&, llvm::LazyCallGraph&,
                                     llvm::CGSCCUpdateResult&) {
    if (functions.size() == 1) mark(functions.begin()->getFunction());
    return llvm::PreservedAnalyses::all();
  }

 private:
  static void mark(llvm::Function& function) {
    if (is_kilns_own(function.getName()) || function.hasFnAttribute(llvm::Attribute::NoInline) ||
        function.hasFnAttribute(llvm::Attribute::OptimizeNone)) {
      return;
    }
    if (function.getInstructionCount() * kInstructionCost <= kHotThreshold && !calls(function, function) &&
        llvm::isInlineViable(function).isSuccess()) {
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    }
  }
};

}  // namespace

void inline_small_functions(llvm::PassBuilder& builder) {
  builder.registerCGSCCOptimizerLateEPCallback(
      [](llvm::CGSCCPassManager& passes, llvm::OptimizationLevel) { passes.addPass(InlineSmallFunctions()); });
}

}  // namespace kiln::clang_module
