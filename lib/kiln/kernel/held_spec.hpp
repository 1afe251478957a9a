// A kind's spec as a SpecOfKind, made of the kind's functions: operation_of(spec), storage_of(spec), loop_header(spec, target),
// kernel_text(spec, text, target), words_of(spec, device), by_items(spec), and those that only some kinds have: frame_of(text,
// spec, target), stages_of(text, spec). Included by a kind's kind.cpp alone.
#pragma once

#include <utility>

#include "kernel/kernel_text.hpp"
#include "kernel/spec.hpp"

namespace kiln::kinds {

template <class Spec>
class HeldSpec final : public SpecOfKind {
 public:
  explicit HeldSpec(Spec spec) : spec_(std::move(spec)) {}

  [[nodiscard]] Operation operation() const override { return operation_of(spec_); }
  [[nodiscard]] std::vector<DType> storage() const override { return storage_of(spec_); }
  [[nodiscard]] Frame frame(const codegen::UserText& text, DeviceKind target) const override {
    if constexpr (requires { frame_of(text, spec_, target); }) {
      return frame_of(text, spec_, target);
    } else {
      return frame_of(text, operation_of(spec_));
    }
  }
  [[nodiscard]] std::vector<StageText> stages([[maybe_unused]] const codegen::UserText& text) const override {
    if constexpr (requires { stages_of(text, spec_); }) {
      return stages_of(text, spec_);
    } else {
      return {};
    }
  }
  [[nodiscard]] std::string header(DeviceKind target) const override { return loop_header(spec_, target); }
  [[nodiscard]] std::string text(const codegen::UserText& text, DeviceKind target) const override {
    return kernel_text(spec_, text, target);
  }
  [[nodiscard]] std::string variant_text(DeviceKind device) const override { return words_of(spec_, device); }
  [[nodiscard]] bool goes_by_items() const noexcept override { return by_items(spec_); }
  [[nodiscard]] std::string_view exported_function() const noexcept override {
    if constexpr (requires { spec_.function; }) {
      return spec_.function;
    } else {
      return {};
    }
  }
  [[nodiscard]] const void* as(const std::type_info& type) const noexcept override {
    return type == typeid(Spec) ? &spec_ : nullptr;
  }

 private:
  const Spec spec_;
};

}  // namespace kiln::kinds
