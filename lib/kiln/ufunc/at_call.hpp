// One call of Ufunc::at, step by step: check, place, choose the loop, read the indices, launch. Lives on the stack.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "call/operands.hpp"
#include "kernel/scatter/launch.hpp"
#include "kernel/scatter/spec.hpp"
#include "ufunc/impl.hpp"

namespace kiln::ufunc {

/// The second operand is the one input, and the array that is changed the output. The indices lie beside them.
class AtCall final : public call::Callee {
 public:
  /// `value` is null where the user gave no second operand. Throws TypeError and ShapeError for what the arguments alone tell.
  AtCall(const detail::UfuncImpl& ufunc, Array target, std::span<const Array> indices, const Arg* value,
         const AtOptions& options, const backend::StopRequest* stop = nullptr);

  [[nodiscard]] std::string what() const override { return ufunc_.name() + ".at"; }
  [[nodiscard]] std::string operand_name(std::size_t operand) const override;
  [[nodiscard]] std::string forms() const override { return ""; }

  void run();
  /// Checks a call that is only planned, for that device: its loop and shapes.
  const Loop& plan(const std::optional<Device>& device);
  /// After plan(): what run() would load, then what for other indices. Nothing is sent.
  [[nodiscard]] std::vector<program::Request> requests();

 private:
  void check_ufunc() const;
  void check_arrays() const;
  void choose_loop();
  void convert_scalar();
  void check_shapes();
  void check_indices(std::span<const Array> indices) const;
  void wait_for_queue() const;
  void bring_to_device();
  void read_indices(const kinds::ScatterSpec& spec);
  [[nodiscard]] std::vector<Array> indices_on_host() const;
  void fold_into_one(const std::vector<std::int64_t>& offsets);
  void record(Recorder& recorder, std::span<const Array> indices) const;
  [[nodiscard]] std::vector<kinds::ScatterLayout> planned_layouts();
  [[nodiscard]] MethodVariant variant() const;
  [[nodiscard]] kinds::ScatterSpec spec() const;
  [[nodiscard]] kinds::ScatterLaunch launch() const;
  [[nodiscard]] std::string index_name(std::size_t i) const;
  [[nodiscard]] bool has_value() const noexcept { return operands_.nin() > 0; }
  [[nodiscard]] const detail::ArrayRep& target() const noexcept { return *operands_.rep(operands_.nin()); }

  const detail::UfuncImpl& ufunc_;
  Array target_;  // the user's
  ArrayArg out_;  // the same
  std::vector<Array> indices_;
  const Arg* value_;
  call::Operands operands_;
  detail::UfuncImpl::AtPlan* plan_ = nullptr;
  std::vector<std::pair<std::size_t, DType>> narrowed_;  // as in the loop, of the one input
  Shape shape_;                                          // of the indices, broadcast together
  Shape full_;                                           // with the axes of the target that are not indexed
  bool checked_ = false;                                 // all indices are in range
  // Of a GPU:
  bool one_index_ = false;  // the indices are offsets into the target
  Array order_;
  Array starts_;
};

}  // namespace kiln::ufunc
