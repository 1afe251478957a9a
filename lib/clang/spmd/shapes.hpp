// What the lanes of a loop have in common: which values are one for all lanes, which grow by the same step from lane to lane,
// and which blocks are reached by the same lanes.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>

#include "clang/spmd/region.hpp"

namespace kiln::clang_module::spmd {

/// How a value differs between lanes.
struct Shape {
  enum class Kind : std::uint8_t {
    unknown,  ///< not looked at yet
    strided,  ///< lane number times `stride` more than the first lane's (bytes of a pointer); uniform where that is 0
    varying
  };
  Kind kind = Kind::unknown;
  std::int64_t stride = 0;

  static constexpr Shape uniform() { return {Kind::strided, 0}; }
  static constexpr Shape by(std::int64_t stride) { return {Kind::strided, stride}; }
  static constexpr Shape varying() { return {Kind::varying, 0}; }
  [[nodiscard]] bool is_uniform() const { return kind == Kind::strided && stride == 0; }
  [[nodiscard]] bool is_strided() const { return kind == Kind::strided; }
  [[nodiscard]] bool is_varying() const { return kind == Kind::varying; }
  bool operator==(const Shape&) const = default;
};

/// Addresses in memory of an item's own that are computed in front of the loop, since they are the same in each iteration: into
/// it, where each lane has its own. False: such memory is used outside the loop, too.
[[nodiscard]] bool bring_addresses_into(llvm::Loop& loop);

/// Values that each of several ways computes for itself, as LLVM leaves indices of elements: once, where the ways part. Of a
/// phi an address would be another for each lane. Whether there were any.
bool join_equal_values(llvm::Function& function, const llvm::DominatorTree& dominators);

/// Marks of cores, of which LLVM may have moved some to where they are needed: to where all items come by.
void bring_cores_into(llvm::Loop& loop);

/// Lanes are iterations of the outermost loop, one after the other.
class Shapes {
 public:
  /// `tiles`: whether lanes have cores of items in tiles, where that can be.
  Shapes(const Regions& regions, llvm::ScalarEvolution& evolution, bool tiles);

  [[nodiscard]] Shape of(const llvm::Value* value) const;
  /// Whether lanes may go different ways at the block's end.
  [[nodiscard]] bool diverges(const llvm::BasicBlock* block) const;
  /// Whether lanes may leave the loop in different iterations, or by different ways.
  [[nodiscard]] bool diverges(const llvm::Loop* loop) const { return divergent_.contains(loop); }
  /// Whether they may anywhere before the item's end.
  [[nodiscard]] bool any_diverges() const;
  /// The same number: the same lanes reach both blocks, if they are reached. 0 are all lanes of the outermost loop.
  [[nodiscard]] unsigned lanes_of(const llvm::BasicBlock* block) const { return lanes_.lookup(block); }
  /// Whether the lanes that reach a block come by one way of those in front of it, all together.
  [[nodiscard]] bool comes_together(const llvm::BasicBlock* block) const { return !joins_.contains(block); }
  /// Memory of a lane's own: made by a statement of the body, or the core of an item in a tile.
  [[nodiscard]] bool is_private(const llvm::Value* memory) const { return private_.contains(memory); }
  /// Bytes of one lane's, contiguous.
  [[nodiscard]] std::uint64_t bytes_of(const llvm::Value& memory) const;
  /// Of all such memory of one lane.
  [[nodiscard]] std::uint64_t private_bytes() const;
  /// Bytes of its elements, where those of all lanes are interleaved; 0: each lane's is contiguous.
  [[nodiscard]] std::uint64_t interleaved(const llvm::Value* memory) const { return private_.lookup(memory); }
  /// Bytes of one lane's in a window of the core, of cores that are in windows; else 0.
  [[nodiscard]] std::uint64_t window_bytes(const llvm::Value& core) const;
  /// The interleaved memory that an address lies in; null: another address.
  [[nodiscard]] const llvm::Value* interleaved_memory(const llvm::Value* address) const { return addresses_.lookup(address); }

 private:
  void find_private_memory(bool tiles);
  [[nodiscard]] bool all_come_by(const llvm::Instruction& instruction) const;
  void take_private(llvm::Instruction& memory);
  [[nodiscard]] bool is_passed_through(const llvm::Instruction& core, llvm::ArrayRef<const llvm::Value*> addresses,
                                       std::uint64_t element) const;
  [[nodiscard]] std::uint64_t follow(const llvm::Instruction& memory,
                                     llvm::SmallVectorImpl<const llvm::Value*>& addresses) const;
  void find_windows();
  [[nodiscard]] bool goes_in_windows(const llvm::CallInst& core, std::uint64_t element) const;
  void number_lanes(const Region& region, unsigned lanes);
  bool spread();
  bool find_divergent_loops();
  [[nodiscard]] Shape shape_of(llvm::Instruction& instruction) const;
  [[nodiscard]] Shape shape_of(llvm::PHINode& phi) const;
  [[nodiscard]] Shape shape_of(llvm::GetElementPtrInst& address) const;
  [[nodiscard]] Shape combined(const llvm::User& user) const;
  [[nodiscard]] Shape along_evolution(llvm::Value& value) const;

  const Regions& regions_;
  llvm::ScalarEvolution& evolution_;
  const llvm::DataLayout& layout_;
  llvm::DenseMap<const llvm::Value*, Shape> shapes_;
  llvm::DenseSet<const llvm::Loop*> divergent_;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> lanes_;
  llvm::DenseSet<const llvm::BasicBlock*> joins_;
  llvm::DenseMap<const llvm::Value*, std::uint64_t> private_;
  llvm::MapVector<const llvm::Value*, const llvm::Value*> addresses_;  ///< in the order of the text: decisions go over them
  llvm::DenseSet<const llvm::Value*> windows_;                         ///< cores of which there is a window
  unsigned next_lanes_ = 0;
};

}  // namespace kiln::clang_module::spmd
