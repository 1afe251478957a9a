// One call of a ufunc, step by step (overlaps.cpp, specialize.cpp and launch.cpp have some of them): place, choose the loop,
// lay out, allocate, separate overlaps, launch. Lives on the stack; a repeated call allocates nothing on the heap but a fresh
// output.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "array/rep.hpp"
#include "backend/backend.hpp"
#include "call/place.hpp"
#include "layout/iteration.hpp"
#include "ufunc/checks.hpp"
#include "ufunc/impl.hpp"
#include "ufunc/layout_class.hpp"
#include "ufunc/recorder.hpp"

namespace kiln::ufunc {

class Call {
 public:
  /// Reads the arguments and checks their number; throws TypeError.
  Call(const detail::UfuncImpl& ufunc, std::span<const Arg> args, const CallOptions& options);

  /// Runs and fills one result for each output.
  void run(std::span<Array> results);
  /// What run() would do.
  Resolution resolve();
  /// The kernel that run() would launch. TypeError where there is nothing to compute.
  cache::Contents compiled();

 private:
  static constexpr std::size_t kMaxOperands = backend::kMaxOperands;

  /// A scalar converted to its loop's dtype.
  struct alignas(16) Value {
    unsigned char bytes[16];
  };

  void take_outputs();
  void place();
  void run_with_fresh_outs(std::span<Array> results);
  void run_through_device(std::span<Array> results);
  void choose_loop();
  void lay_out();
  void allocate(std::span<Array> results);
  void check_outputs();
  std::uint64_t overlapping_inputs(std::vector<std::string>* report = nullptr);
  void replace_by_copy(std::size_t operand);
  void iterate();
  void convert_scalars();
  void classify();
  [[nodiscard]] LayoutClass classify_as_placed(const Shape& shape, std::span<PlacedOperand> operands, bool in_place) const;
  void record(Recorder& recorder);
  void record_as_on_host(Recorder& recorder);
  void report(Recorder& recorder, LayoutClass layout, Processors processors);
  void launch(const Variant& variant, backend::Backend& backend, std::span<const Array> results);
  [[nodiscard]] Variant::Key variant_key() const noexcept;
  [[nodiscard]] Placement placement() const noexcept { return {*iteration_, {operands_.data(), count_}, inputs_}; }
  [[nodiscard]] std::vector<DType> storage_dtypes() const;
  [[nodiscard]] DType storage_dtype(std::size_t operand) const noexcept {
    return operands_[operand].rep != nullptr ? operands_[operand].rep->dtype : compute_dtype(operand);
  }
  [[nodiscard]] bool is_scalar(std::size_t operand) const noexcept { return operands_[operand].scalar != nullptr; }
  [[nodiscard]] std::shared_ptr<const void> keep(std::span<const Array> results) const;
  [[nodiscard]] bool is_output(std::size_t operand) const noexcept { return operand >= inputs_; }
  [[nodiscard]] bool is_mask(std::size_t operand) const noexcept { return operand == nin_ && inputs_ > nin_; }
  [[nodiscard]] DType compute_dtype(std::size_t operand) const noexcept {
    return is_output(operand) ? plan_->loop.outputs[operand - inputs_]
           : is_mask(operand) ? DType::bool_
                              : plan_->loop.inputs[operand];
  }
  /// An input that is an array.
  [[nodiscard]] const Array& array_of(std::size_t operand) const noexcept {
    return is_mask(operand) ? options_.where : args_[operand].array();
  }
  /// "input 1 (b)", "output 0 (q)", ".where": how messages name an operand.
  [[nodiscard]] std::string name_of(std::size_t operand) const;
  [[nodiscard]] CallNames names() const;
  [[nodiscard]] codegen::Access access(std::size_t operand) const noexcept { return operands_[operand].access; }

  const detail::UfuncImpl& ufunc_;
  std::span<const Arg> args_;
  const CallOptions& options_;
  std::size_t nin_;
  std::size_t inputs_;  // the arguments, and the mask
  std::size_t nout_;
  std::size_t count_;  // inputs + nout

  call::Place place_;
  bool brought_from_host_ = false;  // this is the call on their copies there
  TypePlan* plan_ = nullptr;
  const Shape* shape_ = nullptr;
  Shape own_shape_;
  std::int64_t size_ = 1;
  bool all_c_ = true;  // every array is packed in C order and has the loop's shape
  bool all_f_ = true;
  bool aliased_ = false;
  bool some_outs_ = false;  // .out names some of the outputs, and not all
  LayoutClass layout_;
  std::optional<layout::Iteration> iteration_;
  std::array<PlacedOperand, kMaxOperands> operands_;
  std::array<Value, kMaxOperands> values_;
  std::vector<Array> held_;              // private copies
  cache::Contents* compiled_ = nullptr;  // gets the kernel, and nothing is launched
};

}  // namespace kiln::ufunc
