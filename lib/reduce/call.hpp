// One call of a reduction, step by step: place, loop, shapes, overlaps, layout, launch. Lives on the stack.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "array/rep.hpp"
#include "backend/backend.hpp"
#include "call/place.hpp"
#include "kiln/reduction.hpp"
#include "layout/reduction.hpp"
#include "reduce/impl.hpp"
#include "ufunc/checks.hpp"
#include "ufunc/initial_value.hpp"

namespace kiln::reduce {

class Call {
 public:
  /// Reads the arguments and checks their number; throws TypeError.
  Call(const detail::ReductionImpl& reduction, std::span<const Arg> args, const ReductionOptions& options);

  /// Runs and fills one result for each output.
  void run(std::span<Array> results);
  /// What run() would do.
  Resolution resolve();
  /// The kernel that run() would launch. TypeError where there is nothing to compute.
  cache::Contents compiled();

 private:
  static constexpr std::size_t kMaxOperands = backend::kMaxOperands;

  /// An operand: an array, a scalar, or (an output that is not given) neither.
  struct Operand {
    const detail::ArrayRep* rep = nullptr;
    const Arg* scalar = nullptr;
    Strides strides = {};  ///< along the axes of the inputs' shape
  };
  struct alignas(16) Value {
    unsigned char bytes[16];
  };

  void take_arguments();
  void check();
  void place();
  void choose_loop();
  void lay_out();
  void name_axes();
  void check_start();
  void check_outputs() const;
  std::vector<std::size_t> overlapping_inputs() const;
  void convert_scalars();
  void run_through_device(std::span<Array> results);
  void launch(std::span<const Array> results);
  void record(ufunc::Recorder& recorder, std::span<const Array> results);
  [[nodiscard]] layout::Reduction arrange();
  [[nodiscard]] codegen::ReductionSpec spec_for(std::span<const Array> results, std::uint64_t& still) const;
  [[nodiscard]] Strides repeated(const detail::ArrayRep& rep) const;
  [[nodiscard]] Strides of_result(const detail::ArrayRep& rep) const;
  [[nodiscard]] Strides of_index() const;

  [[nodiscard]] ufunc::CallNames names() const;
  [[nodiscard]] std::string name_of(std::size_t operand) const;
  [[nodiscard]] const Array& array_of(std::size_t operand) const;
  [[nodiscard]] bool is_mask(std::size_t operand) const noexcept { return operand == nin_ && masked_; }
  [[nodiscard]] bool is_output(std::size_t operand) const noexcept { return operand >= inputs_; }
  [[nodiscard]] bool is_scalar(std::size_t operand) const noexcept { return operands_[operand].scalar != nullptr; }
  [[nodiscard]] DType compute_dtype(std::size_t operand) const noexcept;
  [[nodiscard]] DType storage_dtype(std::size_t operand) const noexcept {
    return operands_[operand].rep != nullptr ? operands_[operand].rep->dtype : compute_dtype(operand);
  }

  const detail::ReductionImpl& reduction_;
  std::span<const Arg> args_;
  const ReductionOptions& options_;
  std::size_t nin_;
  std::size_t nout_;
  bool masked_;
  std::size_t inputs_;  // the arguments, and the mask
  std::size_t count_;   // inputs and outputs; the index is none of them
  std::vector<Operand> operands_;

  ufunc::TypePlan* plan_ = nullptr;
  Shape whole_;   // what the inputs broadcast to
  Dims reduced_;  // of each axis of it: 1 or 0
  Shape shape_;   // of the results
  std::int64_t outputs_ = 1;
  std::int64_t elements_ = 1;  // of each output
  call::Place place_;
  std::array<Value, kMaxOperands> values_;
  ufunc::InitialValue initial_;
  std::vector<Array> held_;              // private copies
  cache::Contents* compiled_ = nullptr;  // gets the kernel, and nothing is launched
};

}  // namespace kiln::reduce
