// One call of Ufunc::accumulate, step by step: place, choose the loop, check, separate from what overlaps, launch. Lives on the
// stack.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "call/operands.hpp"
#include "kernel/scan/launch.hpp"
#include "kernel/scan/spec.hpp"
#include "ufunc/impl.hpp"
#include "ufunc/recorder.hpp"

namespace kiln::ufunc {

class AccumulateCall final : public call::Callee {
 public:
  // Operands sets those that it has. NOLINTNEXTLINE(clang-analyzer-optin.cplusplus.UninitializedObject)
  AccumulateCall(const detail::UfuncImpl& ufunc, const Arg& array, const AccumulateOptions& options,
                 const backend::StopRequest* stop = nullptr)
      : ufunc_(ufunc),
        options_(options),
        operands_(
            *this,
            {{&array, 1}, call::kNoMask, {&options.out, options.out.valid() ? 1U : 0U}, {options.stream, options.device, stop}},
            1, 1) {}

  [[nodiscard]] std::string what() const override { return ufunc_.name() + ".accumulate"; }
  [[nodiscard]] std::string operand_name(std::size_t operand) const override {
    return operand == 0 ? "the array" : "the out array";
  }
  [[nodiscard]] std::string forms() const override { return ""; }

  Array run();
  /// Checks a call that is only planned, for that device or where it would run: its loop. TypeError also where there is nothing
  /// to compute.
  const Loop& plan(const std::optional<Device>& device = std::nullopt);
  /// After plan(): what run() would load. Nothing is sent.
  [[nodiscard]] std::vector<program::Request> requests();

 private:
  [[nodiscard]] const detail::ArrayRep& array() const { return *operands_.rep(0); }
  [[nodiscard]] DType dtype() const { return plan_->loop.outputs[0]; }
  [[nodiscard]] MethodVariant variant() const {
    return {.method = Method::accumulate, .array = array().dtype, .result = operands_.storage_dtype(1)};
  }
  void check();
  void choose_loop();
  [[nodiscard]] Loop chosen_loop() const;
  void find_axis();
  [[nodiscard]] Array allocate() const;
  [[nodiscard]] kinds::ScanSpec spec() const;
  [[nodiscard]] kinds::ScanLaunch launch(const detail::ArrayRep& to) const;
  void record(Recorder& recorder) const;

  const detail::UfuncImpl& ufunc_;
  const AccumulateOptions& options_;
  call::Operands operands_;
  detail::UfuncImpl::ScanPlan* plan_ = nullptr;
  std::size_t axis_ = 0;
};

}  // namespace kiln::ufunc
