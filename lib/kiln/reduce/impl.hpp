// What a Reduction handle points to: the parsed definition, its loops, and the table of what was compiled for it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "kiln/reduction.hpp"
#include "reduce/members.hpp"
#include "reduce/target.hpp"
#include "ufunc/recorder.hpp"

namespace kiln::cupy {
struct ReductionDefinition;
}  // namespace kiln::cupy

namespace kiln::detail {
class ReductionImpl;
}

namespace kiln::reduce {

struct PartialFunction;

/// The functions of accumulators that were made for loops. Safe to use from several threads.
class PartialFunctions {
 public:
  template <class Make>
  std::shared_ptr<const PartialFunction> find_or_make(const std::string& loop, const Make& make) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const PartialFunction>& known = made_[loop];
    if (known == nullptr) known = make();
    return known;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const PartialFunction>> made_;
};

/// Bytes of an accumulator, so that the memory of GPUs that blocks share has room for one of each thread.
inline constexpr int kMaxAccumulator = 128;

}  // namespace kiln::reduce

namespace kiln::detail {

class ReductionImpl final : public reduce::Target {
 public:
  /// `loops` has signatures, operands and options; its body is the combination of two accumulators, which is `combine` where
  /// that is a ufunc. `cupy`: the definition in CuPy's notation that it is of.
  ReductionImpl(std::shared_ptr<const UfuncImpl> loops, codegen::Stages stages,
                std::optional<std::vector<reduce::Member>> members, std::shared_ptr<const UfuncImpl> combine = nullptr,
                std::shared_ptr<const cupy::ReductionDefinition> cupy = nullptr, ufunc::Method method = ufunc::Method::reduce);

  [[nodiscard]] std::string what() const override { return name(); }
  [[nodiscard]] std::string operand_name(std::size_t operand) const override { return loops_->operand_name(operand); }
  [[nodiscard]] std::string forms() const override { return loops_->forms(); }
  [[nodiscard]] const UfuncImpl& loops() const noexcept override { return *loops_; }
  [[nodiscard]] bool maps() const noexcept override { return true; }
  [[nodiscard]] bool indexed() const noexcept override { return indexed_; }
  [[nodiscard]] const codegen::Stages* texts() const noexcept override { return &stages_; }
  [[nodiscard]] std::uint64_t addressed() const noexcept override { return addressed_; }
  [[nodiscard]] bool takes_initial() const noexcept override { return stages_.accumulator.empty() && stages_.type.empty(); }
  /// Returns true if calls see more than elements: they are computed whole, not in chunks.
  [[nodiscard]] bool only_whole() const noexcept {
    return raw_operands_ != 0 || inout_ != 0 || stages_.post_inputs != 0 || stages_.identity_inputs != 0 ||
           !stages_.type.empty() || stages_.asks_sizes() || (stages_.cupy && indexed_);
  }
  [[nodiscard]] bool prepends_identity() const noexcept override { return stages_.prepends_identity && has_identity(); }
  [[nodiscard]] ufunc::Loop choose(const call::Operands& operands, const ufunc::LoopOptions& options) const override {
    return loops_->choose(operands, options);
  }
  [[nodiscard]] kinds::ReductionSpec spec_of(const ufunc::Loop& loop) const override;
  using Target::request;
  [[nodiscard]] program::Request request(const ufunc::Loop& loop, kinds::ReductionSpec spec, DeviceKind kind) const override;
  void report(ufunc::Recorder& recorder, Plan& plan, bool forced, call::Description call) const override;

  [[nodiscard]] reduce::PartialFunctions& partials() const noexcept { return partials_; }
  [[nodiscard]] const std::string& name() const noexcept { return loops_->name(); }
  [[nodiscard]] codegen::UserText text_of(const ufunc::Loop& loop) const;
  [[nodiscard]] const codegen::Stages& stages() const noexcept { return stages_; }
  [[nodiscard]] const std::optional<std::vector<reduce::Member>>& members() const noexcept { return members_; }
  [[nodiscard]] const std::shared_ptr<const UfuncImpl>& combine() const noexcept { return combine_; }
  /// Returns the definition in CuPy's notation that it is of; null for others.
  [[nodiscard]] const cupy::ReductionDefinition* cupy() const noexcept { return cupy_.get(); }
  /// A definition that makes the loop, and in which it is the only one where it was made for its dtypes.
  [[nodiscard]] ReductionDefinition definition_of(const ufunc::Loop& loop) const;
  [[nodiscard]] ReductionDefinition definition() const;

 private:
  [[nodiscard]] ReductionDefinition with_texts(const UfuncDefinition& made) const;

  std::shared_ptr<const UfuncImpl> loops_;
  codegen::Stages stages_;
  std::optional<std::vector<reduce::Member>> members_;  // of the accumulator, where they are known
  std::shared_ptr<const UfuncImpl> combine_;
  std::shared_ptr<const cupy::ReductionDefinition> cupy_;
  bool indexed_;
  std::uint64_t addressed_ = 0;
  mutable reduce::PartialFunctions partials_;
};

/// The parsed definition; throws what reduction() does. `prepends_identity`: the identity stands in front of the elements.
[[nodiscard]] std::shared_ptr<const ReductionImpl> make_reduction(ReductionDefinition definition,
                                                                  bool prepends_identity = false,
                                                                  ufunc::Method method = ufunc::Method::reduce);
/// The same of a definition in CuPy's notation, as which it is written and recorded. Of `stages` all is set that the definition
/// does not say.
[[nodiscard]] std::shared_ptr<const ReductionImpl> make_reduction(ReductionDefinition definition, codegen::Stages stages,
                                                                  std::shared_ptr<const cupy::ReductionDefinition> cupy);

}  // namespace kiln::detail
