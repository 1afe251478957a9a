#include "clang/passes/vector_math.hpp"

#include <dlfcn.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/VFABIDemangler.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "clang/driver/machine.hpp"
#include "clang/passes/joined_lanes.hpp"
#include "clang/passes/rare_lanes.hpp"

namespace kiln::clang_module {
namespace {

constexpr std::array kOneArgument = {"acos",  "acosh", "asin", "asinh", "atan",  "atanh", "cbrt",  "cos",
                                     "cosh",  "erf",   "erfc", "exp",   "exp10", "exp2",  "expm1", "log",
                                     "log10", "log1p", "log2", "sin",   "sinh",  "tan",   "tanh"};
constexpr std::array kTwoArguments = {"atan2", "hypot", "pow"};

/// An instruction set of the vector ABI, and the feature that it needs.
struct RegisterWidth {
  char letter;
  unsigned bytes;
  const char* feature;
};
constexpr RegisterWidth kWidths[] = {{'b', 16, ""}, {'d', 32, "+avx2"}, {'e', 64, "+avx512f"}};

struct Variant {
  std::string function;  ///< libm's
  std::string vector_name;
  unsigned lanes;
  unsigned bytes;
  const char* feature;
};
using Variants = llvm::StringMap<std::vector<Variant>>;

Variants find_variants() {
  Variants variants;
  void* const library = dlopen("libmvec.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return variants;
  const auto add = [&](const std::string& name, bool single, const char* arguments) {
    const std::string function = name + (single ? "f" : "");
    for (const RegisterWidth& width : kWidths) {
      const unsigned lanes = width.bytes / (single ? 4 : 8);
      const std::string vector_name =
          std::string("_ZGV") + width.letter + "N" + std::to_string(lanes) + arguments + "_" + function;
      if (dlsym(library, vector_name.c_str()) == nullptr) continue;
      for (const std::string& scalar : {function, "llvm." + name + (single ? ".f32" : ".f64")}) {
        variants[scalar].push_back({function, vector_name, lanes, width.bytes, width.feature});
      }
    }
  };
  for (const bool single : {false, true}) {
    for (const char* name : kOneArgument) add(name, single, "v");
    for (const char* name : kTwoArguments) add(name, single, "vv");
  }
  return variants;
}

/// What computes `count` lanes, or one number where it is 1, by a call of `lanes`, which computes more: for loops that have
/// wider numbers, too, and for numbers of no loop. Of libmvec as well, whose narrower functions have other bits than its wide
/// ones. It is made here, and not in kernels-src, since few kernels need it: as functions of their own there halves took 3 of
/// the 14 ms that the optimizer takes for the sine of a float32. For the processor that `user` is for.
llvm::Function* fewer_of(llvm::Function& lanes, unsigned count, const llvm::Function& user) {
  const std::string name = (lanes.getName() + "." + llvm::Twine(count)).str();
  if (llvm::Function* const there = lanes.getParent()->getFunction(name)) return there;
  const auto* const whole = llvm::cast<llvm::FixedVectorType>(lanes.getReturnType());
  llvm::Type* const element = whole->getElementType();
  llvm::Type* const type = count == 1 ? element : llvm::FixedVectorType::get(element, count);
  const llvm::SmallVector<llvm::Type*, 2> parameters(lanes.arg_size(), type);
  auto* const fewer = llvm::Function::Create(llvm::FunctionType::get(type, parameters, false), llvm::Function::InternalLinkage,
                                             name, *lanes.getParent());
  for (const char* const attribute : {"target-cpu", "target-features", "tune-cpu", "prefer-vector-width"}) {
    if (user.hasFnAttribute(attribute)) fewer->addFnAttr(user.getFnAttribute(attribute));
  }
  // A call is little beside what one number takes, and each of them would be as long.
  fewer->addFnAttr(count == 1 ? llvm::Attribute::NoInline : llvm::Attribute::AlwaysInline);
  fewer->setDoesNotThrow();
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(lanes.getContext(), "", fewer));
  llvm::SmallVector<llvm::Value*, 2> arguments;
  if (count == 1) {
    for (llvm::Argument& argument : fewer->args()) {
      arguments.push_back(builder.CreateVectorSplat(whole->getNumElements(), &argument));
    }
    builder.CreateRet(builder.CreateExtractElement(builder.CreateCall(&lanes, arguments), std::uint64_t{0}));
    return fewer;
  }
  llvm::SmallVector<int, 16> first(count);
  std::iota(first.begin(), first.end(), 0);
  llvm::SmallVector<int, 16> twice(first);
  twice.append(first);
  for (llvm::Argument& argument : fewer->args()) arguments.push_back(builder.CreateShuffleVector(&argument, twice));
  builder.CreateRet(builder.CreateShuffleVector(builder.CreateCall(&lanes, arguments), first));
  return fewer;
}

/// The same for one number, by a function that is known only when the kernel runs.
void call_chosen(llvm::CallInst& call, llvm::SmallVectorImpl<llvm::Value*>& arguments, llvm::Value* lanes) {
  llvm::IRBuilder<> builder(&call);
  const unsigned count = 512 / static_cast<unsigned>(call.getType()->getPrimitiveSizeInBits());
  for (llvm::Value*& argument : arguments) argument = builder.CreateVectorSplat(count, argument);
  auto* const type = llvm::FixedVectorType::get(call.getType(), count);
  const llvm::SmallVector<llvm::Type*, 2> parameters(arguments.size(), type);
  llvm::CallInst* const all = builder.CreateCall(llvm::FunctionType::get(type, parameters, false), lanes, arguments);
  call.replaceAllUsesWith(builder.CreateExtractElement(all, std::uint64_t{0}));
  call.eraseFromParent();
}

/// kiln_of_lanes_…(arguments, lanes[, joined]) of kernels-src, which no library has: becomes a call for one number, with
/// `lanes`, and half of it, for the vectorizer, whose mappings it adds. All have the same bits. The call is gone; null where it
/// is another one.
llvm::CallInst* without_lanes(llvm::CallInst& call) {
  llvm::SmallVector<llvm::Value*, 4> arguments(call.args());
  const llvm::Function* const joined = take_joined(call, arguments);
  llvm::Value* const given = arguments.pop_back_val();
  auto* const lanes = llvm::dyn_cast<llvm::Function>(given);
  if (lanes == nullptr) {
    call_chosen(call, arguments, given);
    return nullptr;
  }
  if (joined != nullptr) set_joined(*lanes, *joined);
  const llvm::Function& user = *call.getFunction();
  llvm::Function* const one = fewer_of(*lanes, 1, user);
  auto* const single = llvm::CallInst::Create(one, arguments, "", call.getIterator());
  single->setDoesNotAccessMemory();
  single->setDoesNotThrow();
  single->addFnAttr(llvm::Attribute::WillReturn);
  single->setDebugLoc(call.getDebugLoc());
  const unsigned count = llvm::cast<llvm::FixedVectorType>(lanes->getReturnType())->getNumElements();
  llvm::SmallVector<std::string, 2> mappings;
  for (const llvm::Function* const variant : {fewer_of(*lanes, count / 2, user), lanes}) {
    mappings.push_back(mapping_of(variant == lanes ? count : count / 2, arguments.size(), one->getName(), variant->getName()));
  }
  llvm::VFABI::setVectorVariantNames(single, mappings);
  call.replaceAllUsesWith(single);
  call.eraseFromParent();
  return single;
}

/// libm's functions of one number and their vector variants differ in the last bits: the widest variant's first lane instead.
/// For what stands outside loops, as each iteration would compute it alike, of broadcast and scalar operands: how an operand
/// lies must not show. And for the iterations that whole vectors leave over, as where an element stands must not show, either.
void take_first_lane(llvm::CallInst& call) {
  llvm::SmallVector<std::string, 8> mappings;
  llvm::VFABI::getVectorVariantNames(call, mappings);
  llvm::Function* widest = nullptr;
  unsigned lanes = 0;
  for (const std::string& mapping : mappings) {
    const auto shape = llvm::VFABI::tryDemangleForVFABI(mapping, call.getFunctionType());
    if (!shape || shape->Shape.VF.getFixedValue() <= lanes) continue;
    lanes = static_cast<unsigned>(shape->Shape.VF.getFixedValue());
    widest = call.getModule()->getFunction(shape->VectorName);
  }
  if (widest == nullptr) return;
  llvm::IRBuilder<> builder(&call);
  llvm::SmallVector<llvm::Value*, 2> arguments;
  for (llvm::Value* const argument : call.args()) arguments.push_back(builder.CreateVectorSplat(lanes, argument));
  llvm::CallInst* const all = builder.CreateCall(widest, arguments);
  all->setDoesNotAccessMemory();
  all->setDoesNotThrow();
  call.replaceAllUsesWith(builder.CreateExtractElement(all, std::uint64_t{0}));
  call.eraseFromParent();
}

/// An intrinsic as a call of libm's function: of intrinsics the compiler makes vectors of any few lanes, which are libm's
/// numbers one by one in the end. As it is where the kernel has another function of that name.
llvm::CallInst* as_function(llvm::CallInst& call, const std::string& function) {
  if (call.getIntrinsicID() == llvm::Intrinsic::not_intrinsic) return &call;
  llvm::IRBuilder<> builder(&call);
  const llvm::SmallVector<llvm::Value*, 2> arguments(call.args());
  llvm::Function* there = call.getModule()->getFunction(function);
  if (there != nullptr && (!there->isDeclaration() || there->getFunctionType() != call.getFunctionType())) return &call;
  if (there == nullptr) {
    there = llvm::Function::Create(call.getFunctionType(), llvm::Function::ExternalLinkage, function, *call.getModule());
    there->copyAttributesFrom(call.getCalledFunction());
  }
  llvm::CallInst* const plain = builder.CreateCall(there, arguments);
  plain->setDoesNotAccessMemory();
  plain->setDoesNotThrow();
  plain->addFnAttr(llvm::Attribute::WillReturn);
  plain->addFnAttr(llvm::Attribute::NoBuiltin);
  plain->copyFastMathFlags(&call);
  call.replaceAllUsesWith(plain);
  call.eraseFromParent();
  return plain;
}

/// The function of whole registers that a call of kiln_of_lanes_… names; null where it is known only when the kernel runs.
const llvm::Function* lanes_of(const llvm::CallInst& call) {
  for (const llvm::Use& argument : call.args()) {
    if (const auto* const lanes = llvm::dyn_cast<llvm::Function>(argument.get())) return lanes;
  }
  return nullptr;
}

/// Functions with a call for rare numbers are not: several vectors would each have code for it.
bool is_straight(const llvm::Function& lanes) {
  return llvm::none_of(llvm::instructions(lanes), [](const llvm::Instruction& instruction) {
    return llvm::isa<llvm::CallInst>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction);
  });
}

/// What a loop's elements wait for one after the other.
struct Waits {
  unsigned calls = 0;
  unsigned straight = 0;  ///< of kiln's own, without code for rare numbers
  unsigned others = 0;    ///< of kiln's own
};

/// Also of functions that are not optimized: without it they call what no library has.
class NameVectorVariants : public llvm::PassInfoMixin<NameVectorVariants> {
 public:
  static bool isRequired() { return true; }  // NOLINT(readability-identifier-naming): LLVM's name
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    const llvm::LoopInfo& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    static const Variants variants = has_vector_math() ? find_variants() : Variants();
    const std::string features = function.getFnAttribute("target-features").getValueAsString().str() + ",";
    // A wider argument would come in two registers, which is not how libmvec takes it: where 256 bits are preferred, hypot of
    // eight doubles at once got garbage.
    const unsigned bytes = static_cast<unsigned>(analyses.getResult<llvm::TargetIRAnalysis>(function).getRegisterBitWidth(
                                                     llvm::TargetTransformInfo::RGK_FixedWidthVector) /
                                                 8);
    llvm::MapVector<llvm::Loop*, Waits> waits;
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call == nullptr || call->getCalledFunction() == nullptr) continue;
      llvm::Loop* const loop = loops.getLoopFor(call->getParent());
      const std::string name = call->getCalledFunction()->getName().str();
      bool named = false;
      if (llvm::StringRef(name).starts_with("kiln_of_lanes_")) {
        const llvm::Function* const lanes = lanes_of(*call);
        if (loop != nullptr && lanes != nullptr) ++(is_straight(*lanes) ? waits[loop].straight : waits[loop].others);
        named = without_lanes(*call) != nullptr;
      } else if (llvm::StringRef(name).starts_with(kRarely)) {
        if (loop != nullptr) ++waits[loop].others;
        name_rare_lanes(*call);
        named = true;
      } else if (!function.hasOptNone()) {  // in whose loops libm's functions would stay
        const auto found = variants.find(name);
        const Variant* const widest = found == variants.end() ? nullptr : widest_of(found->second, features, bytes);
        if (widest == nullptr || !call->getCalledFunction()->isDeclaration()) continue;
        call = as_function(*call, widest->function);
        named = name_variants(*call, *widest);
        if (named && loop == nullptr) take_first_lane(*call);
      }
      if (named && loop != nullptr) ++waits[loop].calls;
    }
    for (const auto& [loop, of_loop] : waits) {
      if (of_loop.calls == 0) continue;
      const bool several =
          gains_by_several(*loop, of_loop) &&
          analyses.getResult<llvm::ScalarEvolutionAnalysis>(function).getSmallConstantTripMultiple(loop) % 64 == 0;
      llvm::addStringMetadataToLoop(loop, "llvm.loop.interleave.count", several ? kVectorsAtATime : 1);
    }
    return llvm::PreservedAnalyses::all();
  }

 private:
  // As many as a block of an elementwise kernel has of float32, so that no elements are left over.
  static constexpr unsigned kVectorsAtATime = 4;

  /// Several vectors at a time keep one another's values on the stack across calls of libmvec. kiln's own functions are
  /// inlined: where an element waits for several of them or for divisions, a processor does not look far enough ahead to find
  /// work in later vectors.
  static bool gains_by_several(const llvm::Loop& loop, const Waits& waits) {
    if (waits.straight == 0 || waits.others > 0) return false;
    unsigned count = waits.calls;
    for (const llvm::BasicBlock* const block : loop.blocks()) {
      count += static_cast<unsigned>(llvm::count_if(*block, [](const llvm::Instruction& instruction) {
        const auto* const intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        return instruction.getOpcode() == llvm::Instruction::FDiv ||
               (intrinsic != nullptr && intrinsic->getIntrinsicID() == llvm::Intrinsic::sqrt);
      }));
    }
    return count > 1;
  }

  /// The widest that the processor has; null: none.
  static const Variant* widest_of(const std::vector<Variant>& variants, llvm::StringRef features, unsigned bytes) {
    const Variant* widest = nullptr;
    for (const Variant& variant : variants) {
      if (variant.bytes > bytes) continue;
      if (*variant.feature != '\0' && !features.contains(std::string(variant.feature) + ",")) continue;
      widest = &variant;
    }
    return widest;
  }
  /// That one, and half of it.
  static bool name_variants(llvm::CallInst& call, const Variant& widest) {
    const std::string mapping =
        mapping_of(widest.lanes, call.arg_size(), call.getCalledFunction()->getName(), widest.vector_name);
    const auto shape = llvm::VFABI::tryDemangleForVFABI(mapping, call.getFunctionType());
    if (!shape) return false;
    llvm::Module& module = *call.getModule();
    llvm::Function* lanes = module.getFunction(widest.vector_name);
    if (lanes == nullptr) {
      lanes = llvm::Function::Create(llvm::VFABI::createFunctionType(*shape, call.getFunctionType()),
                                     llvm::Function::ExternalLinkage, widest.vector_name, module);
      lanes->copyAttributesFrom(call.getCalledFunction());
    }
    const auto count = static_cast<unsigned>(shape->Shape.VF.getFixedValue());
    llvm::SmallVector<std::string, 2> mappings{mapping};
    if (count > 2) {
      const llvm::Function* const half = fewer_of(*lanes, count / 2, *call.getFunction());
      mappings.push_back(mapping_of(count / 2, call.arg_size(), call.getCalledFunction()->getName(), half->getName()));
    }
    llvm::VFABI::setVectorVariantNames(&call, mappings);
    return true;
  }
};

/// What is left of loops that were vectorized, unrolled or not: calls of functions that the same function of the kernel calls
/// for whole vectors, too.
class TakeLanesOfRemainders : public llvm::PassInfoMixin<TakeLanesOfRemainders> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    std::set<const llvm::Function*> called;
    llvm::SmallVector<llvm::CallInst*, 8> scalar;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call == nullptr || call->getCalledFunction() == nullptr) continue;
      called.insert(call->getCalledFunction());
      // kiln's own are their own first lane.
      if (call->hasFnAttr(llvm::VFABI::MappingsAttrName) && call->getCalledFunction()->isDeclaration()) scalar.push_back(call);
    }
    for (llvm::CallInst* const call : scalar) {
      if (calls_variant(*call, called)) take_first_lane(*call);
    }
    return llvm::PreservedAnalyses::all();
  }

 private:
  static bool calls_variant(const llvm::CallInst& call, const std::set<const llvm::Function*>& called) {
    llvm::SmallVector<std::string, 2> mappings;
    llvm::VFABI::getVectorVariantNames(call, mappings);
    return std::any_of(mappings.begin(), mappings.end(), [&](const std::string& mapping) {
      const auto shape = llvm::VFABI::tryDemangleForVFABI(mapping, call.getFunctionType());
      return shape && called.count(call.getModule()->getFunction(shape->VectorName)) > 0;
    });
  }
};

}  // namespace

void use_vector_math(llvm::PassBuilder& builder) {
  builder.registerVectorizerStartEPCallback(
      [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) { passes.addPass(NameVectorVariants()); });
  // What kiln_of_lanes_… has become, and no more of it than is called.
  builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(TakeLanesOfRemainders()));
    passes.addPass(llvm::AlwaysInlinerPass());
    passes.addPass(llvm::GlobalDCEPass());
  });
}

}  // namespace kiln::clang_module
