#include "clang/passes/noted_faults.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Attributes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

#include <utility>

namespace kiln::clang_module {
namespace {

// In mangled names.
constexpr llvm::StringRef kNotes = "4kiln5loopsL11notes_faultI";
constexpr llvm::StringRef kNotesAll = "4kiln5loopsL12notes_faultsI";
constexpr llvm::StringRef kComputes = "4kiln5loopsL18compute_unreportedI";
constexpr llvm::StringRef kReports[] = {"_ZN4kiln5debug6failedE", "_ZN4kiln5debug15divided_by_zeroE",
                                        "_ZN4kiln5debug10nan_resultE", "_ZN4kiln5debug19array_out_of_boundsE",
                                        "__ubsan_handle_"};
/// A body with more calls than these is not worth vectors.
constexpr std::size_t kMostCalls = 1000;

bool is_defined(const llvm::Function& function, llvm::StringRef name) {
  return !function.isDeclaration() && function.getName().contains(name);
}

bool reports(const llvm::Function* function) {
  return function != nullptr &&
         llvm::any_of(kReports, [&](llvm::StringRef start) { return function->getName().starts_with(start); });
}

using Functions = llvm::SmallPtrSet<llvm::Function*, 16>;

/// The functions that report, and those that call them, and so on.
Functions with_reports(llvm::Module& module) {
  Functions found;
  llvm::SmallVector<llvm::Function*, 16> left;
  for (llvm::Function& function : module) {
    if (reports(&function)) left.push_back(&function);
  }
  while (!left.empty()) {
    llvm::Function* const function = left.pop_back_val();
    if (!found.insert(function).second) continue;
    for (const llvm::User* const user : function->users()) {
      if (const auto* const call = llvm::dyn_cast<llvm::CallBase>(user))
        left.push_back(const_cast<llvm::Function*>(call->getFunction()));
    }
  }
  return found;
}

llvm::SmallVector<llvm::CallBase*, 16> calls_in(llvm::Function& function) {
  llvm::SmallVector<llvm::CallBase*, 16> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction)) calls.push_back(call);
  }
  return calls;
}

/// Inlines what reports, but for the reports themselves and for recursion, so that it is this function's own.
void inline_checked(llvm::Function& into, const Functions& checked) {
  llvm::SmallVector<std::pair<llvm::CallBase*, int>, 16> left;  // with the call in `done` that it was in
  llvm::SmallVector<std::pair<llvm::Function*, int>, 16> done;
  for (llvm::CallBase* const call : calls_in(into)) left.emplace_back(call, -1);
  while (!left.empty() && done.size() < kMostCalls) {
    const auto [call, within] = left.pop_back_val();
    llvm::Function* const callee = call->getCalledFunction();
    if (!checked.contains(callee) || reports(callee) || callee->hasFnAttribute(llvm::Attribute::NoInline)) continue;
    bool recursive = false;
    for (int at = within; at >= 0 && !recursive; at = done[static_cast<std::size_t>(at)].second) {
      recursive = done[static_cast<std::size_t>(at)].first == callee;
    }
    llvm::InlineFunctionInfo info;
    if (recursive || !llvm::InlineFunction(*call, info).isSuccess()) continue;
    llvm::AttributeFuncs::mergeAttributesForInlining(into, *callee);
    done.emplace_back(callee, within);
    for (llvm::CallBase* const inner : info.InlinedCallSites) left.emplace_back(inner, static_cast<int>(done.size()) - 1);
  }
}

/// A report becomes `report(build)`, or nothing; and it is no longer said to be unlikely, which would keep branches.
template <class Report>
void replace_reports(llvm::Function& function, const Report& report) {
  for (llvm::BasicBlock& block : function) block.getTerminator()->setMetadata(llvm::LLVMContext::MD_prof, nullptr);
  for (llvm::CallBase* const call : calls_in(function)) {
    if (!reports(call->getCalledFunction())) continue;
    llvm::IRBuilder<> build(call);
    report(build);
    call->eraseFromParent();
  }
}

void give_whether_reported(llvm::Function& function) {
  llvm::IRBuilder<> build(&function.getEntryBlock(), function.getEntryBlock().begin());
  llvm::AllocaInst* const bit = build.CreateAlloca(build.getInt1Ty());
  build.CreateStore(build.getFalse(), bit);
  replace_reports(function, [&](llvm::IRBuilder<>& here) { here.CreateStore(here.getTrue(), bit); });
  for (llvm::BasicBlock& block : function) {
    auto* const end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
    if (end != nullptr) end->setOperand(0, llvm::IRBuilder<>(end).CreateLoad(build.getInt1Ty(), bit));
  }
}

/// Makes the function return at once, true if anything.
void empty(llvm::Function& function) {
  llvm::LLVMContext& context = function.getContext();
  auto* const entry = llvm::BasicBlock::Create(context, "", &function, &function.getEntryBlock());
  llvm::IRBuilder<> build(entry);
  if (function.getReturnType()->isVoidTy()) {
    build.CreateRetVoid();
  } else {
    build.CreateRet(build.getTrue());
  }
  llvm::removeUnreachableBlocks(function);
}

/// Before anything is optimized: what is known where a check failed would be in the control flow by then.
class ReplaceReports : public llvm::PassInfoMixin<ReplaceReports> {
 public:
  static bool isRequired() { return true; }  // NOLINT(readability-identifier-naming): LLVM's name
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    const Functions checked = with_reports(module);
    for (llvm::Function& function : module) {
      const bool notes = is_defined(function, kNotes);
      const bool computes = is_defined(function, kComputes);
      if (!checked.contains(&function)) {
        if (computes || is_defined(function, kNotesAll)) empty(function);  // no checks: one loop is enough
        continue;
      }
      if (notes || computes) inline_checked(function, checked);
      if (notes) give_whether_reported(function);
      if (computes) replace_reports(function, [](llvm::IRBuilder<>&) {});
    }
    return llvm::PreservedAnalyses::none();
  }
};

/// Behind the analyses that tell what a function does to memory. compute_unreported() stays what it is: where no check can fail
/// it may be called whatever notes_faults() gives by now.
class GiveUpWhereMoreIsDone : public llvm::PassInfoMixin<GiveUpWhereMoreIsDone> {
 public:
  static bool isRequired() { return true; }  // NOLINT(readability-identifier-naming): LLVM's name
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    bool changed = false;
    for (llvm::Function& function : module) {
      if (!is_defined(function, kNotesAll) || function.onlyReadsMemory() || function.doesNotReturn()) continue;
      empty(function);
      changed = true;
    }
    return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
};

}  // namespace

void note_faults(llvm::PassBuilder& builder) {
  builder.registerPipelineStartEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(ReplaceReports()); });
  builder.registerOptimizerEarlyEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(GiveUpWhereMoreIsDone()); });
}

}  // namespace kiln::clang_module
