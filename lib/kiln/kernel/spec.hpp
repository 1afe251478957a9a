// What a kernel of any kind is specialized for, behind one interface. A kind has a folder here, whose spec.hpp is a value.
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
struct Piece;

/// A kind's answers about one of its specs. held_spec.hpp makes it of the functions in the kind's text.hpp. Pure.
class SpecOfKind {
 public:
  SpecOfKind() = default;
  virtual ~SpecOfKind() = default;
  SpecOfKind(const SpecOfKind&) = delete;
  SpecOfKind& operator=(const SpecOfKind&) = delete;

  /// What the kernel computes.
  [[nodiscard]] virtual Operation operation() const = 0;
  /// Every dtype of its operands in memory.
  [[nodiscard]] virtual std::vector<DType> storage() const = 0;
  /// What stands around the user's body.
  [[nodiscard]] virtual Frame frame(const codegen::UserText& text, DeviceKind target) const = 0;
  /// The pieces of the user's stages, for a text that has stages.
  [[nodiscard]] virtual std::vector<Piece> stages(const codegen::UserText& text) const = 0;
  /// The header of kernels-src with its loop.
  [[nodiscard]] virtual std::string header(DeviceKind target) const = 0;
  /// The kernel. It stands in namespace kiln::loops and calls operation(r0, …, a0, …).
  [[nodiscard]] virtual std::string text(const codegen::UserText& text, DeviceKind target) const = 0;
  /// In words, what tells it from other kernels of one definition and loop: "contiguous", "reduce (block)". For people.
  [[nodiscard]] virtual std::string variant_text(DeviceKind device) const = 0;
  /// Whether a thread computes one item at a time, so that messages of faults name the item.
  [[nodiscard]] virtual bool goes_by_items() const noexcept = 0;
  /// Whether the body's parameters are elements, as an operation's are. Else they are arrays.
  [[nodiscard]] virtual bool takes_elements() const noexcept = 0;
  /// The C name under which the body is exported instead of a loop. Empty as a rule.
  [[nodiscard]] virtual std::string_view exported_function() const noexcept = 0;
  /// The spec where it is of that type, else null.
  [[nodiscard]] virtual const void* as(const std::type_info& type) const noexcept = 0;
};

/// A spec of any kind. Immutable; copies share it. Each kind's spec.hpp has `hold(spec)`.
class KernelSpec {
 public:
  template <class Spec>
    requires(!std::same_as<std::remove_cvref_t<Spec>, KernelSpec>)
  KernelSpec(Spec spec)  // NOLINT(google-explicit-constructor): any kind's spec is one
      : held_(hold(std::move(spec))) {}

  const SpecOfKind* operator->() const noexcept { return held_.get(); }
  /// The spec where it is of that kind, else null.
  template <class Spec>
  [[nodiscard]] const Spec* get_if() const noexcept {
    return static_cast<const Spec*>(held_->as(typeid(Spec)));
  }

 private:
  std::shared_ptr<const SpecOfKind> held_;
};

class IntegerDivisions;

/// The translation unit for that target: includes only the headers of kernels-src that the text needs, the user's text under
/// #line, with its divisions of integers defined, and one kernel named kiln_kernel with the parameters of
/// kernels-src/elementwise.hpp. Pure.
std::string render(const codegen::UserText& text, const KernelSpec& spec, DeviceKind target);
/// The same with the headers to include, from needed_headers(), and the divisions to define; without them the text as it is
/// written.
std::string render(const codegen::UserText& text, const KernelSpec& spec, DeviceKind target,
                   const std::vector<std::string>& headers, const IntegerDivisions& divisions);

}  // namespace kiln::kinds
