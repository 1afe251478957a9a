// One instruction for all lanes: the vector instructions that do for W lanes what it does for one, and nothing for lanes that
// are off.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/InstSimplifyFolder.h>
#include <llvm/IR/IRBuilder.h>

#include <string>

#include "clang/spmd/shapes.hpp"

namespace kiln::clang_module::spmd {

using Builder = llvm::IRBuilder<llvm::InstSimplifyFolder>;
/// A value of all lanes, in vectors of as many as a register holds. Of a mask, empty: all are on.
using Vectors = llvm::SmallVector<llvm::Value*, 2>;

/// How many lanes there are.
struct Width {
  unsigned lanes;      ///< of a vector
  unsigned parts;      ///< vectors that are computed together, so that one's results are not waited for
  bool once = false;   ///< the loop has as many iterations, no more and no less
  bool alone = false;  ///< they are all threads of the block: nobody is waited for at a barrier
  [[nodiscard]] unsigned all() const { return lanes * parts; }
};

/// Lanes that exchange values one by one, as a GPU's do: so many neighbours.
inline constexpr unsigned kWarp = 32;
/// Whether it gives what another lane of the warp has, a constant number of lanes behind; or one lane's value to all.
[[nodiscard]] bool takes_from_below(const llvm::Instruction& instruction);
[[nodiscard]] bool takes_of_lane(const llvm::Instruction& instruction);
/// Of a copy for one lane: what accesses do not alias is said of one item's.
void forget_scopes(llvm::Instruction& instruction);

/// A core of which a tile holds a window: where it is, and which window there is. All but the variables are of one vector.
struct Window {
  llvm::AllocaInst* current = nullptr;  ///< the window's number, or all bits where there is none yet
  llvm::AllocaInst* written = nullptr;  ///< whether something was written into it
  llvm::AllocaInst* behind = nullptr;   ///< the highest number that there was, and one
  llvm::Value* first = nullptr;         ///< the first lane's core
  llvm::Value* step = nullptr;
  llvm::Value* count = nullptr;  ///< of elements
  llvm::Value* items = nullptr;
  llvm::Value* lanes = nullptr;  ///< that the first window fills
  llvm::Value* reads = nullptr;  ///< whether the core holds something
};

/// Writes at the builder's place. Of a value that is the same for all lanes, or grows by a constant from lane to lane, it keeps
/// the first lane's alone, and makes vectors of that where one is needed.
class Widener {
 public:
  Widener(Builder& builder, const Shapes& shapes, Width width) : builder_(builder), shapes_(shapes), width_(width) {}

  void widen(llvm::Instruction& instruction, const Vectors& mask);

  /// The first lane's value, of one that does not vary.
  [[nodiscard]] llvm::Value* scalar(llvm::Value* value) const;
  [[nodiscard]] llvm::Value* vector(llvm::Value* value, unsigned part);
  /// When all is written: operations on memory that no other thread of the host sees need not be atomic.
  void finish();
  void set(const llvm::Value* value, llvm::Value* widened) { scalars_[value] = widened; }
  void set(const llvm::Value* value, Vectors widened) { vectors_[value] = std::move(widened); }
  void set(const llvm::Value* core, const Window& window) { windows_[core] = window; }
  /// One vector of all lanes, of a value that varies; and what one lane has of another.
  [[nodiscard]] llvm::Value* all_lanes(llvm::Value* value);
  [[nodiscard]] llvm::Value* of_lane(llvm::Value* value, llvm::Value* lane);
  /// Of a core in windows: what they hold of results goes to where the core is, and what comes behind reads it there.
  void leave_windows(const llvm::Value& core);
  [[nodiscard]] llvm::Value* core_of_lane(const llvm::Value& core, llvm::Value* lane);
  [[nodiscard]] llvm::Type* widened(llvm::Type* type) const;
  [[nodiscard]] llvm::Type* mask_type() const { return widened(builder_.getInt1Ty()); }
  [[nodiscard]] const Width& width() const { return width_; }
  [[nodiscard]] llvm::Value* all() const { return llvm::ConstantInt::getTrue(mask_type()); }
  [[nodiscard]] llvm::Value* none() const { return llvm::ConstantInt::getFalse(mask_type()); }

 private:
  [[nodiscard]] llvm::Value* copied(llvm::Instruction& instruction);
  void begin_core(llvm::CallInst& core, const Vectors& mask);
  void end_core(llvm::CallInst& end, const Vectors& mask);
  [[nodiscard]] llvm::Value* count_of(const Vectors& mask);
  [[nodiscard]] llvm::Value* widened_operation(llvm::Instruction& instruction, unsigned part, llvm::Value* mask);
  [[nodiscard]] llvm::Value* address_step(llvm::GetElementPtrInst& address, unsigned part);
  [[nodiscard]] llvm::Value* interleaved_step(llvm::GetElementPtrInst& address, unsigned part);
  [[nodiscard]] llvm::Value* address(llvm::Value* pointer, unsigned part, bool writes);
  [[nodiscard]] llvm::Value* load(llvm::LoadInst& load, unsigned part, llvm::Value* mask);
  void store(llvm::StoreInst& store, unsigned part, llvm::Value* mask);
  [[nodiscard]] llvm::Value* call(llvm::CallInst& call, unsigned part, llvm::Value* mask);
  [[nodiscard]] llvm::Value* call_variant(llvm::CallInst& call, unsigned part);
  [[nodiscard]] llvm::Value* cut(llvm::Value* whole, unsigned from, unsigned count);
  [[nodiscard]] llvm::Value* lane_offsets(llvm::Type* type, std::int64_t stride, unsigned part) const;

  // exchanges.cpp
  [[nodiscard]] llvm::Value* from_lane_below(llvm::Instruction& exchange, unsigned part);
  [[nodiscard]] llvm::Value* of_lane(llvm::Instruction& exchange);

  // windows.cpp
  [[nodiscard]] static constexpr std::uint64_t none_yet() { return ~std::uint64_t{0}; }
  void begin_windows(const llvm::CallInst& core, Window window);
  void move_window(const llvm::Value& core, llvm::Value* number, bool fills, llvm::Value* reads);
  void close_window(const llvm::Value& core);
  void open_window(const llvm::Value& core, llvm::Value* wanted);
  [[nodiscard]] llvm::Value* in_window(llvm::Value* pointer, unsigned part, bool writes);

  // lane_by_lane.cpp
  [[nodiscard]] llvm::Value* atomic(llvm::Instruction& instruction, unsigned part, llvm::Value* mask);
  void change_once(llvm::AtomicRMWInst& change, unsigned part, llvm::Value* mask);
  [[nodiscard]] llvm::Value* lane_by_lane(llvm::Instruction& instruction, unsigned part, llvm::Value* mask);
  [[nodiscard]] llvm::Value* with_lane(llvm::Value* whole, llvm::Value* one, llvm::Value* lane);
  [[nodiscard]] llvm::Value* of_lane(llvm::Instruction& instruction, llvm::ArrayRef<llvm::Value*> operands, llvm::Value* lane);
  void hide_callee(llvm::CallInst& call);

  Builder& builder_;
  const Shapes& shapes_;
  Width width_;
  llvm::DenseMap<const llvm::Value*, llvm::Value*> scalars_;
  llvm::DenseMap<const llvm::Value*, Vectors> vectors_;
  llvm::DenseMap<const llvm::Value*, Window> windows_;
  llvm::SmallVector<llvm::Instruction*, 8> own_;
};

}  // namespace kiln::clang_module::spmd
