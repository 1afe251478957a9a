// One call of a generalized ufunc, step by step: place, choose the loop, resolve shapes, separate overlaps, lay out, find the
// kernel, launch.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "array/rep.hpp"
#include "call/place.hpp"
#include "gufunc/core_layout.hpp"
#include "gufunc/impl.hpp"
#include "kinds/gufunc/launch.hpp"
#include "ufunc/checks.hpp"
#include "ufunc/recorder.hpp"

namespace kiln::gufunc {

class Call {
 public:
  /// Reads the arguments and checks their number; throws TypeError.
  Call(const detail::GufuncImpl& gufunc, std::span<const Arg> args, const GufuncOptions& options);

  /// Runs and fills one result for each output.
  void run(std::span<Array> results);
  /// What run() would do.
  GufuncResolution resolve();
  /// The kernel that run() would launch. TypeError where there is nothing to compute.
  cache::Contents compiled();

 private:
  void place();
  void choose_loop();
  void resolve_shapes();
  void check_outputs() const;
  void run_through_device(std::span<Array> results);
  [[nodiscard]] std::vector<std::size_t> overlapping_inputs() const;
  void separate();
  /// How the operands lie; `sent`: host arrays as they do once they are on a GPU.
  [[nodiscard]] CoreLayout lay_out(bool sent = false) const;
  /// The indices of .each, the one last along which the first output's elements are nearest, by the strides of its core.
  [[nodiscard]] std::vector<codegen::EachSpec> each_in_order(std::span<const std::int64_t> strides) const;
  [[nodiscard]] codegen::GufuncSpec make_spec(const CoreLayout& layout, bool constants, bool gpu) const;
  [[nodiscard]] bool goes_along(const CoreLayout& layout, const codegen::GufuncSpec& spec) const;
  [[nodiscard]] std::int64_t largest_core() const;
  [[nodiscard]] bool pays_to_stage(DType dtype, bool along) const;
  [[nodiscard]] bool many_tiny(const CoreLayout& layout, const codegen::GufuncSpec& spec, bool strides) const;
  void take_item_strides(const CoreLayout& layout, codegen::GufuncSpec& spec, bool strides) const;
  void stage_all(const CoreLayout& layout, codegen::GufuncSpec& spec) const;
  void form_teams(codegen::GufuncSpec& spec, bool gpu) const;
  [[nodiscard]] bool takes_lanes(const codegen::GufuncSpec& spec) const;
  [[nodiscard]] bool may_fold(const CoreLayout& layout, const codegen::GufuncSpec& spec, bool lanes) const;
  [[nodiscard]] double turns() const;
  [[nodiscard]] bool takes_items_at_once(const CoreLayout& layout, const codegen::GufuncSpec& spec) const;
  [[nodiscard]] int brought_at_once(const CoreLayout& layout, const codegen::GufuncSpec& spec, std::int64_t row) const;
  void bring(const CoreLayout& layout, codegen::GufuncSpec& spec) const;
  [[nodiscard]] Kernel::Key kernel_key(const codegen::GufuncSpec& spec) const;
  [[nodiscard]] const Kernel& find_kernel(const CoreLayout& layout, codegen::GufuncSpec& spec, backend::Backend& backend) const;
  [[nodiscard]] std::vector<Array> allocate() const;
  [[nodiscard]] Array allocate_one(std::size_t output, bool on_host) const;
  [[nodiscard]] kinds::GufuncLaunch make_launch(const CoreLayout& layout, const codegen::GufuncSpec& spec,
                                                std::span<const Array> results) const;
  [[nodiscard]] bool nothing_to_do(const codegen::GufuncSpec& spec) const;
  void record(ufunc::Recorder& recorder, const CoreLayout& layout, const codegen::GufuncSpec& spec) const;

  [[nodiscard]] bool is_scalar(std::size_t input) const noexcept { return !inputs_[input]; }
  [[nodiscard]] Array array_of_scalar(std::size_t input) const;
  [[nodiscard]] DType storage_dtype(std::size_t operand) const;
  [[nodiscard]] DType compute_dtype(std::size_t operand) const;
  [[nodiscard]] backend::Queue* queue() const { return options_.stream.queue().get(); }
  [[nodiscard]] ufunc::CallNames names() const;

  const detail::GufuncImpl& gufunc_;
  std::span<const Arg> args_;
  const GufuncOptions& options_;
  std::size_t nin_;
  std::size_t nout_;
  std::vector<Array> inputs_;  // null handles for scalars; private copies where inputs overlap outputs
  std::vector<Array> outs_;    // null handles for what is to be allocated
  Array where_;                // the mask, if there is one
  call::Place place_;
  bool gpu_ = false;
  TypePlan* plan_ = nullptr;
  CoreShape shape_;
  cache::Contents* compiled_ = nullptr;  // gets the kernel, and nothing is launched
};

}  // namespace kiln::gufunc
