// One call of a generalized ufunc, step by step: place, choose the loop, resolve shapes, separate overlaps, lay out, find the
// kernel, launch.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "array/rep.hpp"
#include "call/operands.hpp"
#include "gufunc/core_layout.hpp"
#include "gufunc/impl.hpp"
#include "kernel/gufunc/launch.hpp"
#include "ufunc/recorder.hpp"

namespace kiln::gufunc {

/// Of each operand, what its address moves by because axes of the loop are walked backwards.
[[nodiscard]] std::vector<std::int64_t> offsets_of(const CoreLayout& layout);

class Call {
 public:
  /// Reads the arguments and checks their number; throws TypeError.
  Call(const detail::GufuncImpl& gufunc, std::span<const Arg> args, const GufuncOptions& options,
       const backend::StopRequest* stop = nullptr);

  /// Runs and fills one result for each output.
  void run(std::span<Array> results);
  /// What run() would do.
  GufuncResolution resolve();
  /// After resolve() or plan().
  [[nodiscard]] const CoreShape& shape() const noexcept { return shape_; }
  /// Checks a call that is only planned, for that device or where it would run: its loop. TypeError also where there is nothing
  /// to compute.
  const ufunc::Loop& plan(const std::optional<Device>& device = std::nullopt);
  /// After plan(): what run() would load, and after it what it would with arrays of other sizes. `constants`: sizes of small
  /// cores may be constants of the kernel. Nothing is sent.
  [[nodiscard]] std::vector<program::Request> requests(bool constants = true);
  /// The kernel that run() would launch, compiled. Nothing is sent.
  cache::Contents compiled();

 private:
  void check();
  void choose_loop();
  void take_scalars();
  void resolve_shapes();
  void check_outputs() const;
  /// Runs as an earlier call with the same layout did; false where there was none, or inputs are to be copied first.
  bool run_as_before(std::span<Array> results);
  void remember(const CoreLayout& layout, std::shared_ptr<const kinds::GufuncNumbers> numbers,
                std::shared_ptr<backend::Module> module);
  void start(const backend::Module& module, std::shared_ptr<const kinds::GufuncNumbers> numbers,
             std::span<const std::int64_t> offsets, std::span<const Array> results);
  [[nodiscard]] CallLayout layout_of_call() const;
  [[nodiscard]] CoreLayout lay_out() const;
  /// The indices of .each, the one last along which the first output's elements are nearest, by the strides of its core.
  [[nodiscard]] std::vector<kinds::EachSpec> each_in_order(std::span<const std::int64_t> strides) const;
  [[nodiscard]] kinds::GufuncSpec make_spec(const CoreLayout& layout, bool constants, bool gpu) const;
  /// The general kernels that are right for any call of the loop whose cores lie so, the nearest to `general`, which is
  /// make_spec(layout, false, gpu), first. `mixed`: also those that know less of some cores alone.
  [[nodiscard]] std::vector<kinds::GufuncSpec> for_any_sizes(const kinds::GufuncSpec& general, bool gpu, bool mixed) const;
  [[nodiscard]] std::int64_t largest_core() const;
  [[nodiscard]] std::int64_t core_bytes(std::size_t k) const;
  [[nodiscard]] bool are_small(const CoreLayout& layout) const;
  void form_teams(kinds::GufuncSpec& spec, std::int64_t items, bool gpu) const;
  [[nodiscard]] int beside_of(const kinds::GufuncSpec& spec, std::int64_t threads) const;
  /// Bytes that a team of so many lanes shares in this call; nothing where the text does not tell.
  [[nodiscard]] std::optional<std::int64_t> shared_bytes(int lanes) const;
  /// How many lanes teams of a call of the loop may have: those of `spec` first.
  [[nodiscard]] std::vector<int> teams_of(const kinds::GufuncSpec& spec, bool gpu) const;
  void stage(const CoreLayout& layout, kinds::GufuncSpec& spec, bool constants) const;
  void take_items(const CoreLayout& layout, kinds::GufuncSpec& spec, bool constants) const;
  [[nodiscard]] std::shared_ptr<backend::Module> find_kernel(const CoreLayout& layout, kinds::GufuncSpec& spec) const;
  void allocate(std::span<const Shape> shapes, std::span<Array> results) const;
  [[nodiscard]] std::shared_ptr<const kinds::GufuncNumbers> numbers_of(const CoreLayout& layout,
                                                                       const kinds::GufuncSpec& spec) const;
  [[nodiscard]] bool nothing_to_do() const;
  void record(ufunc::Recorder& recorder, const kinds::GufuncSpec& spec) const;

  [[nodiscard]] bool is_scalar(std::size_t input) const noexcept { return operands_.is_scalar(input); }
  /// The number among the operands of one that is counted without the mask.
  [[nodiscard]] std::size_t with_mask(std::size_t k) const noexcept { return k < nin_ ? k : k - nin_ + operands_.inputs(); }
  [[nodiscard]] DType storage_dtype(std::size_t k) const noexcept { return operands_.storage_dtype(with_mask(k)); }
  [[nodiscard]] DType compute_dtype(std::size_t k) const noexcept { return operands_.compute_dtype(with_mask(k)); }
  [[nodiscard]] bool on_gpu() const noexcept { return operands_.at().gpu(); }

  const detail::GufuncImpl& gufunc_;
  const GufuncOptions& options_;
  std::size_t nin_;
  std::size_t nout_;
  call::Operands operands_;
  Plan* plan_ = nullptr;
  CoreShape shape_;
};

}  // namespace kiln::gufunc
