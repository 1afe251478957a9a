// Tiles of cores that are read and written one element after the other hold a window of the core alone, which follows the
// accesses: it stays in the first cache however long the core is.
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Support/MathExtras.h>

#include "clang/spmd/tiles.hpp"
#include "clang/spmd/widener.hpp"

namespace kiln::clang_module::spmd {
namespace {

/// Elements of a window: of 32 lanes of float32 8 KiB, so that those of a few operands are in the first cache of any processor.
constexpr std::uint64_t kWindow = 64;
/// Between accesses of one iteration: a window is not left and entered again in each.
constexpr std::uint64_t kMostApart = 8;

bool is_output(const llvm::Value& core) {
  return llvm::any_of(core.users(), [](const llvm::User* user) { return ends_core(user); });
}

}  // namespace

std::uint64_t Shapes::window_bytes(const llvm::Value& core) const {
  return windows_.contains(&core) ? kWindow * private_.lookup(&core) : 0;
}

void Shapes::find_windows() {
  for (const auto& [memory, element] : private_) {
    const llvm::CallInst* const core = core_of(memory);
    if (core != nullptr && element != 0 && goes_in_windows(*core, element)) windows_.insert(memory);
  }
}

// Whether it is longer than a window, and each loop accesses one element after the other.
bool Shapes::goes_in_windows(const llvm::CallInst& core, std::uint64_t element) const {
  constexpr unsigned kBytes = 3;
  const auto* const known = llvm::dyn_cast<llvm::ConstantInt>(core.getArgOperand(kBytes));
  if (known != nullptr && known->getZExtValue() <= kWindow * element) return false;
  llvm::DenseMap<const llvm::Loop*, const llvm::SCEV*> first_of;
  for (const auto& [address, memory] : addresses_) {
    if (memory != &core) continue;
    for (const llvm::User* const user : address->users()) {
      if (!llvm::isa<llvm::LoadInst, llvm::StoreInst>(user)) continue;
      if (!of(address).is_strided()) return false;
      const llvm::Loop* const loop = regions_.innermost_of(llvm::cast<llvm::Instruction>(user)->getParent());
      if (loop == &regions_.outermost()) continue;
      const llvm::SCEV* const at = evolution_.getSCEV(const_cast<llvm::Value*>(address));
      const auto* const grows = llvm::dyn_cast<llvm::SCEVAddRecExpr>(at);
      if (!evolution_.isLoopInvariant(at, loop)) {
        if (grows == nullptr || grows->getLoop() != loop) return false;
        const auto* const step = llvm::dyn_cast<llvm::SCEVConstant>(grows->getStepRecurrence(evolution_));
        if (step == nullptr || step->getAPInt().abs() != element) return false;
      }
      const llvm::SCEV*& first = first_of[loop];
      if (first == nullptr) first = at;
      const auto* const apart = llvm::dyn_cast<llvm::SCEVConstant>(evolution_.getMinusSCEV(at, first));
      if (apart == nullptr || apart->getAPInt().abs().ugt(kMostApart * element)) return false;
    }
  }
  return true;
}

void Widener::begin_windows(const llvm::CallInst& core, Window window) {
  const Window variables = windows_.lookup(&core);
  window.current = variables.current;
  window.written = variables.written;
  window.behind = variables.behind;
  builder_.CreateStore(builder_.getInt64(none_yet()), window.current);
  builder_.CreateStore(builder_.getFalse(), window.written);
  builder_.CreateStore(builder_.getInt64(0), window.behind);
  windows_[&core] = window;
}

// Elements of the core, from the window's first one on: `number` is that of the window.
void Widener::move_window(const llvm::Value& core, llvm::Value* number, bool fills, llvm::Value* reads) {
  const Window& window = windows_.find(&core)->second;
  const auto bytes = static_cast<unsigned>(shapes_.interleaved(&core));
  llvm::Value* const begin = builder_.CreateMul(number, builder_.getInt64(shapes_.window_bytes(core) / bytes));
  llvm::Value* const left = builder_.CreateSub(window.count, begin);
  llvm::Value* count =
      builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left, builder_.getInt64(shapes_.window_bytes(core) / bytes));
  if (reads != nullptr) count = builder_.CreateSelect(reads, count, builder_.getInt64(0));
  llvm::Value* const place =
      builder_.CreateGEP(builder_.getInt8Ty(), window.first, builder_.CreateMul(begin, builder_.getInt64(bytes)));
  const TileShape shape{bytes, width_.lanes, width_.all()};
  llvm::Value* const tile = scalar(const_cast<llvm::Value*>(&core));
  if (!fills) return empty_tile(builder_, shape, tile, place, window.step, count, window.items);
  // Lanes behind the last item keep what they have of the first window.
  llvm::Value* const is_first =
      builder_.CreateICmpEQ(builder_.CreateLoad(builder_.getInt64Ty(), window.current), builder_.getInt64(none_yet()));
  llvm::Value* const lanes = builder_.CreateSelect(is_first, window.lanes, window.items);
  fill_tile(builder_, shape, tile, place, window.step, count, window.items, lanes);
}

// Moves a window that something was written into, if there is one, back to where the core is.
void Widener::close_window(const llvm::Value& core) {
  const Window& window = windows_.find(&core)->second;
  llvm::Value* const current = builder_.CreateLoad(builder_.getInt64Ty(), window.current);
  llvm::Value* const written = builder_.CreateLoad(builder_.getInt1Ty(), window.written);
  llvm::BasicBlock* const before = builder_.GetInsertBlock();
  llvm::Function* const function = before->getParent();
  auto* const holds = llvm::BasicBlock::Create(builder_.getContext(), "window.out", function, before->getNextNode());
  auto* const after = llvm::BasicBlock::Create(builder_.getContext(), "window.is.out", function, holds->getNextNode());
  builder_.CreateCondBr(written, holds, after);
  builder_.SetInsertPoint(holds);
  move_window(core, current, false, nullptr);
  builder_.CreateStore(builder_.getFalse(), window.written);
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
}

void Widener::leave_windows(const llvm::Value& core) {
  if (!is_output(core)) return;
  close_window(core);
  const Window& window = windows_.find(&core)->second;
  builder_.CreateStore(builder_.getInt64(none_yet()), window.current);
  builder_.CreateStore(builder_.getInt64(~std::uint64_t{0}), window.behind);
}

llvm::Value* Widener::core_of_lane(const llvm::Value& core, llvm::Value* lane) {
  const Window& window = windows_.find(&core)->second;
  return core_place(builder_, window.first, window.step, lane);
}

// Where an element of all lanes is, in the window that it is in: for the first part that becomes the one there is.
llvm::Value* Widener::in_window(llvm::Value* pointer, unsigned part, bool writes) {
  const llvm::Value& core = *shapes_.interleaved_memory(pointer);
  llvm::Type* const number = builder_.getInt64Ty();
  llvm::Value* const tile = scalar(const_cast<llvm::Value*>(&core));
  llvm::Value* const offset =
      builder_.CreateSub(builder_.CreatePtrToInt(scalar(pointer), number), builder_.CreatePtrToInt(tile, number));
  const std::uint64_t all = shapes_.window_bytes(core) * width_.all();
  if (part == 0) open_window(core, builder_.CreateLShr(offset, llvm::Log2_64(all)));
  if (writes) builder_.CreateStore(builder_.getTrue(), windows_.find(&core)->second.written);
  const std::uint64_t lanes = std::uint64_t{part} * width_.lanes * shapes_.interleaved(&core);
  llvm::Value* const inside = builder_.CreateAdd(builder_.CreateAnd(offset, all - 1), builder_.getInt64(lanes));
  return builder_.CreateGEP(builder_.getInt8Ty(), tile, inside);
}

void Widener::open_window(const llvm::Value& core, llvm::Value* wanted) {
  const Window window = windows_.find(&core)->second;
  llvm::Type* const number = builder_.getInt64Ty();
  llvm::BasicBlock* const before = builder_.GetInsertBlock();
  llvm::Function* const function = before->getParent();
  auto* const other = llvm::BasicBlock::Create(builder_.getContext(), "window.other", function, before->getNextNode());
  llvm::Value* const current = builder_.CreateLoad(number, window.current);
  llvm::Value* const is_other = builder_.CreateICmpNE(current, wanted);
  builder_.SetInsertPoint(other);
  llvm::Value* reads = nullptr;
  if (is_output(core)) {
    close_window(core);
    // Of results that hold nothing those windows alone that may have been there before: in front of the last one.
    llvm::Value* const behind = builder_.CreateLoad(number, window.behind);
    reads = builder_.CreateOr(window.reads, builder_.CreateICmpULT(wanted, behind));
    llvm::Value* const next = builder_.CreateAdd(wanted, builder_.getInt64(1));
    builder_.CreateStore(builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, behind, next), window.behind);
  }
  move_window(core, wanted, true, reads);
  builder_.CreateStore(wanted, window.current);
  auto* const there =
      llvm::BasicBlock::Create(builder_.getContext(), "window.there", function, builder_.GetInsertBlock()->getNextNode());
  builder_.CreateBr(there);
  builder_.SetInsertPoint(before);
  builder_.CreateCondBr(is_other, other, there, llvm::MDBuilder(builder_.getContext()).createUnlikelyBranchWeights());
  builder_.SetInsertPoint(there);
}

}  // namespace kiln::clang_module::spmd
