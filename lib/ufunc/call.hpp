// One call of a ufunc, step by step: place, choose the loop, lay out, allocate, separate overlaps, launch. Lives on the stack;
// a repeated call allocates nothing on the heap but a fresh output.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "array/rep.hpp"
#include "backend/backend.hpp"
#include "layout/iteration.hpp"
#include "ufunc/impl.hpp"

namespace kiln::ufunc {

class Call {
 public:
  /// Reads the arguments and checks their number; throws TypeError.
  Call(const detail::UfuncImpl& ufunc, std::span<const Arg> args, const CallOptions& options);

  /// Runs and fills one result for each output.
  void run(std::span<Array> results);
  /// What run() would do.
  Resolution resolve();

 private:
  static constexpr std::size_t kMaxOperands = backend::kMaxOperands;

  struct Operand {
    const detail::ArrayRep* rep;  // null: a weak scalar, or an output that is yet to be allocated
    const Arg* scalar;
    std::int64_t itemsize;   // in memory; set with the layout
    codegen::Access access;  // set with the iteration
  };
  /// A scalar converted to its loop's dtype.
  struct alignas(16) Value {
    unsigned char bytes[16];
  };

  void place();
  void run_through_device(std::span<Array> results);
  void choose_loop();
  void lay_out();
  void allocate(std::span<Array> results);
  void check_outputs();
  void separate_overlaps(std::vector<std::string>* report);
  void replace_by_copy(std::size_t operand);
  void iterate();
  void convert_scalars();
  void specialize();
  void choose_width();
  void launch(const Variant& variant, backend::Backend& backend, std::span<const Array> results);
  [[nodiscard]] Variant::Key variant_key() const noexcept;
  [[nodiscard]] int kernel_rank() const noexcept;
  [[nodiscard]] bool overwrites_input() const noexcept;
  [[nodiscard]] DType storage_dtype(std::size_t operand) const noexcept {
    return operands_[operand].rep != nullptr ? operands_[operand].rep->dtype : compute_dtype(operand);
  }
  [[nodiscard]] bool is_scalar(std::size_t operand) const noexcept { return operands_[operand].scalar != nullptr; }
  [[nodiscard]] std::shared_ptr<const void> keep(std::span<const Array> results) const;
  [[nodiscard]] codegen::ElementwiseSpec spec() const;
  [[nodiscard]] bool is_output(std::size_t operand) const noexcept { return operand >= nin_; }
  [[nodiscard]] DType compute_dtype(std::size_t operand) const noexcept {
    return is_output(operand) ? plan_->loop.outputs[operand - nin_] : plan_->loop.inputs[operand];
  }
  [[nodiscard]] codegen::Access access(std::size_t operand) const noexcept { return operands_[operand].access; }
  [[nodiscard]] codegen::Access find_access(std::size_t operand) const noexcept;

  const detail::UfuncImpl& ufunc_;
  std::span<const Arg> args_;
  const CallOptions& options_;
  std::size_t nin_;
  std::size_t nout_;
  std::size_t count_;  // nin + nout

  Device device_;
  bool result_on_host_ = true;
  bool through_device_ = false;  // host arrays with a GPU to run on
  backend::Queue* queue_ = nullptr;
  TypePlan* plan_ = nullptr;
  const Shape* shape_ = nullptr;
  Shape own_shape_;
  std::int64_t size_ = 1;
  bool all_c_ = true;  // every array is packed in C order and has the loop's shape
  bool all_f_ = true;
  bool aliased_ = false;
  bool nontemporal_ = false;
  bool wide_index_ = false;
  bool gpu_ = false;
  int width_ = 1;
  int unroll_ = 1;
  std::optional<layout::Iteration> iteration_;
  std::array<Operand, kMaxOperands> operands_;
  std::array<Value, kMaxOperands> values_;
  std::vector<Array> held_;  // private copies
};

/// The variant for packed operands of the loop's own dtypes.
codegen::ElementwiseSpec contiguous_spec(const Loop& loop, DeviceKind kind);

}  // namespace kiln::ufunc
