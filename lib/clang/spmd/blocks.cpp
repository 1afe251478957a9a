#include "clang/spmd/blocks.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Coroutines/CoroCleanup.h>
#include <llvm/Transforms/Coroutines/CoroEarly.h>
#include <llvm/Transforms/Coroutines/CoroSplit.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "clang/spmd/legality.hpp"

namespace kiln::clang_module {
namespace {

using namespace spmd;

constexpr llvm::StringRef kSharedSection = "kiln_shared";
constexpr llvm::StringRef kShare = "kiln_share";
constexpr llvm::StringRef kBytes = "kiln_shared_bytes";
constexpr llvm::StringRef kNewFrame = "kiln_new_frame";
/// Of KILN_SHARED variables, on the stack of a thread of the host; GPUs have 48 KiB or 64.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 20;

llvm::SmallVector<llvm::CallInst*, 8> calls_of(llvm::Module& module, llvm::StringRef name) {
  llvm::SmallVector<llvm::CallInst*, 8> calls;
  llvm::Function* const function = module.getFunction(name);
  if (function == nullptr) return calls;
  for (llvm::User* const user : function->users()) {
    if (auto* const call = llvm::dyn_cast<llvm::CallInst>(user)) calls.push_back(call);
  }
  return calls;
}

/// Everything that it stands in becomes part of the function of neighbouring threads.
void inline_into_callers(llvm::ArrayRef<llvm::Function*> functions) {
  llvm::SetVector<llvm::Function*> pending(functions.begin(), functions.end());
  for (std::size_t at = 0; at < pending.size(); ++at) {
    llvm::Function* const function = pending[at];
    if (function->getName() == kThreadsName) continue;
    function->removeFnAttr(llvm::Attribute::NoInline);
    function->addFnAttr(llvm::Attribute::AlwaysInline);
    for (llvm::User* const user : function->users()) {
      if (auto* const call = llvm::dyn_cast<llvm::CallInst>(user)) pending.insert(call->getFunction());
    }
  }
}

void fail(llvm::Function& function, const llvm::Twine& why) {
  function.getContext().emitError(why);
}
constexpr const char* kNoFunction =
    "barrier() and KILN_SHARED cannot stand in a function that calls itself or whose address is taken";

void replace(llvm::Module& module, llvm::StringRef name, std::uint64_t number) {
  for (llvm::CallInst* const call : calls_of(module, name)) {
    call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), number));
    call->eraseFromParent();
  }
}

std::uint64_t lanes_of(const llvm::Function& threads) {
  std::uint64_t lanes = 1;
  threads.getFnAttribute(kLanesName).getValueAsString().getAsInteger(10, lanes);
  return lanes;
}

/// In front of everything: a variable that several threads of the host have, one for each block that they run, is none.
class ShareMemory : public llvm::PassInfoMixin<ShareMemory> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    if (module.getFunction(kThreadsName) == nullptr) return llvm::PreservedAnalyses::all();
    llvm::SmallVector<llvm::GlobalVariable*, 4> variables;
    for (llvm::GlobalVariable& variable : module.globals()) {
      if (variable.getSection() == kSharedSection) variables.push_back(&variable);
    }
    llvm::SmallVector<llvm::Function*, 8> users;
    std::uint64_t bytes = 0;
    for (llvm::GlobalVariable* const variable : variables) {
      constexpr std::uint64_t kRegister = 64;
      bytes = llvm::alignTo(bytes, std::max<std::uint64_t>(variable->getAlign().valueOrOne().value(), kRegister));
      replace(*variable, bytes, users);
      bytes += module.getDataLayout().getTypeAllocSize(variable->getValueType());
    }
    if (bytes > kMostBytes) {
      fail(*module.getFunction(kThreadsName), "KILN_SHARED variables take " + llvm::Twine(bytes) +
                                                  " bytes, and the device has " + llvm::Twine(kMostBytes) +
                                                  " for a block; take KILN_DYNAMIC_SHARED");
    }
    kiln::clang_module::replace(module, kBytes, bytes);
    for (llvm::CallInst* const call : calls_of(module, kBarrierName)) users.push_back(call->getFunction());
    inline_into_callers(users);
    return llvm::PreservedAnalyses::none();
  }

 private:
  static void replace(llvm::GlobalVariable& variable, std::uint64_t offset, llvm::SmallVectorImpl<llvm::Function*>& users) {
    llvm::Module& module = *variable.getParent();
    llvm::convertUsersOfConstantsToInstructions({&variable});
    auto* const pointer = llvm::PointerType::getUnqual(module.getContext());
    llvm::FunctionCallee memory = module.getOrInsertFunction(kMemoryName, pointer);
    auto* const function = llvm::cast<llvm::Function>(memory.getCallee());
    function->setDoesNotAccessMemory();
    function->setDoesNotThrow();
    function->setWillReturn();
    for (llvm::Use& use : llvm::make_early_inc_range(variable.uses())) {
      auto* const user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      if (user == nullptr) {
        fail(*module.getFunction(kThreadsName), "the address of a KILN_SHARED variable cannot initialize another variable");
        return;
      }
      auto* const phi = llvm::dyn_cast<llvm::PHINode>(user);
      llvm::IRBuilder<> builder(phi != nullptr ? phi->getIncomingBlock(use)->getTerminator() : user);
      use.set(builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), builder.CreateCall(memory), offset));
      users.push_back(user->getFunction());
    }
  }
};

/// Behind everything: the function of neighbouring threads returns at each barrier.
class SplitAtBarriers : public llvm::PassInfoMixin<SplitAtBarriers> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    llvm::Function* const threads = module.getFunction(kThreadsName);
    if (threads == nullptr) return llvm::PreservedAnalyses::all();
    replace(module, kLanesCallName, lanes_of(*threads));
    replace(module, kTogetherName, lanes_of(*threads));
    give_memory(module, *threads);
    for (llvm::CallInst* const call : calls_of(module, kLockstepName)) call->eraseFromParent();
    llvm::SmallVector<llvm::CallInst*, 8> barriers;
    for (llvm::CallInst* const call : calls_of(module, kBarrierName)) {
      if (call->getFunction() == threads) {
        barriers.push_back(call);
      } else if (!call->getFunction()->use_empty()) {
        fail(*call->getFunction(), kNoFunction);
      }
    }
    for (llvm::CallInst* const call : calls_of(module, kBarrierName)) {
      if (call->getFunction() != threads) call->eraseFromParent();  // of functions that nobody calls
    }
    if (barriers.empty()) return llvm::PreservedAnalyses::none();
    for (const llvm::Instruction& instruction : llvm::instructions(*threads)) {
      if (!moves_stack(instruction)) continue;
      fail(*threads, "a kernel with barrier() cannot have an array whose length is known only when it runs");
      return llvm::PreservedAnalyses::none();
    }
    make_coroutine(*threads, barriers);
    return llvm::PreservedAnalyses::none();
  }

 private:
  static void give_memory(llvm::Module& module, llvm::Function& threads) {
    for (llvm::CallInst* const call : calls_of(module, kMemoryName)) {
      if (call->getFunction() != &threads) {
        if (!call->getFunction()->use_empty()) fail(*call->getFunction(), kNoFunction);
        call->replaceAllUsesWith(llvm::PoisonValue::get(call->getType()));
      } else {
        call->replaceAllUsesWith(threads.getArg(1));
      }
      call->eraseFromParent();
    }
    for (llvm::CallInst* const call : calls_of(module, kShare)) call->eraseFromParent();
  }

  static void make_coroutine(llvm::Function& function, llvm::ArrayRef<llvm::CallInst*> barriers) {
    llvm::Module& module = *function.getParent();
    llvm::LLVMContext& context = module.getContext();
    llvm::IRBuilder<> builder(context);
    llvm::Value* const null = llvm::ConstantPointerNull::get(builder.getPtrTy());
    llvm::Value* const no_token = llvm::ConstantTokenNone::get(context);
    constexpr unsigned kAlignment = 64;

    llvm::SmallVector<llvm::Instruction*, 2> returns;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (llvm::isa<llvm::ReturnInst>(instruction)) returns.push_back(&instruction);
    }
    llvm::BasicBlock& entry = function.getEntryBlock();
    builder.SetInsertPoint(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
    llvm::Value* const promise = builder.CreateAlloca(builder.getInt8Ty());  // debug information is looked for there
    llvm::Value* const id =
        builder.CreateIntrinsic(llvm::Intrinsic::coro_id, {}, {builder.getInt32(kAlignment), promise, null, null});
    llvm::Value* const size = builder.CreateIntrinsic(llvm::Intrinsic::coro_size, {builder.getInt64Ty()}, {});
    llvm::Value* const memory = builder.CreateCall(module.getFunction(kNewFrame), {function.getArg(0), size});
    llvm::Value* const frame = builder.CreateIntrinsic(llvm::Intrinsic::coro_begin, {}, {id, memory});

    llvm::BasicBlock* const cleanup = llvm::BasicBlock::Create(context, "cleanup", &function);
    llvm::BasicBlock* const suspended = llvm::BasicBlock::Create(context, "suspended", &function);
    const auto suspend = [&](bool last, llvm::BasicBlock* next) {
      llvm::Value* const how = builder.CreateIntrinsic(llvm::Intrinsic::coro_suspend, {}, {no_token, builder.getInt1(last)});
      llvm::SwitchInst* const choice = builder.CreateSwitch(how, suspended, 2);
      choice->addCase(builder.getInt8(0), next);
      choice->addCase(builder.getInt8(1), cleanup);
    };
    llvm::BasicBlock* const end = llvm::BasicBlock::Create(context, "end", &function);
    for (llvm::Instruction* const leaves : returns) {
      builder.SetInsertPoint(leaves);
      builder.CreateBr(end);
      leaves->eraseFromParent();
    }
    for (llvm::CallInst* const barrier : barriers) {
      llvm::BasicBlock* const next = llvm::SplitBlock(barrier->getParent(), barrier->getNextNode());
      barrier->getParent()->getTerminator()->eraseFromParent();
      builder.SetInsertPoint(barrier->getParent());
      suspend(false, next);
      barrier->eraseFromParent();
    }
    llvm::BasicBlock* const never = llvm::BasicBlock::Create(context, "never", &function);
    builder.SetInsertPoint(never);
    builder.CreateUnreachable();
    builder.SetInsertPoint(end);
    suspend(true, never);
    builder.SetInsertPoint(cleanup);  // never: the frame is the caller's
    builder.CreateIntrinsic(llvm::Intrinsic::coro_free, {}, {id, frame});
    builder.CreateBr(suspended);
    builder.SetInsertPoint(suspended);
    builder.CreateIntrinsic(llvm::Intrinsic::coro_end, {}, {frame, builder.getFalse(), no_token});
    builder.CreateRet(frame);
    function.setPresplitCoroutine();
  }
};

}  // namespace

bool spmd::tell_lanes(llvm::Function& threads) {
  bool any = false;
  for (const llvm::StringRef name : {kLanesCallName, kTogetherName}) {
    for (llvm::CallInst* const call : calls_of(*threads.getParent(), name)) {
      if (call->getFunction() != &threads) continue;
      call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), lanes_of(threads)));
      call->eraseFromParent();
      any = true;
    }
  }
  return any;
}

void let_threads_wait(llvm::PassBuilder& builder) {
  builder.registerPipelineStartEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(ShareMemory()); });
  builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
    passes.addPass(SplitAtBarriers());
    passes.addPass(llvm::CoroEarlyPass());
    passes.addPass(llvm::createModuleToPostOrderCGSCCPassAdaptor(llvm::CoroSplitPass(/*OptimizeFrame=*/true)));
    passes.addPass(llvm::CoroCleanupPass());
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::SimplifyCFGPass()));
    passes.addPass(llvm::GlobalDCEPass());
  });
}

}  // namespace kiln::clang_module
