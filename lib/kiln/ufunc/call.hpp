// One call of a ufunc, step by step: place, choose the loop, lay out, separate overlaps, find the variant, allocate, launch.
// Lives on the stack; a repeated call allocates nothing on the heap but a fresh output.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "call/operands.hpp"
#include "kernel/elementwise/launch.hpp"
#include "layout/iteration.hpp"
#include "ufunc/impl.hpp"
#include "ufunc/layout_class.hpp"

namespace kiln::ufunc {

class PackedCall;

class Call {
 public:
  /// Reads the arguments and checks their number; throws TypeError.
  Call(const detail::UfuncImpl& ufunc, std::span<const Arg> args, const CallOptions& options,
       const backend::StopRequest* stop = nullptr);

  /// Runs and fills one result for each output. The kernel is remembered for calls like `packed`; null: for none.
  void run(std::span<Array> results, const PackedCall* packed = nullptr);
  /// What run() would do.
  Resolution resolve();
  /// Checks a call that is only planned, for that device or where it would run: its loop. TypeError also where there is nothing
  /// to compute.
  const Loop& plan(const std::optional<Device>& device = std::nullopt);
  /// After plan(): what run() would load, and after it what it would with arrays of other sizes and alignments, and other
  /// values of constants. Nothing is sent.
  [[nodiscard]] std::vector<program::Request> requests();
  /// The kernel that run() would launch, compiled. Nothing is sent.
  cache::Contents compiled();

 private:
  static constexpr std::size_t kMaxOperands = backend::kMaxOperands;

  void check();
  void choose_loop();
  void check_given() const;
  void check_raw(std::size_t k) const;
  void find_shape();
  void find_size();
  [[nodiscard]] bool by_elements() const noexcept { return raw_ != 0 || ufunc_.place().any(); }
  [[nodiscard]] bool is_raw(std::size_t k) const noexcept { return (raw_ >> k & 1U) != 0; }
  void separate(std::span<Array> results);
  void iterate();
  void classify();
  void allocate(std::span<Array> results) const;
  [[nodiscard]] Array allocate_sorted(DType dtype) const;
  void launch(const Variant<LayoutClass>& variant, std::span<const Array> results) const;
  /// Measures the launch shapes of the variant for that launch, where it can be; else says why not.
  void tune(const Variant<LayoutClass>& variant, const kinds::ElementwiseLaunch& work) const;
  [[nodiscard]] std::string why_not_tuned(const Variant<LayoutClass>& variant) const;
  void record(Recorder& recorder) const;
  [[nodiscard]] bool keeps() const noexcept { return layout_.masking == kinds::Masking::keep; }
  [[nodiscard]] bool reads(std::size_t output) const noexcept { return layout_.reads_outputs && operands_.is_inout(output); }

  const detail::UfuncImpl& ufunc_;
  const CallOptions& options_;
  call::Operands operands_;
  detail::UfuncImpl::Plan* plan_ = nullptr;
  const Shape* shape_ = nullptr;
  Shape own_shape_;
  std::int64_t size_ = 1;
  std::uint64_t raw_ = 0;  // operands that are not broadcast
  bool uniform_ = true;    // all arrays have the loop's shape
  bool all_c_ = true;      // and are packed in C order
  bool all_f_ = true;
  LayoutClass layout_;
  bool past_cache_ = false;  // outputs are stored so
  Tiling tiling_;
  std::optional<layout::Iteration> iteration_;
  std::optional<Dims> squeezed_;  // axes of the shape that the iteration is made of, where others have extent 1
};

}  // namespace kiln::ufunc
