// A loop over items becomes a loop over vectors of items: one lane for each, with masks where lanes go different ways.
#pragma once

#include "clang/spmd/item_loops.hpp"
#include "clang/spmd/widener.hpp"

namespace kiln::clang_module::spmd {

/// Partial linearization: blocks that only some lanes reach run in sequence, each with the mask of its lanes, and are
/// jumped over where none is on; branches that are the same for all lanes stay branches.
class Vectorizer {
 public:
  /// The loop is in LLVM's simplified form, leaves at its latch alone, and nothing that it computes is used behind it.
  /// `along_cores`: inner loops that go on for one item after the other.
  Vectorizer(const Regions& regions, const Shapes& shapes, llvm::ScalarEvolution& evolution, LoopSet along_cores, Width width);
  /// Puts the new loop in the old one's place. `fewest`: the number of items below which the old one stays; null: it is
  /// deleted.
  void run(llvm::Value* fewest = nullptr);

 private:
  /// A variable in memory until all is written, when LLVM makes values of it; one for each vector, or one.
  using Slots = llvm::SmallVector<llvm::AllocaInst*, 2>;
  using NodeOf = std::pair<const Region*, unsigned>;

  void run_once();
  void finish(bool keep_loop);
  void prepare();
  void make_private_memory();
  [[nodiscard]] bool needs_masks() const;
  [[nodiscard]] Vectors lanes_below(llvm::Value* count);
  void emit_level(const Region& region, const Vectors& mask);
  void emit_node(const Region& region, unsigned at);
  void emit_block(const Region& region, unsigned at);
  void emit_loop(const Node& node, const Vectors& mask);
  void emit_along_cores(const llvm::Loop& loop, const Vectors& mask);
  void leave(const Region& region, unsigned at);
  void leave_switch(const Region& region, unsigned at, llvm::SwitchInst& choice);
  /// `taken`: a condition of all lanes; null: yes.
  void take(const Edge& edge, llvm::Value* taken, const Vectors& mask);
  void repeat(const Region& region, const Edge& edge, llvm::Value* taken, const Vectors& mask);
  void give_phis(const Edge& edge, llvm::Value* taken, const Vectors& edge_mask);
  [[nodiscard]] bool is_cheap(const Region& region, unsigned at) const;
  [[nodiscard]] const Region& region_of(const Edge& edge) const;
  [[nodiscard]] llvm::Value* any(const Slots& mask);
  [[nodiscard]] llvm::Value* all(const Slots& mask);
  /// Whether all lanes, which are on, begin the loop's next iteration.
  [[nodiscard]] llvm::Value* all_stay(const llvm::Loop& loop, const llvm::ICmpInst& comparison);
  [[nodiscard]] Vectors both(const Vectors& mask, const Vectors& condition);
  [[nodiscard]] Vectors inverse(const Vectors& condition);
  [[nodiscard]] llvm::Value* chosen(llvm::Value* taken, const Vectors& mask, unsigned part);
  [[nodiscard]] llvm::Value* whether(llvm::Value* taken) { return taken != nullptr ? taken : builder_.getTrue(); }

  [[nodiscard]] Slots slots(llvm::Type* type, bool varying, const llvm::Twine& name);
  [[nodiscard]] Vectors load(const Slots& slots);
  void clear(const Slots& slots);
  [[nodiscard]] llvm::BasicBlock* block(const llvm::Twine& name);

  const Regions& regions_;
  const Shapes& shapes_;
  llvm::ScalarEvolution& evolution_;
  LoopSet along_cores_;
  llvm::Loop& loop_;
  llvm::Function& function_;
  Builder builder_;
  Widener widener_;
  llvm::SmallVector<llvm::AllocaInst*, 16> all_slots_;
  llvm::DenseMap<const llvm::PHINode*, Slots> phis_;
  llvm::DenseMap<const llvm::Loop*, Slots> next_;  ///< who begins the loop's next iteration; or whether all do
  llvm::DenseMap<NodeOf, Slots> arrivals_;         ///< who comes to a node; or whether all do
  llvm::DenseMap<NodeOf, Vectors> reached_;        ///< who came to a node
};

}  // namespace kiln::clang_module::spmd
