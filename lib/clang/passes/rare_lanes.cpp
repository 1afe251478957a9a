#include "clang/passes/rare_lanes.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/Twine.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/VFABIDemangler.h>

namespace kiln::clang_module {
namespace {

/// `count` lanes of y, and of a function of single numbers where the size of x is not below a limit. The lanes that are not are
/// looked for in a function of their own, so that what is inlined is a comparison and a branch.
llvm::Function* rare_lanes_of(llvm::Function& rare, llvm::Constant& limit, unsigned count, const llvm::Function& user) {
  llvm::Module& module = *rare.getParent();
  const std::string name = (rare.getName() + ".rarely." + llvm::Twine(count)).str();
  if (llvm::Function* const there = module.getFunction(name)) return there;
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* const number = rare.getReturnType();
  llvm::Type* const type = count == 1 ? number : llvm::FixedVectorType::get(number, count);
  llvm::Type* const bit = llvm::Type::getInt1Ty(context);
  llvm::Type* const mask = count == 1 ? bit : llvm::FixedVectorType::get(bit, count);
  const auto make = [&](llvm::ArrayRef<llvm::Type*> parameters, const std::string& called, llvm::Attribute::AttrKind inlined) {
    auto* const made = llvm::Function::Create(llvm::FunctionType::get(type, parameters, false), llvm::Function::InternalLinkage,
                                              called, module);
    for (const char* const attribute : {"target-cpu", "target-features", "tune-cpu", "prefer-vector-width"}) {
      if (user.hasFnAttribute(attribute)) made->addFnAttr(user.getFnAttribute(attribute));
    }
    made->addFnAttr(inlined);
    made->setDoesNotThrow();
    return made;
  };
  llvm::Function* const all = make({type, type}, name, llvm::Attribute::AlwaysInline);
  llvm::Function* const others = make({type, type, mask}, name + ".others", llvm::Attribute::NoInline);

  llvm::Argument *y = all->getArg(0), *x = all->getArg(1);
  auto* const entry = llvm::BasicBlock::Create(context, "", all);
  auto* const some = llvm::BasicBlock::Create(context, "some", all);
  auto* const end = llvm::BasicBlock::Create(context, "end", all);
  llvm::IRBuilder<> builder(entry);
  llvm::Constant* const most =
      count == 1 ? &limit : llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(count), &limit);
  llvm::Value* const usual = builder.CreateFCmpOLT(builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x), most);
  llvm::Value* const every = count == 1 ? usual : builder.CreateAndReduce(usual);
  builder.CreateCondBr(every, end, some, llvm::MDBuilder(context).createLikelyBranchWeights());
  builder.SetInsertPoint(some);
  llvm::Value* const mended = builder.CreateCall(others, {y, x, usual});
  builder.CreateBr(end);
  builder.SetInsertPoint(end);
  llvm::PHINode* const result = builder.CreatePHI(type, 2);
  result->addIncoming(y, entry);
  result->addIncoming(mended, some);
  builder.CreateRet(result);

  y = others->getArg(0), x = others->getArg(1);
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "", others));
  if (count == 1) {
    builder.CreateRet(builder.CreateCall(&rare, {x}));
    return all;
  }
  auto* const first = builder.GetInsertBlock();
  auto* const lane = llvm::BasicBlock::Create(context, "lane", others);
  auto* const call = llvm::BasicBlock::Create(context, "call", others);
  auto* const next = llvm::BasicBlock::Create(context, "next", others);
  auto* const out = llvm::BasicBlock::Create(context, "out", others);
  builder.CreateBr(lane);
  builder.SetInsertPoint(lane);
  llvm::PHINode* const i = builder.CreatePHI(builder.getInt32Ty(), 2);
  llvm::PHINode* const before = builder.CreatePHI(type, 2);
  builder.CreateCondBr(builder.CreateExtractElement(others->getArg(2), i), next, call);
  builder.SetInsertPoint(call);
  llvm::Value* const exact = builder.CreateCall(&rare, {builder.CreateExtractElement(x, i)});
  llvm::Value* const changed = builder.CreateInsertElement(before, exact, i);
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
  llvm::PHINode* const after = builder.CreatePHI(type, 2);
  after->addIncoming(before, lane);
  after->addIncoming(changed, call);
  llvm::Value* const following = builder.CreateAdd(i, builder.getInt32(1));
  builder.CreateCondBr(builder.CreateICmpEQ(following, builder.getInt32(count)), out, lane);
  i->addIncoming(builder.getInt32(0), first);
  i->addIncoming(following, next);
  before->addIncoming(y, first);
  before->addIncoming(after, next);
  builder.SetInsertPoint(out);
  builder.CreateRet(after);
  return all;
}

}  // namespace

std::string mapping_of(unsigned lanes, std::size_t arguments, llvm::StringRef scalar, llvm::StringRef vector) {
  return ("_ZGV_LLVM_N" + llvm::Twine(lanes) + std::string(arguments, 'v') + "_" + scalar + "(" + vector + ")").str();
}

void name_rare_lanes(llvm::CallInst& call) {
  auto* const rare = llvm::cast<llvm::Function>(call.getArgOperand(3));
  auto* const limit = llvm::cast<llvm::Constant>(call.getArgOperand(2));
  const llvm::Function& user = *call.getFunction();
  llvm::Function* const one = rare_lanes_of(*rare, *limit, 1, user);
  auto* const single = llvm::CallInst::Create(one, {call.getArgOperand(0), call.getArgOperand(1)}, "", call.getIterator());
  single->setDoesNotAccessMemory();
  single->setDoesNotThrow();
  single->addFnAttr(llvm::Attribute::WillReturn);
  single->setDebugLoc(call.getDebugLoc());
  llvm::SmallVector<std::string, 4> mappings;
  for (const unsigned count : {2U, 4U, 8U, 16U}) {
    mappings.push_back(mapping_of(count, 2, one->getName(), rare_lanes_of(*rare, *limit, count, user)->getName()));
  }
  llvm::VFABI::setVectorVariantNames(single, mappings);
  call.replaceAllUsesWith(single);
  call.eraseFromParent();
}

}  // namespace kiln::clang_module
