#include "clang/passes/passed_structures.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Passes/PassBuilder.h>

#include <algorithm>
#include <cstdint>

namespace kiln::clang_module {
namespace {

/// What the ABIs pass in one register of numbers. Wider vectors are the user's own.
constexpr std::uint64_t kPassedBits = 64;

struct Number {
  std::uint64_t offset;  ///< in bytes
  llvm::Type* type;
};
using Numbers = llvm::SmallVector<Number, 8>;

/// Appends the numbers that a value of the type consists of, by their offsets.
void add_numbers(llvm::Type* type, std::uint64_t offset, const llvm::DataLayout& layout, Numbers& members) {
  if (auto* const structure = llvm::dyn_cast<llvm::StructType>(type)) {
    const llvm::StructLayout* const places = layout.getStructLayout(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i) {
      add_numbers(structure->getElementType(i), offset + places->getElementOffset(i).getFixedValue(), layout, members);
    }
  } else if (auto* const array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    const std::uint64_t step = layout.getTypeAllocSize(array->getElementType()).getFixedValue();
    for (std::uint64_t i = 0; i < array->getNumElements(); ++i) {
      add_numbers(array->getElementType(), offset + i * step, layout, members);
    }
  } else {
    members.push_back({offset, type});
  }
}

/// Whether the type is one of the user's, not one that stands for it in a call.
bool is_users_type(const llvm::Type* type) {
  while (type->isArrayTy()) type = type->getArrayElementType();
  const auto* const structure = llvm::dyn_cast<llvm::StructType>(type);
  return structure != nullptr && !structure->isLiteral();
}

/// A structure in memory, and how far behind its beginning something is.
struct InStructure {
  llvm::Type* type = nullptr;
  std::uint64_t offset = 0;
};

/// The structure of the user's that the pointer leads into, or a variable of another type; no type where neither is known.
InStructure structure_at(const llvm::Value* pointer, const llvm::DataLayout& layout) {
  llvm::APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  while (const auto* const address = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
    if (is_users_type(address->getResultElementType())) return {address->getResultElementType(), offset.getZExtValue()};
    if (!address->accumulateConstantOffset(layout, offset) || offset.isNegative()) return {};
    pointer = address->getPointerOperand();
  }
  const auto* const variable = llvm::dyn_cast<llvm::AllocaInst>(pointer);
  return {variable == nullptr ? nullptr : variable->getAllocatedType(), offset.getZExtValue()};
}

/// As structure_at(), also for a variable that only stands for it in a call, and is copied from or to it.
InStructure structure_of(const llvm::Value* pointer, const llvm::DataLayout& layout) {
  const InStructure found = structure_at(pointer, layout);
  if (found.type == nullptr || is_users_type(found.type)) return found;
  const llvm::Value* const variable = pointer->stripInBoundsConstantOffsets();
  for (const llvm::User* const user : variable->users()) {
    const auto* const copy = llvm::dyn_cast<llvm::MemCpyInst>(user);
    if (copy == nullptr) continue;
    const llvm::Value* const other = copy->getRawDest() == variable ? copy->getRawSource() : copy->getRawDest();
    const InStructure copied = structure_at(other, layout);
    if (copied.type != nullptr && is_users_type(copied.type)) return {copied.type, copied.offset + found.offset};
  }
  return {};
}

/// Loads and stores of a structure that is passed. They have no type for alias analysis, as all of the user's have.
bool is_of_a_call(const llvm::Instruction& instruction) {
  if (instruction.hasMetadata(llvm::LLVMContext::MD_tbaa)) return false;
  const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  return (load != nullptr && load->isSimple()) || (store != nullptr && store->isSimple());
}

/// One load or store, by members.
class SplitAccess {
 public:
  explicit SplitAccess(llvm::Instruction& access)
      : access_(access),
        layout_(access.getModule()->getDataLayout()),
        pointer_(llvm::getLoadStorePointerOperand(&access)),
        alignment_(llvm::getLoadStoreAlignment(&access)),
        builder_(&access) {
    const InStructure place = structure_of(pointer_, layout_);
    if (place.type == nullptr || !place.type->isSized()) return;
    Numbers members;
    if (layout_.getTypeAllocSize(place.type).getFixedValue() <= kMostBytes) add_numbers(place.type, 0, layout_, members);
    for (const Number& member : members) {
      if (member.offset >= place.offset) numbers_.push_back({member.offset - place.offset, member.type});
    }
  }

  bool is_needed() const { return splits(llvm::getLoadStoreType(&access_), 0); }

  void run() {
    if (auto* const store = llvm::dyn_cast<llvm::StoreInst>(&access_)) {
      this->store(store->getValueOperand(), 0);
    } else {
      access_.replaceAllUsesWith(load(access_.getType(), 0));
    }
    access_.eraseFromParent();
  }

 private:
  /// Longer ones are passed by their addresses.
  static constexpr std::uint64_t kMostBytes = 4096;

  std::uint64_t bytes_of(llvm::Type* type) const { return layout_.getTypeStoreSize(type).getFixedValue(); }
  bool splits(llvm::Type* type, std::uint64_t offset) const {
    if (type->isAggregateType()) {
      Numbers members;
      add_numbers(type, offset, layout_, members);
      return llvm::any_of(members, [&](const Number& each) { return splits(each.type, each.offset); });
    }
    if (type->isIntegerTy()) return parts_of(type, offset).size() > 1;
    const auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    if (vector == nullptr || vector->getPrimitiveSizeInBits().getFixedValue() > kPassedBits) return false;
    const auto* const member = llvm::find_if(numbers_, [&](const Number& each) { return each.offset == offset; });
    return vector->getElementType()->isFloatingPointTy() &&
           (member == numbers_.end() || member->type == vector->getElementType());
  }
  /// Of an integer: the members that it has, and what is between them, which some unions have members in. None where one is not
  /// whole.
  Numbers parts_of(llvm::Type* type, std::uint64_t offset) const {
    const std::uint64_t end = offset + bytes_of(type);
    if (type->getIntegerBitWidth() != 8 * (end - offset)) return {};
    Numbers parts;
    std::uint64_t at = offset;
    const auto fill = [&](std::uint64_t next) {
      if (next > at) parts.push_back({at, builder_.getIntNTy(static_cast<unsigned>(8 * (next - at)))});
    };
    for (const Number& member : numbers_) {
      const std::uint64_t bytes = bytes_of(member.type);
      if (member.offset + bytes <= offset || member.offset >= end) continue;
      const bool is_number = member.type->isIntegerTy() || member.type->isFloatingPointTy();
      if (member.offset < at || member.offset + bytes > end || !is_number) return {};
      if (layout_.getTypeSizeInBits(member.type).getFixedValue() != 8 * bytes) return {};
      fill(member.offset);
      parts.push_back(member);
      at = member.offset + bytes;
    }
    if (parts.empty()) return {};
    fill(end);
    return parts;
  }

  llvm::Value* address(std::uint64_t offset) {
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), pointer_, offset);
  }
  llvm::Align alignment(std::uint64_t offset) const { return llvm::commonAlignment(alignment_, offset); }
  template <class Access>
  Access* as_before(Access* made) {
    made->copyMetadata(access_, {llvm::LLVMContext::MD_access_group});
    return made;
  }

  llvm::Value* load(llvm::Type* type, std::uint64_t offset) {
    llvm::Value* whole = llvm::PoisonValue::get(type);
    if (auto* const structure = llvm::dyn_cast<llvm::StructType>(type)) {
      const llvm::StructLayout* const places = layout_.getStructLayout(structure);
      for (unsigned i = 0; i < structure->getNumElements(); ++i) {
        llvm::Value* const part = load(structure->getElementType(i), offset + places->getElementOffset(i).getFixedValue());
        whole = builder_.CreateInsertValue(whole, part, i);
      }
      return whole;
    }
    if (type->isArrayTy()) {
      const std::uint64_t step = layout_.getTypeAllocSize(type->getArrayElementType()).getFixedValue();
      for (unsigned i = 0; i < type->getArrayNumElements(); ++i) {
        whole = builder_.CreateInsertValue(whole, load(type->getArrayElementType(), offset + i * step), i);
      }
      return whole;
    }
    if (!splits(type, offset)) return as_before(builder_.CreateAlignedLoad(type, address(offset), alignment(offset)));
    if (auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
      for (unsigned i = 0; i < vector->getNumElements(); ++i) {
        llvm::Type* const element = vector->getElementType();
        whole = builder_.CreateInsertElement(whole, load(element, offset + i * bytes_of(element)), i);
      }
      return whole;
    }
    whole = llvm::ConstantInt::get(type, 0);
    for (const Number& part : parts_of(type, offset)) {
      llvm::Value* const loaded =
          as_before(builder_.CreateAlignedLoad(part.type, address(part.offset), alignment(part.offset)));
      llvm::Value* const bits =
          builder_.CreateBitCast(loaded, builder_.getIntNTy(static_cast<unsigned>(8 * bytes_of(part.type))));
      whole = builder_.CreateOr(whole, builder_.CreateShl(builder_.CreateZExt(bits, type), 8 * (part.offset - offset)));
    }
    return whole;
  }

  void store(llvm::Value* value, std::uint64_t offset) {
    llvm::Type* const type = value->getType();
    if (auto* const structure = llvm::dyn_cast<llvm::StructType>(type)) {
      const llvm::StructLayout* const places = layout_.getStructLayout(structure);
      for (unsigned i = 0; i < structure->getNumElements(); ++i) {
        store(builder_.CreateExtractValue(value, i), offset + places->getElementOffset(i).getFixedValue());
      }
    } else if (type->isArrayTy()) {
      const std::uint64_t step = layout_.getTypeAllocSize(type->getArrayElementType()).getFixedValue();
      for (unsigned i = 0; i < type->getArrayNumElements(); ++i)
        store(builder_.CreateExtractValue(value, i), offset + i * step);
    } else if (!splits(type, offset)) {
      as_before(builder_.CreateAlignedStore(value, address(offset), alignment(offset)));
    } else if (auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
      const std::uint64_t step = bytes_of(vector->getElementType());
      for (unsigned i = 0; i < vector->getNumElements(); ++i) store(builder_.CreateExtractElement(value, i), offset + i * step);
    } else {
      for (const Number& part : parts_of(type, offset)) {
        llvm::Type* const bits = builder_.getIntNTy(static_cast<unsigned>(8 * bytes_of(part.type)));
        llvm::Value* const cut = builder_.CreateTrunc(builder_.CreateLShr(value, 8 * (part.offset - offset)), bits);
        as_before(
            builder_.CreateAlignedStore(builder_.CreateBitCast(cut, part.type), address(part.offset), alignment(part.offset)));
      }
    }
  }

  llvm::Instruction& access_;
  const llvm::DataLayout& layout_;
  llvm::Value* pointer_;
  llvm::Align alignment_;
  mutable llvm::IRBuilder<> builder_;
  Numbers numbers_;  ///< behind the address, where they are known
};

class SplitPassedStructures : public llvm::PassInfoMixin<SplitPassedStructures> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    if (module.getDataLayout().isBigEndian()) return llvm::PreservedAnalyses::all();
    bool any = false;
    for (llvm::Function& function : module) {
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
        if (!is_of_a_call(instruction)) continue;
        const llvm::Type* const type = llvm::getLoadStoreType(&instruction);
        if (!type->isAggregateType() && !type->isVectorTy() && !type->isIntegerTy()) continue;
        SplitAccess split(instruction);
        if (!split.is_needed()) continue;
        split.run();
        any = true;
      }
    }
    return any ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
};

}  // namespace

void split_passed_structures(llvm::PassBuilder& builder) {
  builder.registerPipelineStartEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(SplitPassedStructures()); });
}

}  // namespace kiln::clang_module
