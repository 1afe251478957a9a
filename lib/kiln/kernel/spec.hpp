// The spec of a kernel of any kind, behind one interface. Each kind has a folder here, whose spec.hpp is a plain value.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "kiln/device.hpp"
#include "kiln/dtype.hpp"
#include "source/user_text.hpp"

namespace kiln::kinds {

struct Frame;
struct Operation;
struct StageText;

/// A kind's view of one of its specs. held_spec.hpp builds it from the functions in the kind's text.hpp. Pure.
class SpecOfKind {
 public:
  SpecOfKind() = default;
  virtual ~SpecOfKind() = default;
  SpecOfKind(const SpecOfKind&) = delete;
  SpecOfKind& operator=(const SpecOfKind&) = delete;

  /// Returns the dtypes that the user's body takes and gives.
  [[nodiscard]] virtual Operation operation() const = 0;
  /// Returns every dtype of the operands in memory.
  [[nodiscard]] virtual std::vector<DType> storage() const = 0;
  /// Returns the text around the user's body.
  [[nodiscard]] virtual Frame frame(const codegen::UserText& text, DeviceKind target) const = 0;
  /// Returns the user's stages with the text before each. The text has stages.
  [[nodiscard]] virtual std::vector<StageText> stages(const codegen::UserText& text) const = 0;
  /// Returns the header of kernels-src that has the kernel's loop.
  [[nodiscard]] virtual std::string header(DeviceKind target) const = 0;
  /// Returns the kernel, which stands in namespace kiln::loops and calls operation(r0, …, a0, …).
  [[nodiscard]] virtual std::string text(const codegen::UserText& text, DeviceKind target) const = 0;
  /// Describes the kernel among those of one definition and loop: "contiguous", "reduce (block)". For people.
  [[nodiscard]] virtual std::string variant_text(DeviceKind device) const = 0;
  /// Returns true if a thread computes one item at a time, so that messages of faults name the item.
  [[nodiscard]] virtual bool goes_by_items() const noexcept = 0;
  /// Returns the C name under which the body is exported instead of a loop. Empty as a rule.
  [[nodiscard]] virtual std::string_view exported_function() const noexcept = 0;
  /// Returns the spec if it is of that type, else null.
  [[nodiscard]] virtual const void* as(const std::type_info& type) const noexcept = 0;
};

/// A spec of any kind. Immutable; copies share it. Each kind's spec.hpp has `hold(spec)`.
class KernelSpec {
 public:
  template <class Spec>
    requires(!std::same_as<std::remove_cvref_t<Spec>, KernelSpec>) && requires(Spec spec) { hold(std::move(spec)); }
  KernelSpec(Spec spec)  // NOLINT(google-explicit-constructor): any kind's spec is one
      : held_(hold(std::move(spec))) {}

  const SpecOfKind* operator->() const noexcept { return held_.get(); }
  /// Returns the spec if it is of that kind, else null.
  template <class Spec>
  [[nodiscard]] const Spec* get_if() const noexcept {
    return static_cast<const Spec*>(held_->as(typeid(Spec)));
  }

 private:
  std::shared_ptr<const SpecOfKind> held_;
};

class IntegerDivisions;

/// Returns the translation unit for that target. It includes only the headers of kernels-src that the text needs. The user's
/// text stands under #line, with its divisions of integers defined. The one kernel is named kiln_kernel. Pure.
std::string render(const codegen::UserText& text, const KernelSpec& spec, DeviceKind target);
/// Renders with the headers to include, from needed_headers(), and the divisions to define. Without divisions the text is
/// unmodified.
std::string render(const codegen::UserText& text, const KernelSpec& spec, DeviceKind target,
                   const std::vector<std::string>& headers, const IntegerDivisions& divisions);

}  // namespace kiln::kinds
