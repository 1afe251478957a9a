// One launch of a raw kernel, step by step: read the arguments, choose the place, bind the types, bring host arrays to the
// device, launch, fetch them. Lives on the stack.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "call/operands.hpp"
#include "raw/impl.hpp"
#include "ufunc/recorder.hpp"

namespace kiln::raw {

class Call {
 public:
  /// Checks all that the arguments alone tell; throws TypeError, ShapeError, DeviceError.
  Call(const detail::RawKernelImpl& kernel, const LaunchOptions& options, std::span<const Arg> args,
       const backend::StopRequest* stop = nullptr);

  void run();
  [[nodiscard]] Resolution resolve() const;
  /// The kernel that run() would launch.
  [[nodiscard]] cache::Contents compiled() const;

 private:
  void check_launch();
  void check_argument(std::size_t i);
  void bind_types();
  void bind_array(std::size_t i, DType given);
  void bind(std::size_t i, DType given);
  void convert(std::size_t i);
  void specialize();
  void choose_form();
  void check_structures(const backend::Module& module) const;
  [[nodiscard]] bool is_strided(std::size_t i) const;
  void record(ufunc::Recorder& recorder, const Variant& variant) const;
  [[nodiscard]] kinds::RawLaunch launch() const;
  [[nodiscard]] std::span<const DType> binding() const { return {types_.data(), kernel_.signature().variables.size()}; }
  [[nodiscard]] const signature::KernelParameter& parameter(std::size_t i) const { return kernel_.signature().parameters[i]; }
  [[noreturn]] void fail_type(std::size_t i, const std::string& why) const;

  /// Measures the block sizes of the variant for that launch, where it can be; else says why not.
  void tune(const Variant& variant, const kinds::RawLaunch& launch) const;
  [[nodiscard]] std::string why_not_tuned(const Variant& variant) const;

  const detail::RawKernelImpl& kernel_;
  const LaunchOptions& options_;
  call::Operands operands_;
  std::array<DType, kinds::kMaxRawArguments> types_;  // of the type variables, in order
  using Scalar = decltype(kinds::RawLaunch::Argument::value);
  alignas(16) std::array<Scalar, kinds::kMaxRawArguments> scalars_;  // in their parameters' dtypes
  const Specialization* specialization_ = nullptr;
  Extent3 grid_;
  Extent3 block_;
  kinds::RawForm form_ = kinds::RawForm::blocks;
  Strided strided_ = 0;
};

}  // namespace kiln::raw
