// reduce and reduceat of a ufunc, as reductions.
#pragma once

#include <string>

#include "kiln/methods.hpp"
#include "reduce/target.hpp"

namespace kiln::reduce {

class Method : public Target {
 public:
  explicit Method(const detail::UfuncImpl& ufunc, ufunc::Method method = ufunc::Method::reduce) noexcept
      : Target(method), ufunc_(ufunc) {}

  [[nodiscard]] std::string what() const override { return ufunc_.name() + "." + std::string(ufunc::name(method_)); }
  [[nodiscard]] std::string operand_name(std::size_t operand) const override { return operand == 0 ? "the array" : ".out"; }
  [[nodiscard]] std::string forms() const override { return ufunc_.forms(); }
  [[nodiscard]] const detail::UfuncImpl& loops() const noexcept override { return ufunc_; }
  [[nodiscard]] std::size_t nin() const noexcept override { return 1; }
  [[nodiscard]] std::size_t nout() const noexcept override { return 1; }
  [[nodiscard]] bool maps() const noexcept override { return false; }
  [[nodiscard]] bool indexed() const noexcept override { return false; }
  [[nodiscard]] bool takes_initial() const noexcept override { return true; }
  [[nodiscard]] bool prepends_identity() const noexcept override { return has_identity(); }
  [[nodiscard]] ufunc::Loop choose(const call::Operands& operands, const ufunc::LoopOptions& options) const override;
  [[nodiscard]] kinds::ReductionSpec spec_of(const ufunc::Loop& loop) const override;
  using Target::request;
  [[nodiscard]] program::Request request(const ufunc::Loop& loop, kinds::ReductionSpec spec, DeviceKind kind) const override;
  void report(ufunc::Recorder& recorder, Plan& plan, bool forced, call::Description call) const override;

 private:
  const detail::UfuncImpl& ufunc_;
};

/// Ufunc::reduce.
[[nodiscard]] Array reduce(const detail::UfuncImpl& ufunc, const Array& array, const ReduceOptions& options,
                           const backend::StopRequest* stop = nullptr);

}  // namespace kiln::reduce
