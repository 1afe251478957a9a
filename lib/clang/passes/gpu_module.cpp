#include "clang/passes/gpu_module.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GlobalValue.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/IPO/Internalize.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "clang/driver/users_texts.hpp"

namespace kiln::clang_module {
namespace {

constexpr llvm::StringRef kKernel = "kiln_kernel";
constexpr llvm::StringRef kFaults = "kiln_faults";  // of a kernel that checks itself: the host reads it

/// "f" of ".extern .func  (.param .b32 func_retval0) f": the last word before what follows the name.
llvm::StringRef declared_name(llvm::StringRef line) {
  llvm::StringRef rest = line.ltrim();
  if (rest.starts_with("(")) rest = rest.drop_front(rest.find(')') + 1).ltrim();
  return rest.take_until([](char c) { return c == ' ' || c == '(' || c == ';' || c == '\t' || c == '\r'; });
}

using llvm::PatternMatch::m_Intrinsic;
using llvm::PatternMatch::m_OneUse;
using llvm::PatternMatch::m_SpecificFP;
using llvm::PatternMatch::m_Value;
using llvm::PatternMatch::match;

/// What the instruction may become; null where it is to stay.
llvm::Value* approximate(llvm::Instruction& instruction) {
  if (!instruction.getType()->isFloatTy() || !llvm::isa<llvm::FPMathOperator>(instruction) || !instruction.hasApproxFunc()) {
    return nullptr;
  }
  llvm::IRBuilder<> build(&instruction);
  const auto call = [&](llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Value*> operands) {
    return build.CreateIntrinsic(id, {}, operands);
  };
  llvm::Value* of = nullptr;
  if (match(&instruction, m_Intrinsic<llvm::Intrinsic::sqrt>(m_Value(of)))) {
    return call(llvm::Intrinsic::nvvm_sqrt_approx_ftz_f, {of});
  }
  if (instruction.getOpcode() != llvm::Instruction::FDiv) return nullptr;
  llvm::Value* const above = instruction.getOperand(0);
  llvm::Value* const below = instruction.getOperand(1);
  if (!match(above, m_SpecificFP(1))) return call(llvm::Intrinsic::nvvm_div_approx_ftz_f, {above, below});
  // The root stands before its quotient, and may be an approximate one by now.
  if (match(below, m_OneUse(m_Intrinsic<llvm::Intrinsic::nvvm_sqrt_approx_ftz_f>(m_Value(of))))) {
    return call(llvm::Intrinsic::nvvm_rsqrt_approx_ftz_f, {of});
  }
  return call(llvm::Intrinsic::nvvm_rcp_approx_ftz_f, {below});
}

class ApproximateWhereAllowed : public llvm::PassInfoMixin<ApproximateWhereAllowed> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    if (!llvm::Triple(function.getParent()->getTargetTriple()).isNVPTX()) return llvm::PreservedAnalyses::all();
    bool changed = false;
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      llvm::Value* const near = approximate(instruction);
      if (near == nullptr) continue;
      instruction.replaceAllUsesWith(near);
      instruction.eraseFromParent();
      changed = true;
    }
    if (!changed) return llvm::PreservedAnalyses::all();
    llvm::PreservedAnalyses kept;
    kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
  }
};

/// What is marked `used` stays visible, too: functions for others to link, and what the host looks up.
class HideAllButKernel : public llvm::PassInfoMixin<HideAllButKernel> {
 public:
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& manager) {
    llvm::SmallVector<llvm::GlobalValue*, 8> used;
    llvm::collectUsedGlobalVariables(module, used, /*CompilerUsed=*/true);
    const auto stays = [&](const llvm::GlobalValue& value) {
      const llvm::StringRef name = value.getName();
      return name == kKernel || name == kFaults || (!name.starts_with("__ubsan_") && llvm::is_contained(used, &value));
    };
    return llvm::InternalizePass(stays).run(module, manager);
  }
};

/// Gives what is inlined into the user's text that text's line: LLVM 19 writes no inlined_at into PTX.
class TellUsersLines : public llvm::PassInfoMixin<TellUsersLines> {
 public:
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      const llvm::DILocation* place = instruction.getDebugLoc();
      while (place != nullptr && is_kilns_file(place->getFilename())) place = place->getInlinedAt();
      if (place != nullptr) instruction.setDebugLoc(place);
    }
    return llvm::PreservedAnalyses::all();
  }
};

}  // namespace

void tell_users_lines(llvm::PassBuilder& builder) {
  builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(TellUsersLines()));
  });
}

void hide_all_but_kernel(llvm::PassBuilder& builder) {
  builder.registerPipelineStartEPCallback(
      [](llvm::ModulePassManager& manager, llvm::OptimizationLevel) { manager.addPass(HideAllButKernel()); });
}

void approximate_where_allowed(llvm::PassBuilder& builder) {
  builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(ApproximateWhereAllowed()));
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
