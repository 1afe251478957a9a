#include "clang/spmd/widener.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/VFABIDemangler.h>

#include <numeric>
#include <optional>

#include "clang/passes/integer_divisions.hpp"
#include "clang/spmd/legality.hpp"
#include "clang/spmd/tiles.hpp"

namespace kiln::clang_module::spmd {
namespace {

/// Adjacent elements of memory in a vector of it.
bool fits_memory(llvm::Type* type, const llvm::DataLayout& layout) {
  return layout.getTypeSizeInBits(type) == 8 * layout.getTypeAllocSize(type).getFixedValue();
}

struct Variant {
  llvm::Function* function;
  unsigned lanes;
};

/// The widest of a function's forms for vectors; of `most` lanes at most where there is one.
std::optional<Variant> variant_of(const llvm::CallInst& call, unsigned most) {
  llvm::SmallVector<std::string, 4> mappings;
  llvm::VFABI::getVectorVariantNames(call, mappings);
  std::optional<Variant> best;
  for (const std::string& mapping : mappings) {
    const auto shape = llvm::VFABI::tryDemangleForVFABI(mapping, call.getFunctionType());
    if (!shape || shape->Shape.VF.isScalable()) continue;
    llvm::Function* const function = call.getModule()->getFunction(shape->VectorName);
    const unsigned lanes = shape->Shape.VF.getFixedValue();
    const bool plain = llvm::all_of(shape->Shape.Parameters,
                                    [](const llvm::VFParameter& each) { return each.ParamKind == llvm::VFParamKind::Vector; });
    if (function == nullptr || !plain) continue;
    const bool better = !best || (best->lanes > most ? lanes < best->lanes : lanes <= most && lanes > best->lanes);
    if (better) best = Variant{function, lanes};
  }
  return best;
}

/// Where the processor reads elements sooner one by one than by a gather (lib/kiln/compiler/cpu/target.cpp), not under masks:
/// each would have a branch of its own.
void keep_gathers(llvm::Function& function) {
  constexpr llvm::StringRef kFeatures = "target-features";
  llvm::SmallVector<llvm::StringRef, 64> features;
  function.getFnAttribute(kFeatures).getValueAsString().split(features, ',');
  const auto found = llvm::find(features, "+prefer-no-gather");
  if (found == features.end()) return;
  features.erase(found);
  function.addFnAttr(kFeatures, llvm::join(features, ","));
}

}  // namespace

void forget_scopes(llvm::Instruction& instruction) {
  instruction.setMetadata(llvm::LLVMContext::MD_alias_scope, nullptr);
  instruction.setMetadata(llvm::LLVMContext::MD_noalias, nullptr);
}

llvm::Value* Widener::scalar(llvm::Value* value) const {
  const auto found = scalars_.find(value);
  return found == scalars_.end() ? value : found->second;
}

llvm::Value* Widener::lane_offsets(llvm::Type* type, std::int64_t stride, unsigned part) const {
  llvm::SmallVector<llvm::Constant*, 16> offsets;
  for (unsigned lane = 0; lane < width_.lanes; ++lane) {
    const llvm::APInt offset(64, static_cast<std::uint64_t>(stride) * (part * width_.lanes + lane));
    offsets.push_back(llvm::ConstantInt::get(type, offset.sextOrTrunc(type->getIntegerBitWidth())));
  }
  return llvm::ConstantVector::get(offsets);
}

llvm::Value* Widener::vector(llvm::Value* value, unsigned part) {
  const Shape shape = shapes_.of(value);
  if (shape.is_varying()) return vectors_.find(value)->second[part];
  llvm::Value* const first = scalar(value);
  if (llvm::isa<llvm::PoisonValue>(first)) return llvm::PoisonValue::get(widened(value->getType()));
  if (shape.stride == 0) return builder_.CreateVectorSplat(width_.lanes, first);
  if (first->getType()->isPointerTy()) {
    return builder_.CreateGEP(builder_.getInt8Ty(), first, lane_offsets(builder_.getInt64Ty(), shape.stride, part));
  }
  return builder_.CreateAdd(builder_.CreateVectorSplat(width_.lanes, first),
                            lane_offsets(first->getType(), shape.stride, part));
}

llvm::Value* Widener::all_lanes(llvm::Value* value) {
  return llvm::concatenateVectors(builder_, vectors_.find(value)->second);
}

llvm::Value* Widener::of_lane(llvm::Value* value, llvm::Value* lane) {
  llvm::Value* const first = scalar(value);
  const bool pointer = first->getType()->isPointerTy();
  llvm::Type* const number = pointer ? builder_.getInt64Ty() : first->getType();
  const std::int64_t stride = shapes_.of(value).stride;
  if (stride == 0) return first;
  llvm::Value* const more =
      builder_.CreateMul(builder_.CreateZExtOrTrunc(lane, number), llvm::ConstantInt::getSigned(number, stride));
  return pointer ? builder_.CreateGEP(builder_.getInt8Ty(), first, more) : builder_.CreateAdd(first, more);
}

void Widener::widen(llvm::Instruction& instruction, const Vectors& mask) {
  if (does_nothing(instruction)) return;
  builder_.SetCurrentDebugLocation(instruction.getDebugLoc());
  if (core_of(&instruction) != nullptr) return begin_core(llvm::cast<llvm::CallInst>(instruction), mask);
  if (ends_core(&instruction)) return end_core(llvm::cast<llvm::CallInst>(instruction), mask);
  if (takes_of_lane(instruction)) return set(&instruction, of_lane(instruction));
  const bool gives = !instruction.getType()->isVoidTy();
  if (takes_from_below(instruction) && shapes_.of(&instruction).is_uniform())
    return set(&instruction, scalar(instruction.getOperand(0)));
  if (gives && shapes_.of(&instruction).is_strided()) return set(&instruction, copied(instruction));
  // Lanes behind the last item have tiles and local arrays of their own.
  const llvm::Value* const address = llvm::getLoadStorePointerOperand(&instruction);
  const bool is_own = address != nullptr && shapes_.interleaved_memory(address) != nullptr &&
                      shapes_.of(address).is_strided() && shapes_.lanes_of(instruction.getParent()) == 0;
  Vectors all;
  for (unsigned part = 0; part < width_.parts; ++part) {
    llvm::Value* const on = mask.empty() || is_own ? nullptr : mask[part];
    if (auto* const to = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      store(*to, part, on);
    } else {
      all.push_back(widened_operation(instruction, part, on));
    }
  }
  if (gives) set(&instruction, std::move(all));
}

// The first lane's.
llvm::Value* Widener::copied(llvm::Instruction& instruction) {
  if (auto* const address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) return address_step(*address, 0);
  // Disjoint are the bits of lanes that are on: the first may be off.
  if (instruction.getOpcode() == llvm::Instruction::Or && !shapes_.of(&instruction).is_uniform()) {
    return builder_.CreateAdd(scalar(instruction.getOperand(0)), scalar(instruction.getOperand(1)));
  }
  llvm::Instruction* const copy = instruction.clone();
  for (llvm::Use& operand : copy->operands()) operand.set(scalar(operand));
  forget_scopes(*copy);
  // Of the others it may say too much.
  if (!shapes_.of(&instruction).is_uniform()) copy->dropPoisonGeneratingFlags();
  builder_.Insert(copy, instruction.getName());
  return copy;
}

llvm::Value* Widener::widened_operation(llvm::Instruction& instruction, unsigned part, llvm::Value* mask) {
  if (auto* const from = llvm::dyn_cast<llvm::LoadInst>(&instruction); from != nullptr && from->isSimple())
    return load(*from, part, mask);
  if (auto* const address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) return address_step(*address, part);
  if (auto* const called = llvm::dyn_cast<llvm::CallInst>(&instruction)) return call(*called, part, mask);
  if (instruction.mayReadOrWriteMemory()) return atomic(instruction, part, mask);
  if (auto* const member = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction)) {
    return builder_.CreateExtractValue(vector(member->getAggregateOperand(), part), member->getIndices());
  }

  llvm::SmallVector<llvm::Value*, 3> operands;
  for (const llvm::Use& operand : instruction.operands()) {
    const bool one_condition =
        llvm::isa<llvm::SelectInst>(instruction) && operand.getOperandNo() == 0 && shapes_.of(operand).is_uniform();
    operands.push_back(one_condition ? scalar(operand) : vector(operand, part));
  }
  // Of lanes that are off the dividend, too: where it is poison, LLVM divides by fewer bits than it has, and the processor
  // traps. And where the divisor is, it takes it for not zero (8 >> n, which the body asks for where bits are left), and the
  // selection of 1 for needless: frozen, it may be anything. A divisor is not selected but gets its lowest bit: of a selection
  // between constants InstCombine divides by both sides, and takes a vector with one zero, of a lane that is off, for poison.
  if (divides_integers(instruction) && mask != nullptr) {
    llvm::Type* const type = operands[0]->getType();
    operands[0] = builder_.CreateSelect(mask, builder_.CreateFreeze(operands[0]), llvm::Constant::getNullValue(type));
    operands[1] = builder_.CreateOr(builder_.CreateFreeze(operands[1]), builder_.CreateZExt(builder_.CreateNot(mask), type));
  }
  llvm::Value* wide = nullptr;
  if (auto* const cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) {
    wide = builder_.CreateCast(cast->getOpcode(), operands[0], widened(cast->getType()));
  } else if (auto* const compare = llvm::dyn_cast<llvm::CmpInst>(&instruction)) {
    wide = builder_.CreateCmp(compare->getPredicate(), operands[0], operands[1]);
  } else if (llvm::isa<llvm::SelectInst>(instruction)) {
    wide = builder_.CreateSelect(operands[0], operands[1], operands[2]);
  } else if (llvm::isa<llvm::FreezeInst>(instruction)) {
    wide = builder_.CreateFreeze(operands[0]);
  } else {
    wide = builder_.CreateNAryOp(instruction.getOpcode(), operands);
  }
  if (auto* const made = llvm::dyn_cast<llvm::Instruction>(wide);
      made != nullptr && made->getOpcode() == instruction.getOpcode()) {
    made->copyIRFlags(&instruction);
    made->copyMetadata(instruction, {llvm::LLVMContext::MD_fpmath});
  }
  return wide;
}

llvm::Value* Widener::address_step(llvm::GetElementPtrInst& address, unsigned part) {
  llvm::Value* const base = address.getPointerOperand();
  if (shapes_.interleaved_memory(base) != nullptr) return interleaved_step(address, part);
  const Shape shape = shapes_.of(&address);
  const bool varying = shape.is_varying();
  const auto operand = [&](llvm::Value* value) {
    return varying && !shapes_.of(value).is_uniform() ? vector(value, part) : scalar(value);
  };
  llvm::SmallVector<llvm::Value*, 4> indices;
  for (const llvm::Use& index : address.indices()) indices.push_back(operand(index));
  // What one lane may add to an address, the first one, which may be off, may not.
  const llvm::GEPNoWrapFlags flags = varying || shape.is_uniform() ? address.getNoWrapFlags() : llvm::GEPNoWrapFlags::none();
  llvm::Value* const made =
      builder_.CreateGEP(address.getSourceElementType(), operand(base), indices, address.getName(), flags);
  return varying && !made->getType()->isVectorTy() ? builder_.CreateVectorSplat(width_.lanes, made) : made;
}

// Where the elements of all lanes are adjacent, an index counts those of all.
llvm::Value* Widener::interleaved_step(llvm::GetElementPtrInst& address, unsigned part) {
  llvm::Value* const base = address.getPointerOperand();
  llvm::MapVector<llvm::Value*, llvm::APInt> variable;
  llvm::APInt constant(64, 0);
  llvm::cast<llvm::GEPOperator>(address).collectOffset(address.getModule()->getDataLayout(), 64, variable, constant);
  const bool varying = shapes_.of(&address).is_varying();
  llvm::Value* made = varying ? vector(base, part) : scalar(base);
  const auto add = [&](llvm::Value* bytes) { made = builder_.CreateGEP(builder_.getInt8Ty(), made, bytes); };
  if (constant != 0) add(builder_.getInt(constant * width_.all()));
  for (const auto& [index, scale] : variable) {
    llvm::Value* const number = shapes_.of(index).is_uniform() ? scalar(index) : vector(index, part);
    llvm::Value* const wide = builder_.CreateSExtOrTrunc(number, number->getType()->getWithNewType(builder_.getInt64Ty()));
    add(builder_.CreateMul(wide, llvm::ConstantInt::get(wide->getType(), scale * width_.all())));
  }
  return made;
}

// Of the part's first lane.
llvm::Value* Widener::address(llvm::Value* pointer, unsigned part, bool writes) {
  if (const llvm::Value* const core = shapes_.interleaved_memory(pointer); core != nullptr && shapes_.window_bytes(*core) > 0) {
    return in_window(pointer, part, writes);
  }
  const std::int64_t bytes = shapes_.of(pointer).stride * part * width_.lanes;
  llvm::Value* const first = scalar(pointer);
  return bytes == 0
             ? first
             : builder_.CreateGEP(builder_.getInt8Ty(), first, llvm::ConstantInt::getSigned(builder_.getInt64Ty(), bytes));
}

llvm::Value* Widener::load(llvm::LoadInst& load, unsigned part, llvm::Value* mask) {
  llvm::Type* const type = load.getType();
  llvm::Value* const from = load.getPointerOperand();
  const llvm::DataLayout& layout = load.getModule()->getDataLayout();
  if (!fits_memory(type, layout)) return lane_by_lane(load, part, mask);
  const std::uint64_t size = layout.getTypeStoreSize(type);
  if (shapes_.of(from) == Shape::by(static_cast<std::int64_t>(size))) {
    const llvm::Align align = llvm::commonAlignment(load.getAlign(), size);  // of every lane, whichever is on
    if (mask == nullptr) return builder_.CreateAlignedLoad(widened(type), address(from, part, false), align);
    return builder_.CreateMaskedLoad(widened(type), address(from, part, false), align, mask);
  }
  if (mask != nullptr) keep_gathers(*load.getFunction());
  return builder_.CreateMaskedGather(widened(type), vector(from, part), load.getAlign(), mask != nullptr ? mask : all());
}

void Widener::store(llvm::StoreInst& store, unsigned part, llvm::Value* mask) {
  llvm::Value* const value = store.getValueOperand();
  llvm::Value* const to = store.getPointerOperand();
  const llvm::DataLayout& layout = store.getModule()->getDataLayout();
  if (store.isSimple() && shapes_.of(to).is_uniform() && shapes_.of(value).is_uniform()) {
    if (part == 0) builder_.CreateAlignedStore(scalar(value), scalar(to), store.getAlign());
  } else if (!store.isSimple() || !fits_memory(value->getType(), layout) || shapes_.of(to).is_uniform()) {
    static_cast<void>(lane_by_lane(store, part, mask));
  } else if (shapes_.of(to) != Shape::by(static_cast<std::int64_t>(layout.getTypeStoreSize(value->getType())))) {
    builder_.CreateMaskedScatter(vector(value, part), vector(to, part), store.getAlign(), mask != nullptr ? mask : all());
  } else {
    const llvm::Align align = llvm::commonAlignment(store.getAlign(), layout.getTypeStoreSize(value->getType()));
    if (mask == nullptr) {
      builder_.CreateAlignedStore(vector(value, part), address(to, part, true), align);
    } else {
      builder_.CreateMaskedStore(vector(value, part), address(to, part, true), align, mask);
    }
  }
}

llvm::Value* Widener::call(llvm::CallInst& call, unsigned part, llvm::Value* mask) {
  if (is_lockstep(call)) return nullptr;
  if (is_barrier(call)) return part == 0 && !width_.alone ? builder_.Insert(call.clone()) : nullptr;  // all lanes wait together
  if (takes_from_below(call)) return from_lane_below(call, part);
  const llvm::Intrinsic::ID intrinsic = call.getIntrinsicID();
  if (variant_of(call, width_.lanes)) return call_variant(call, part);
  if (intrinsic == llvm::Intrinsic::not_intrinsic || !llvm::isTriviallyVectorizable(intrinsic))
    return lane_by_lane(call, part, mask);
  llvm::SmallVector<llvm::Value*, 3> arguments;
  llvm::SmallVector<llvm::Type*, 2> types;
  if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(intrinsic, -1)) types.push_back(widened(call.getType()));
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    llvm::Value* const argument = call.getArgOperand(i);
    const bool one = llvm::isVectorIntrinsicWithScalarOpAtArg(intrinsic, i);
    if (one && !shapes_.of(argument).is_uniform()) return lane_by_lane(call, part, mask);
    arguments.push_back(one ? scalar(argument) : vector(argument, part));
    if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(intrinsic, static_cast<int>(i)))
      types.push_back(arguments.back()->getType());
  }
  llvm::CallInst* const wide =
      builder_.CreateCall(llvm::Intrinsic::getDeclaration(call.getModule(), intrinsic, types), arguments);
  wide->copyIRFlags(&call);
  return wide;
}

// Of fewer lanes than are asked for the first ones, again and again.
llvm::Value* Widener::cut(llvm::Value* whole, unsigned from, unsigned count) {
  const unsigned there = llvm::cast<llvm::FixedVectorType>(whole->getType())->getNumElements();
  llvm::SmallVector<int, 16> lanes(count);
  for (unsigned i = 0; i < count; ++i) lanes[i] = static_cast<int>((from + i) % there);
  return builder_.CreateShuffleVector(whole, lanes);
}

// As many calls as fill all lanes.
llvm::Value* Widener::call_variant(llvm::CallInst& call, unsigned part) {
  const Variant variant = *variant_of(call, width_.lanes);
  llvm::Value* whole = nullptr;
  for (unsigned from = 0; from < width_.lanes; from += variant.lanes) {
    llvm::SmallVector<llvm::Value*, 2> arguments;
    for (llvm::Value* const argument : call.args()) arguments.push_back(cut(vector(argument, part), from, variant.lanes));
    llvm::CallInst* const wide = builder_.CreateCall(variant.function, arguments);
    wide->setDoesNotAccessMemory();
    wide->setDoesNotThrow();
    wide->addFnAttr(llvm::Attribute::WillReturn);
    if (llvm::isa<llvm::FPMathOperator>(wide) && llvm::isa<llvm::FPMathOperator>(call)) wide->copyFastMathFlags(&call);
    whole = whole == nullptr ? wide : llvm::concatenateVectors(builder_, {whole, wide});
  }
  return variant.lanes > width_.lanes ? cut(whole, 0, width_.lanes) : whole;
}

llvm::Type* Widener::widened(llvm::Type* type) const {
  if (!type->isStructTy()) return llvm::FixedVectorType::get(type, width_.lanes);
  llvm::SmallVector<llvm::Type*, 2> members;
  for (llvm::Type* const member : type->subtypes()) members.push_back(widened(member));
  return llvm::StructType::get(type->getContext(), members);
}

}  // namespace kiln::clang_module::spmd
