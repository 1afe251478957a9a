// One call of a reduction, step by step: place, loop, shapes, overlaps, layout, launch. reduceat is one, too, of all segments
// along its axis at once. Lives on the stack; a repeated call allocates nothing on the heap but fresh outputs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "call/operands.hpp"
#include "kernel/reduction/launch.hpp"
#include "kernel/reduction/segment_plan.hpp"
#include "kiln/reduction.hpp"
#include "layout/reduction.hpp"
#include "reduce/initial_value.hpp"
#include "reduce/target.hpp"

namespace kiln::reduce {

/// Of the method and of a reduction; it refers to the given ones.
[[nodiscard]] Options options_of(const ReduceOptions& options, const backend::StopRequest* stop = nullptr);
[[nodiscard]] Options options_of(const ReductionOptions& options, const backend::StopRequest* stop = nullptr);

class Call {
 public:
  /// Reads the arguments and checks their number; throws TypeError. `begins`: where segments along the one axis begin.
  Call(const Target& target, std::span<const Arg> args, const Options& options,
       std::optional<std::span<const std::int64_t>> begins = std::nullopt);
  /// A call with such segments, to be planned alone.
  Call(const Target& target, std::span<const Arg> args, const Options& options, const kinds::SegmentLengths& segments);

  /// Runs and fills one result for each output.
  void run(std::span<Array> results);
  /// What run() would do.
  Resolution resolve();
  /// Checks a call that is only planned, for that device or where it would run: its loop. TypeError also where there is nothing
  /// to compute.
  const ufunc::Loop& plan(const std::optional<Device>& device = std::nullopt);
  /// After plan() or resolve(): what the inputs broadcast to, and of each axis of it 1 where it is reduced, else 0.
  [[nodiscard]] const Shape& whole() const noexcept { return whole_; }
  [[nodiscard]] const Dims& reduced() const noexcept { return reduced_; }
  /// The loop.
  [[nodiscard]] const ufunc::Loop& loop() const noexcept { return plan_->loop; }
  /// After run(): the kernel of the last launch; null if there was none.
  [[nodiscard]] const ufunc::Variant<ReductionClass>* variant() const noexcept { return variant_; }
  /// After plan(): what run() would load, and after it what it would with arrays of other sizes and alignments. Nothing is
  /// sent.
  [[nodiscard]] std::vector<program::Request> requests();
  /// The kernel that run() would launch, compiled. Nothing is sent.
  cache::Contents compiled();

 private:
  // Beside the operands: an index and what texts get beside elements, or the beginnings of segments.
  static constexpr std::size_t kMaxRows = backend::kMaxOperands + 2;

  /// What is reduced.
  struct Part {
    const Shape& shape;
    const kinds::ReductionSegments* segments = nullptr;
    bool segments_kept = false;  ///< GPU: they are an axis of the result; else `shape` has any extent along their axis
  };
  /// Strides of each operand along the axes of a part, and where its elements begin.
  struct Rows {
    Rows(std::size_t count, std::size_t rank);
    std::int64_t* add(const char* data, std::int64_t itemsize);
    std::size_t count = 0;
    std::size_t rank;
    std::array<kinds::ReductionOperand, kMaxRows> operands;
    std::array<const std::int64_t*, kMaxRows> strides;

   private:
    static constexpr std::size_t kInline = 128;
    std::array<std::int64_t, kInline> inline_;
    std::vector<std::int64_t> heap_;
  };
  /// How a part lies.
  struct Laid {
    Laid(const Call& call, const Part& part, std::span<const call::Operand> operands);
    Rows rows;
    layout::Reduction layout;
    std::uint64_t still = 0;  ///< a bit for each input that is one value for all elements
  };

  void check();
  void prepare(std::span<Array> results);
  void find_shape();
  void name_axes();
  void check_segments();
  void check_start();
  void check_given() const;
  void check_beside() const;
  [[nodiscard]] std::size_t beside_row() const noexcept { return operands_.inputs() + (target_.indexed() ? 1 : 0); }
  [[nodiscard]] std::vector<std::int64_t> beside() const;
  [[nodiscard]] layout::Reduction arrange(const Part& part, std::span<const call::Operand> operands, Rows& rows) const;
  void fill(Rows& rows, const Part& part, std::span<const call::Operand> operands) const;
  void launch(std::span<Array> results);
  void launch_segments();
  void launch(const Part& part);
  void record(ufunc::Recorder& recorder) const;
  [[nodiscard]] ReductionClass class_of(const Part& part, const Laid& laid, DeviceKind kind) const;
  [[nodiscard]] bool segmented() const noexcept { return segments_.has_value(); }

  const Target& target_;
  const Options& options_;
  std::span<const std::int64_t> begins_;
  std::optional<kinds::SegmentLengths> segments_;  // of begins_ only how many there are
  call::Operands operands_;
  Target::Plan* plan_ = nullptr;
  const ufunc::Variant<ReductionClass>* variant_ = nullptr;
  Shape whole_;           // what the inputs broadcast to
  Dims reduced_;          // of each axis of it: 1 or 0
  std::size_t axis_ = 0;  // of the segments
  Shape shape_;           // of the results
  std::int64_t outputs_ = 1;
  std::int64_t elements_ = 1;  // of each output
  InitialValue initial_;
  std::shared_ptr<const void> keep_;  // what queued work refers to
};

}  // namespace kiln::reduce
