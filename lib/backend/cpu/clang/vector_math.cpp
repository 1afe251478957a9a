#include "backend/cpu/clang/vector_math.hpp"

#include <dlfcn.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/VFABIDemangler.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <array>
#include <numeric>
#include <string>
#include <vector>

namespace kiln::clang_module {
namespace {

constexpr std::array kOneArgument = {"acos",  "acosh", "asin", "asinh", "atan",  "atanh", "cbrt",  "cos",
                                     "cosh",  "erf",   "erfc", "exp",   "exp10", "exp2",  "expm1", "log",
                                     "log10", "log1p", "log2", "sin",   "sinh",  "tan",   "tanh"};
constexpr std::array kTwoArguments = {"atan2", "hypot", "pow"};

/// An instruction set of the vector ABI, and the feature that it needs.
struct Width {
  char letter;
  unsigned bytes;
  const char* feature;
};
constexpr Width kWidths[] = {{'b', 16, ""}, {'d', 32, "+avx2"}, {'e', 64, "+avx512f"}};

struct Variant {
  std::string vector_name;
  std::string mapping;
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
    for (const Width& width : kWidths) {
      const std::string lanes = std::to_string(width.bytes / (single ? 4 : 8));
      const std::string vector_name = std::string("_ZGV") + width.letter + "N" + lanes + arguments + "_" + function;
      if (dlsym(library, vector_name.c_str()) == nullptr) continue;
      for (const std::string& scalar : {function, "llvm." + name + (single ? ".f32" : ".f64")}) {
        variants[scalar].push_back({vector_name, "_ZGV_LLVM_N" + lanes + arguments + "_" + scalar + "(" + vector_name + ")",
                                    width.bytes, width.feature});
      }
    }
  };
  for (const bool single : {false, true}) {
    for (const char* name : kOneArgument) add(name, single, "v");
    for (const char* name : kTwoArguments) add(name, single, "vv");
  }
  return variants;
}

/// What computes half as many lanes as `lanes` does, by a call of it: for loops that have wider numbers, too. It is made here,
/// and not in kernels-src, since almost no kernel has such a loop: as a function of its own it took 3 of the 14 ms that the
/// optimizer takes for the sine of a float32.
llvm::Function* half_of(llvm::Function& lanes) {
  const std::string name = (lanes.getName() + ".half").str();
  if (llvm::Function* const there = lanes.getParent()->getFunction(name)) return there;
  const auto* const whole = llvm::cast<llvm::FixedVectorType>(lanes.getReturnType());
  const unsigned count = whole->getNumElements() / 2;
  auto* const type = llvm::FixedVectorType::get(whole->getElementType(), count);
  const llvm::SmallVector<llvm::Type*, 2> parameters(lanes.arg_size(), type);
  auto* const half = llvm::Function::Create(llvm::FunctionType::get(type, parameters, false), llvm::Function::InternalLinkage,
                                            name, *lanes.getParent());
  half->addFnAttrs({lanes.getContext(), lanes.getAttributes().getFnAttrs()});
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(lanes.getContext(), "", half));
  llvm::SmallVector<int, 16> first(count);
  std::iota(first.begin(), first.end(), 0);
  llvm::SmallVector<int, 16> twice(first);
  twice.append(first);
  llvm::SmallVector<llvm::Value*, 2> arguments;
  for (llvm::Argument& argument : half->args()) arguments.push_back(builder.CreateShuffleVector(&argument, twice));
  builder.CreateRet(builder.CreateShuffleVector(builder.CreateCall(&lanes, arguments), first));
  return half;
}

/// kiln_of_lanes_…(arguments, one, lanes) of kernels-src, which no library has: becomes a call of `one`, with the other, and
/// half of it, for the vectorizer, whose mappings it adds. The call is gone; null where it is another one.
llvm::CallInst* without_lanes(llvm::CallInst& call) {
  llvm::Function* const callee = call.getCalledFunction();
  if (callee == nullptr || !callee->getName().starts_with("kiln_of_lanes_")) return nullptr;
  llvm::SmallVector<llvm::Value*, 4> arguments(call.args());
  auto* const lanes = llvm::cast<llvm::Function>(arguments.pop_back_val());
  auto* const one = llvm::cast<llvm::Function>(arguments.pop_back_val());
  auto* const single = llvm::CallInst::Create(one, arguments, "", call.getIterator());
  single->setDoesNotAccessMemory();
  single->setDoesNotThrow();
  single->addFnAttr(llvm::Attribute::WillReturn);
  single->setDebugLoc(call.getDebugLoc());
  llvm::SmallVector<std::string, 2> mappings;
  for (llvm::Function* const variant : {half_of(*lanes), lanes}) {
    const auto* const type = llvm::cast<llvm::FixedVectorType>(variant->getReturnType());
    mappings.push_back("_ZGV_LLVM_N" + std::to_string(type->getNumElements()) + std::string(arguments.size(), 'v') + "_" +
                       one->getName().str() + "(" + variant->getName().str() + ")");
  }
  llvm::VFABI::setVectorVariantNames(single, mappings);
  call.replaceAllUsesWith(single);
  call.eraseFromParent();
  return single;
}

/// Outside loops stands what each turn would compute alike, of broadcast and scalar operands. libm's functions of one number
/// and their vector variants differ in the last bits, and how an operand lies must not show: the widest variant's first lane.
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

class NameVectorVariants : public llvm::PassInfoMixin<NameVectorVariants> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    const llvm::LoopInfo& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    static const Variants variants = find_variants();
    const std::string features = function.getFnAttribute("target-features").getValueAsString().str() + ",";
    // A wider argument would come in two registers, which is not how libmvec takes it: where 256 bits are preferred, hypot of
    // eight doubles at once got garbage.
    const unsigned bytes = static_cast<unsigned>(analyses.getResult<llvm::TargetIRAnalysis>(function).getRegisterBitWidth(
                                                     llvm::TargetTransformInfo::RGK_FixedWidthVector) /
                                                 8);
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call == nullptr || call->getCalledFunction() == nullptr) continue;
      llvm::CallInst* named = without_lanes(*call);
      if (named == nullptr) {
        const auto found = variants.find(call->getCalledFunction()->getName());
        if (found == variants.end() || !name_variants(*call, found->second, features, bytes)) continue;
        named = call;
      }
      if (llvm::Loop* const loop = loops.getLoopFor(named->getParent())) {
        one_vector_at_a_time(*loop);
      } else {
        take_first_lane(*named);
      }
    }
    return llvm::PreservedAnalyses::all();
  }

 private:
  // Several vectors at a time only keep one another's values on the stack across the calls: 0.57 ns for exp(-x * x / 2) of a
  // float32 on a Zen 5 instead of 0.37.
  static void one_vector_at_a_time(llvm::Loop& loop) { llvm::addStringMetadataToLoop(&loop, "llvm.loop.interleave.count", 1); }

  /// Whether there are any.
  static bool name_variants(llvm::CallInst& call, const std::vector<Variant>& variants, llvm::StringRef features,
                            unsigned bytes) {
    llvm::SmallVector<std::string, 8> mappings;
    for (const Variant& variant : variants) {
      if (variant.bytes > bytes) continue;
      if (*variant.feature != '\0' && !features.contains(std::string(variant.feature) + ",")) continue;
      const auto shape = llvm::VFABI::tryDemangleForVFABI(variant.mapping, call.getFunctionType());
      if (!shape) continue;
      llvm::Module& module = *call.getModule();
      if (module.getFunction(variant.vector_name) == nullptr) {
        auto* const declared = llvm::Function::Create(llvm::VFABI::createFunctionType(*shape, call.getFunctionType()),
                                                      llvm::Function::ExternalLinkage, variant.vector_name, module);
        declared->copyAttributesFrom(call.getCalledFunction());
      }
      mappings.push_back(variant.mapping);
    }
    if (!mappings.empty()) llvm::VFABI::setVectorVariantNames(&call, mappings);
    return !mappings.empty();
  }
};

}  // namespace

void use_vector_math(llvm::PassBuilder& builder) {
  builder.registerVectorizerStartEPCallback([](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) {
#if defined(__x86_64__) && defined(__GLIBC__)
    passes.addPass(NameVectorVariants());
#else
    static_cast<void>(passes);
#endif
  });
  // What kiln_of_lanes_… has become, and no more of it than is called.
  builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
    passes.addPass(llvm::AlwaysInlinerPass());
    passes.addPass(llvm::GlobalDCEPass());
  });
}

}  // namespace kiln::clang_module
