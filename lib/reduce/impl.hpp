// What a Reduction handle points to: the parsed definition, its loops, and the table of what was compiled for it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/spec.hpp"
#include "kiln/reduction.hpp"
#include "reduce/members.hpp"
#include "reduce/variant.hpp"
#include "ufunc/impl.hpp"

namespace kiln::reduce {

/// Bytes of an accumulator, so that the memory of GPUs that blocks share has room for one of each thread.
inline constexpr int kMaxAccumulator = 128;

}  // namespace kiln::reduce

namespace kiln::detail {

class ReductionImpl {
 public:
  /// `loops` has signatures, operands and options; its body is the combination of two accumulators.
  ReductionImpl(std::shared_ptr<const UfuncImpl> loops, codegen::Stages stages,
                std::optional<std::vector<reduce::Member>> members);

  [[nodiscard]] const UfuncImpl& loops() const noexcept { return *loops_; }
  [[nodiscard]] const std::string& name() const noexcept { return loops_->name(); }
  [[nodiscard]] bool reorderable() const noexcept { return loops_->reorderable(); }
  [[nodiscard]] bool has_identity() const noexcept { return !loops_->definition().identity.empty(); }
  /// Whether the map asks for elements' numbers.
  [[nodiscard]] bool indexed() const noexcept { return indexed_; }

  /// Whether an accumulator is a number, that a call may start from.
  [[nodiscard]] bool takes_initial() const noexcept { return stages_.accumulator.empty(); }
  /// TypeError where it is a number that the accumulator of the loop cannot hold.
  void check_identity(const ufunc::Loop& loop) const;

  /// The kernel of a loop, but for operands in memory, layout and what a mask lets be computed.
  [[nodiscard]] codegen::ReductionSpec spec_of(const ufunc::Loop& loop) const;
  [[nodiscard]] codegen::UserText text_of(const ufunc::Loop& loop) const;
  /// A definition that makes the loop, and in which it is the only one where it was made for its dtypes.
  [[nodiscard]] ReductionDefinition definition_of(const ufunc::Loop& loop) const;
  /// Whether the identity stands in front of the elements.
  [[nodiscard]] bool leads() const noexcept { return stages_.leads && has_identity(); }
  /// The kernel of a loop for a kind of device, but for what a mask lets be computed, which is found here.
  [[nodiscard]] program::Request request(const ufunc::Loop& loop, codegen::ReductionSpec spec, DeviceKind kind) const;
  [[nodiscard]] program::Request request(const ufunc::Loop& loop, const reduce::KernelVariant& variant, DeviceKind kind) const {
    return request(loop, reduce::specialize(spec_of(loop), variant, kind), kind);
  }
  /// The variant, compiled and loaded at the first call.
  const ufunc::Variant& variant(ufunc::TypePlan& plan, const ufunc::Variant::Key& key, const codegen::ReductionSpec& spec,
                                backend::Backend& backend) const;

 private:
  [[nodiscard]] bool may_speculate(const ufunc::Loop& loop) const;

  std::shared_ptr<const UfuncImpl> loops_;
  codegen::Stages stages_;
  std::optional<std::vector<reduce::Member>> members_;  // of the accumulator, where they are known
  bool indexed_;
};

/// The parsed definition; throws what reduction() does. `leads`: the identity stands in front of the elements.
[[nodiscard]] std::shared_ptr<const ReductionImpl> make_reduction(ReductionDefinition definition, bool leads = false);

}  // namespace kiln::detail
