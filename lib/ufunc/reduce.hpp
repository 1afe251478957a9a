// One reduction by a ufunc, step by step: axes, loop, shapes, place, overlaps, layout, launch. Lives on the stack. reduceat is
// one, too: of all segments along its axis at once, or a launch for each.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "array/rep.hpp"
#include "backend/backend.hpp"
#include "call/place.hpp"
#include "kiln/methods.hpp"
#include "kinds/reduction/launch.hpp"
#include "layout/reduction.hpp"
#include "ufunc/impl.hpp"
#include "ufunc/initial_value.hpp"
#include "ufunc/recorder.hpp"
#include "ufunc/reduction_plan.hpp"
#include "ufunc/segment_plan.hpp"

namespace kiln::ufunc {

class Reduce {
 public:
  Reduce(const detail::UfuncImpl& ufunc, const Array& array, const ReduceOptions& options);
  /// reduceat, along the one axis of the options.
  Reduce(const detail::UfuncImpl& ufunc, const Array& array, std::span<const std::int64_t> indices,
         const ReduceOptions& options);
  Array run();

 private:
  static constexpr std::size_t kOperands = 4;  // array, mask, result, beginnings of segments

  void choose_loop();
  void name_axes();
  void check_mask();
  void check_start();
  void check_out();
  void place();
  Array run_through_device();
  void convert_initial();
  void separate();
  /// What is reduced at once: all of the array, or of a segment these elements along its axis.
  struct Piece {
    const Shape& shape;
    std::int64_t begin = 0;
    std::int64_t segment = 0;
    const kinds::ReductionSegments* segments = nullptr;  ///< all of them at once
    /// GPU: they are an axis of the result. Null: `shape` has any extent along their axis.
    const SegmentLengths* lengths = nullptr;
  };
  struct Operands {
    const detail::ArrayRep& array;
    const detail::ArrayRep* mask;
    const detail::ArrayRep& result;
  };
  /// Where the operands of a piece begin, as its layout walks them.
  using Addresses = std::array<ReductionOperand, kOperands>;
  [[nodiscard]] layout::Reduction lay_out(const Piece& piece, const Operands& operands, Addresses& addresses) const;
  [[nodiscard]] layout::Reduction lay_out_segments(const Operands& operands, Addresses& addresses) const;
  struct Laid {
    const Piece& piece;
    const layout::Reduction& layout;
    const Addresses& addresses;
  };
  [[nodiscard]] MethodVariant variant(const Laid& laid, const Array& target) const;
  void launch(const Array& target);
  void launch_segments(const Array& target);
  void launch(const Piece& piece, const Array& target);
  void record(Recorder& recorder, const Piece& piece, const Array& target) const;
  [[nodiscard]] Strides strides_of_result(const detail::ArrayRep& result) const;
  void check_segments();
  [[nodiscard]] std::string what() const { return ufunc_.name() + "." + method(); }
  [[nodiscard]] const char* method() const noexcept { return segmented_ ? "reduceat" : "reduce"; }
  [[nodiscard]] bool masked() const noexcept { return mask_ != nullptr; }
  [[nodiscard]] std::size_t operands() const noexcept { return masked() ? 3 : 2; }
  [[nodiscard]] bool has_identity() const noexcept { return !ufunc_.definition().identity.empty(); }
  [[nodiscard]] DType loop_dtype() const noexcept { return plan_->loop.outputs[0]; }

  const detail::UfuncImpl& ufunc_;
  const ReduceOptions& options_;
  const Array& given_;
  bool segmented_ = false;
  std::span<const std::int64_t> indices_;  // where segments begin
  std::size_t axis_ = 0;                   // of the segments
  const detail::ArrayRep* array_;
  const detail::ArrayRep* mask_ = nullptr;
  const detail::ArrayRep* out_ = nullptr;
  TypePlan* plan_ = nullptr;
  Dims reduced_;  // of each axis: 1 or 0
  Shape shape_;   // of the result
  std::int64_t outputs_ = 1;
  std::int64_t count_ = 1;
  call::Place place_;
  std::vector<Array> held_;           // private copies
  std::shared_ptr<const void> keep_;  // what queued work refers to
  InitialValue initial_;
};

}  // namespace kiln::ufunc
