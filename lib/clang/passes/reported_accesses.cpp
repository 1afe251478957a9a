#include "clang/passes/reported_accesses.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/Scalar/SROA.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "clang/driver/users_texts.hpp"

namespace kiln::clang_module {
namespace {

constexpr llvm::StringRef kRaceTable = "kiln_race";
constexpr llvm::StringRef kOwnFaults = "kiln_faults";
constexpr llvm::StringRef kOfUsersTexts = "4kiln4user";  // in the mangled names of what is in its namespace
constexpr llvm::StringRef kSharedSection = "kiln_shared";
// Of kernels-src/raw/race.hpp.
enum Member : unsigned { kChecker, kAccess, kBarrier, kPlaces, kVariables, kVariableCount };
constexpr unsigned kWrites = 1, kAtomic = 2, kFills = 4, kRank = 8;

/// The user's line that an instruction is of, or that calls what it is of. Null: none.
const llvm::DILocation* users_line(const llvm::Instruction& instruction) {
  const llvm::DILocation* at = instruction.getDebugLoc();
  while (at != nullptr && (at->getLine() == 0 || is_kilns_file(at->getFilename()))) at = at->getInlinedAt();
  return at;
}

/// Memory that no other thread sees, that nothing writes, or that is kiln's.
bool is_of_no_interest(const llvm::Value* pointer) {
  const llvm::Value* const object = llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0);
  if (llvm::isa<llvm::AllocaInst>(object)) return true;
  if (const auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(object)) {
    return call->getIntrinsicID() == llvm::Intrinsic::threadlocal_address;
  }
  const auto* const variable = llvm::dyn_cast<llvm::GlobalVariable>(object);
  return variable != nullptr && (variable->isConstant() || variable->isThreadLocal() || variable->getName() == kRaceTable ||
                                 variable->getName() == kOwnFaults);
}

class Accesses {
 public:
  Accesses(llvm::Module& module, llvm::GlobalVariable& table)
      : module_(module), table_(table), layout_(module.getDataLayout()) {}

  void report() {
    for (llvm::Function& function : module_) {
      llvm::SmallVector<std::pair<llvm::Instruction*, const llvm::DILocation*>, 32> found;
      for (llvm::Instruction& instruction : llvm::instructions(function)) {
        if (!instruction.mayReadOrWriteMemory()) continue;
        if (const llvm::DILocation* const at = users_line(instruction)) found.emplace_back(&instruction, at);
      }
      copies_.clear();
      for (const auto& [instruction, at] : found) report(*instruction, *at);
    }
    table_.setInitializer(initializer());
  }

 private:
  void report(llvm::Instruction& instruction, const llvm::DILocation& at) {
    if (auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      call(instruction, at, load->getPointerOperand(), bytes_of(load->getType()), nullptr, load->isAtomic() ? kAtomic : 0);
    } else if (auto* const store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      call(instruction, at, store->getPointerOperand(), bytes_of(store->getValueOperand()->getType()), store->getValueOperand(),
           kWrites | (store->isAtomic() ? kAtomic : 0));
    } else if (auto* const update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      call(instruction, at, update->getPointerOperand(), bytes_of(update->getType()), nullptr, kWrites | kAtomic);
    } else if (auto* const swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
      call(instruction, at, swap->getPointerOperand(), bytes_of(swap->getNewValOperand()->getType()), nullptr,
           kWrites | kAtomic);
    } else if (auto* const copy = llvm::dyn_cast<llvm::MemTransferInst>(&instruction)) {
      call(instruction, at, copy->getRawSource(), copy->getLength(), nullptr, 0);
      call(instruction, at, copy->getRawDest(), copy->getLength(), copy->getRawSource(), kWrites);
    } else if (auto* const fill = llvm::dyn_cast<llvm::MemSetInst>(&instruction)) {
      call(instruction, at, fill->getRawDest(), fill->getLength(), fill->getValue(), kWrites | kFills);
    }
  }

  llvm::Value* bytes_of(llvm::Type* type) const {
    return llvm::ConstantInt::get(llvm::Type::getInt64Ty(module_.getContext()), layout_.getTypeStoreSize(type).getFixedValue());
  }

  // `value`: what is written, or the address of it.
  void call(llvm::Instruction& before, const llvm::DILocation& at, llvm::Value* pointer, llvm::Value* bytes, llvm::Value* value,
            unsigned use) {
    if (is_of_no_interest(pointer)) return;
    llvm::IRBuilder<> build(&before);
    llvm::Type* const address = build.getPtrTy();
    if (value == nullptr) {
      value = llvm::Constant::getNullValue(address);
    } else if (!llvm::isa<llvm::MemTransferInst>(before)) {
      llvm::AllocaInst* const copy = copy_of(*before.getFunction(), value->getType());
      build.CreateStore(value, copy);
      value = copy;
    }
    const auto member = [&](unsigned number) {
      return build.CreateLoad(address, build.CreateStructGEP(table_.getValueType(), &table_, number));
    };
    llvm::Type* const number = build.getInt32Ty();
    auto* const type =
        llvm::FunctionType::get(build.getVoidTy(), {address, address, build.getInt64Ty(), address, number, number}, false);
    build.CreateCall(type, member(kAccess),
                     {member(kChecker), pointer, build.CreateZExtOrTrunc(bytes, build.getInt64Ty()), value, build.getInt32(use),
                      build.getInt32(place_of(at))});
  }

  /// Memory for a value of the type that is about to be written, one for all of a function.
  llvm::AllocaInst* copy_of(llvm::Function& function, llvm::Type* type) {
    llvm::AllocaInst*& copy = copies_[type];
    if (copy == nullptr) {
      llvm::BasicBlock& entry = function.getEntryBlock();
      copy = new llvm::AllocaInst(type, layout_.getAllocaAddrSpace(), "", entry.getFirstInsertionPt());
    }
    return copy;
  }

  unsigned place_of(const llvm::DILocation& at) {
    const auto [found, is_new] = numbers_.try_emplace({name_in_text(at.getFilename()).str(), at.getLine(), at.getColumn()},
                                                      static_cast<unsigned>(places_.size()));
    if (is_new) {
      places_.push_back(llvm::ConstantStruct::getAnon(
          {string(name_in_text(at.getFilename())), number32(at.getLine()), number32(at.getColumn())}));
    }
    return found->second;
  }

  llvm::Constant* number32(std::uint64_t value) const {
    return llvm::ConstantInt::get(llvm::Type::getInt32Ty(module_.getContext()), value);
  }
  llvm::Constant* number64(std::uint64_t value) const {
    return llvm::ConstantInt::get(llvm::Type::getInt64Ty(module_.getContext()), value);
  }
  llvm::Constant* constant(llvm::Constant* value) {
    return new llvm::GlobalVariable(module_, value->getType(), true, llvm::GlobalValue::PrivateLinkage, value);
  }
  llvm::Constant* string(llvm::StringRef text) {
    llvm::Constant*& known = strings_[text.str()];
    if (known == nullptr) known = constant(llvm::ConstantDataArray::getString(module_.getContext(), text));
    return known;
  }
  llvm::Constant* array(const std::vector<llvm::Constant*>& values) {
    if (values.empty()) return llvm::Constant::getNullValue(llvm::PointerType::get(module_.getContext(), 0));
    return constant(llvm::ConstantArray::get(llvm::ArrayType::get(values[0]->getType(), values.size()), values));
  }

  /// "tile" of kiln::user::kiln_body(…)::tile.
  static std::string name_of(const llvm::GlobalVariable& variable) {
    const std::string whole = llvm::demangle(variable.getName());
    const std::size_t scope = whole.rfind("::");
    return scope == std::string::npos ? whole : whole.substr(scope + 2);
  }

  llvm::Constant* variable_of(llvm::GlobalVariable& variable) {
    std::vector<llvm::Constant*> extents;
    llvm::Type* type = variable.getValueType();
    for (; llvm::isa<llvm::ArrayType>(type) && extents.size() < kRank; type = type->getArrayElementType()) {
      extents.push_back(number64(type->getArrayNumElements()));
    }
    const auto rank = extents.size();
    extents.resize(kRank, number64(0));
    return llvm::ConstantStruct::getAnon(
        {string(name_of(variable)), &variable, number64(layout_.getTypeAllocSize(variable.getValueType())),
         number64(layout_.getTypeAllocSize(type)), number32(variable.getSection() == kSharedSection ? 1 : 0), number32(rank),
         llvm::ConstantArray::get(llvm::ArrayType::get(extents[0]->getType(), kRank), extents)});
  }

  llvm::Constant* initializer() {
    std::vector<llvm::Constant*> variables;
    llvm::SmallVector<llvm::GlobalVariable*, 8> all;
    for (llvm::GlobalVariable& variable : module_.globals()) {
      if (!variable.isConstant() && !variable.isThreadLocal() && !variable.isDeclaration() &&
          (variable.getName().contains(kOfUsersTexts) || variable.getSection() == kSharedSection)) {
        all.push_back(&variable);
      }
    }
    for (llvm::GlobalVariable* const variable : all) variables.push_back(variable_of(*variable));
    auto* const type = llvm::cast<llvm::StructType>(table_.getValueType());
    llvm::Constant* const null = llvm::Constant::getNullValue(type->getElementType(kChecker));
    return llvm::ConstantStruct::get(type, {null, null, null, array(places_), array(variables), number64(variables.size())});
  }

  llvm::Module& module_;
  llvm::GlobalVariable& table_;
  const llvm::DataLayout& layout_;
  llvm::DenseMap<llvm::Type*, llvm::AllocaInst*> copies_;
  std::map<std::tuple<std::string, unsigned, unsigned>, unsigned> numbers_;
  std::map<std::string, llvm::Constant*> strings_;
  std::vector<llvm::Constant*> places_;
};

class ReportAccesses : public llvm::PassInfoMixin<ReportAccesses> {
 public:
  static bool isRequired() { return true; }  // NOLINT(readability-identifier-naming): LLVM's name
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    llvm::GlobalVariable* const table = module.getGlobalVariable(kRaceTable);
    if (table == nullptr) return llvm::PreservedAnalyses::all();
    // What stays in memory is what may be seen by others.
    llvm::ModulePassManager before;
    before.addPass(llvm::AlwaysInlinerPass(/*InsertLifetime=*/false));
    before.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::SROAPass(llvm::SROAOptions::PreserveCFG)));
    before.run(module, analyses);
    Accesses(module, *table).report();
    return llvm::PreservedAnalyses::none();
  }
};

}  // namespace

void report_accesses(llvm::PassBuilder& builder) {
  builder.registerPipelineStartEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(ReportAccesses()); });
}

}  // namespace kiln::clang_module
