#include "clang/driver/code_report.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/CodeGen/MachineDominators.h>
#include <llvm/CodeGen/MachineFrameInfo.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/MachineLoopInfo.h>
#include <llvm/CodeGen/MachineOptimizationRemarkEmitter.h>
#include <llvm/CodeGen/PseudoSourceValue.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "clang/driver/users_texts.hpp"
#include "clang/spmd/spmd.hpp"

namespace kiln::clang_module {
namespace {

/// The pass of LLVM's that lays out frames. Its remark comes once for each function, when the frame is final.
constexpr llvm::StringRef kFrames = "prologepilog";

bool spills(const llvm::MachineInstr& instruction, const llvm::TargetInstrInfo& target, const llvm::MachineFrameInfo& frame) {
  llvm::SmallVector<const llvm::MachineMemOperand*, 2> stores;
  return target.hasStoreToStackSlot(instruction, stores) && llvm::any_of(stores, [&](const llvm::MachineMemOperand* store) {
           const auto* const slot = llvm::cast<llvm::FixedStackPseudoSourceValue>(store->getPseudoValue());
           return frame.isSpillSlotObjectIndex(slot->getFrameIndex());
         });
}

std::int64_t spills_in_loops(llvm::MachineFunction& function) {
  const llvm::TargetInstrInfo& target = *function.getSubtarget().getInstrInfo();
  const llvm::MachineFrameInfo& frame = function.getFrameInfo();
  const auto count_in = [&](const llvm::MachineBasicBlock& block) {
    return llvm::count_if(block, [&](const llvm::MachineInstr& each) { return spills(each, target, frame); });
  };
  if (llvm::all_of(function, [&](const llvm::MachineBasicBlock& block) { return count_in(block) == 0; })) return 0;
  llvm::MachineDominatorTree dominators(function);
  const llvm::MachineLoopInfo loops(dominators);
  std::int64_t count = 0;
  for (const llvm::MachineBasicBlock& block : function) {
    if (loops.getLoopFor(&block) != nullptr) count += count_in(block);
  }
  return count;
}

/// Takes what the report is of, and leaves the rest to the handler that was there.
class Listener final : public llvm::DiagnosticHandler {
 public:
  Listener(std::unique_ptr<llvm::DiagnosticHandler> others, CodeReport& report) : others_(std::move(others)), report_(report) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    const auto* const missed = llvm::dyn_cast<llvm::OptimizationRemarkMissed>(&info);
    if (missed != nullptr && missed->getPassName() == kLanesRemark) {
      if (!report_.scalar_because) report_.scalar_because = reason_of(*missed);
      return true;
    }
    const auto* const frame = llvm::dyn_cast<llvm::MachineOptimizationRemarkAnalysis>(&info);
    if (frame != nullptr && frame->getPassName() == kFrames) {
      // The remark's block leads to the function, which is not for others to change.
      measure(const_cast<llvm::MachineFunction&>(*frame->getBlock()->getParent()));
      return true;
    }
    return others_->handleDiagnostics(info);
  }
  [[nodiscard]] bool isAnalysisRemarkEnabled(llvm::StringRef pass) const override {
    return (report_.known && pass == kFrames) || others_->isAnalysisRemarkEnabled(pass);
  }
  [[nodiscard]] bool isMissedOptRemarkEnabled(llvm::StringRef pass) const override {
    return pass == kLanesRemark || others_->isMissedOptRemarkEnabled(pass);
  }
  [[nodiscard]] bool isPassedOptRemarkEnabled(llvm::StringRef pass) const override {
    return others_->isPassedOptRemarkEnabled(pass);
  }
  /// Passes before make no remarks, which takes time, for nobody.
  [[nodiscard]] bool isAnyRemarkEnabled() const override { return report_.known || others_->isAnyRemarkEnabled(); }

 private:
  static Diagnostic reason_of(const llvm::OptimizationRemarkMissed& remark) {
    Diagnostic found;
    found.severity = KILN_CLANG_NOTE;
    found.text = remark.getMsg();
    if (const llvm::DiagnosticLocation place = remark.getLocation(); place.isValid()) {
      found.file = name_in_text(place.getRelativePath()).str();
      found.line = static_cast<int>(place.getLine());
      found.column = static_cast<int>(place.getColumn());
    }
    return found;
  }
  void measure(llvm::MachineFunction& function) {
    report_.stack_bytes = std::max(report_.stack_bytes, static_cast<std::int64_t>(function.getFrameInfo().getStackSize()));
    report_.spills += spills_in_loops(function);
  }

  std::unique_ptr<llvm::DiagnosticHandler> others_;
  CodeReport& report_;
};

/// A function as a pass.
template <class Work>
struct Step : llvm::PassInfoMixin<Step<Work>> {
  explicit Step(Work what) : work(std::move(what)) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    work(module, analyses);
    return llvm::PreservedAnalyses::all();
  }
  Work work;
};

/// Bits of the widest vector of numbers that the instruction takes or gives. Masks are none.
unsigned vector_bits(const llvm::Instruction& instruction) {
  unsigned bits = 0;
  const auto see = [&](const llvm::Value* value) {
    const auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
    if (vector == nullptr || vector->getElementType()->isIntegerTy(1)) return;
    bits = std::max(bits, static_cast<unsigned>(vector->getPrimitiveSizeInBits().getFixedValue()));
  };
  see(&instruction);
  llvm::for_each(instruction.operand_values(), see);
  return bits;
}

bool is_of_fractions(const llvm::Instruction& instruction) {
  return instruction.getType()->isFloatingPointTy() || llvm::any_of(instruction.operand_values(), [](const llvm::Value* each) {
           return each->getType()->isFloatingPointTy();
         });
}

bool computes(const llvm::Instruction& instruction) {
  if (const auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) return !call->mayReadOrWriteMemory();
  return llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CmpInst, llvm::CallBase>(instruction) ||
         (llvm::isa<llvm::CastInst>(instruction) && !llvm::isa<llvm::BitCastInst>(instruction));
}

/// The widths of what some code does.
class Widths {
 public:
  void see(const llvm::Instruction& instruction) {
    const unsigned bits = vector_bits(instruction);
    if (computes(instruction)) {
      computed_ = std::max(computed_, bits);
      computes_ = computes_ || is_of_fractions(instruction);
    } else if (instruction.mayReadOrWriteMemory()) {
      copied_ = std::max(copied_, bits);
    }
  }
  [[nodiscard]] unsigned bits() const { return computed_ > 0 || computes_ ? computed_ : copied_; }

 private:
  unsigned computed_ = 0;
  unsigned copied_ = 0;
  bool computes_ = false;  // fractions, one at a time
};

/// Whether items are computed one at a time there: what has vectors all the same computes one item with them.
bool is_of_scalar_items(const llvm::Loop* loop) {
  for (; loop != nullptr; loop = loop->getParentLoop()) {
    if (llvm::getBooleanLoopAttribute(loop, "llvm.loop.isvectorized")) return false;
    if (llvm::getBooleanLoopAttribute(loop, kScalarItems)) return true;
  }
  return false;
}

/// Of a module without loops everything counts. A function without loops that the kernel calls is a loop's: the steps of a
/// block's threads between two barriers are such functions.
std::int64_t widest(llvm::Module& module, llvm::FunctionAnalysisManager& analyses) {
  Widths all;
  Widths looped;
  bool any_loop = false;
  unsigned most = 0;  // a register has
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    const llvm::LoopInfo& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    any_loop = any_loop || !loops.empty();
    const bool is_called = loops.empty() && function.hasLocalLinkage();
    const auto registers = llvm::TargetTransformInfo::RGK_FixedWidthVector;
    const llvm::TypeSize width = analyses.getResult<llvm::TargetIRAnalysis>(function).getRegisterBitWidth(registers);
    most = std::max(most, static_cast<unsigned>(width.getFixedValue()));
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      all.see(instruction);
      const llvm::Loop* const loop = loops.getLoopFor(instruction.getParent());
      if ((is_called || loop != nullptr) && !is_of_scalar_items(loop)) looped.see(instruction);
    }
  }
  return std::min((any_loop ? looped : all).bits(), most);
}

/// Returns the first call in a loop of a user's function that was not inlined; null: there is none.
const llvm::CallBase* call_in_loop(llvm::Module& module, llvm::FunctionAnalysisManager& analyses) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    const llvm::LoopInfo& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr || loops.getLoopFor(call->getParent()) == nullptr) continue;
      const llvm::Function* const called = call->getCalledFunction();
      if (called != nullptr && !called->isDeclaration() && is_users(*called) && call->getDebugLoc()) return call;
    }
  }
  return nullptr;
}

Diagnostic reason_of(const llvm::CallBase& call) {
  const llvm::DILocation* place = call.getDebugLoc();
  while (is_kilns_file(place->getFilename()) && place->getInlinedAt() != nullptr) place = place->getInlinedAt();
  Diagnostic found;
  found.severity = KILN_CLANG_NOTE;
  found.text = "it calls " + llvm::demangle(call.getCalledFunction()->getName()) +
               ", which is not inlined; __forceinline__ inlines a function that does not call itself";
  found.file = name_in_text(place->getFilename()).str();
  found.line = static_cast<int>(place->getLine());
  found.column = static_cast<int>(place->getColumn());
  return found;
}

}  // namespace

void note_reasons(llvm::PassBuilder& builder, CodeReport& report) {
  builder.registerPipelineStartEPCallback([&report](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
    passes.addPass(Step([&report](llvm::Module& module, llvm::ModuleAnalysisManager&) {
      llvm::LLVMContext& context = module.getContext();
      context.setDiagnosticHandler(std::make_unique<Listener>(context.getDiagnosticHandler(), report));
    }));
  });
}

void note_code(llvm::PassBuilder& builder, CodeReport& report, bool drop_locations) {
  builder.registerOptimizerLastEPCallback([&report, drop_locations](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
    passes.addPass(Step([&report, drop_locations](llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
      auto& functions = analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
      report.vector_bits = widest(module, functions);
      if (report.vector_bits == 0 && !report.scalar_because) {
        if (const llvm::CallBase* const call = call_in_loop(module, functions)) report.scalar_because = reason_of(*call);
      }
      report.known = true;
      if (drop_locations) llvm::StripDebugInfo(module);
    }));
  });
}

}  // namespace kiln::clang_module
