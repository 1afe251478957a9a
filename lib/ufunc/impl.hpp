// What a Ufunc handle points to: the parsed definition and the table of what was compiled for it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "codegen/spec.hpp"
#include "kiln/ufunc.hpp"
#include "program/options.hpp"
#include "program/program.hpp"
#include "signature/signature.hpp"
#include "ufunc/layout_class.hpp"
#include "ufunc/loop_source.hpp"
#include "ufunc/loops.hpp"
#include "ufunc/method_kernel.hpp"

namespace kiln::ufunc {

/// One compiled specialization of a loop on one device.
struct Variant {
  struct Key {
    std::uint64_t access = 0;  // two bits for each operand
    std::uint64_t rest = 0;    // the rest of the layout's class, and the device
    friend bool operator==(const Key&, const Key&) = default;
  };
  Key key;
  std::shared_ptr<backend::Module> module;
  int width = 1;  // of its spec
  int unroll = 1;
  Variant* next = nullptr;
};

/// A layout that was reported to the recorder.
struct Recorded {
  using Key = Variant::Key;
  Key key;
  Recorded* next = nullptr;
};

/// The loop that a combination of argument types runs, with its variants.
struct TypePlan {
  /// Dtypes and weakness of the inputs, dtypes of the given outputs, casting and forced dtype, a byte each.
  struct Key {
    std::array<std::uint8_t, 40> bytes;
    std::uint8_t length = 0;
    std::string_view signature;
    friend bool operator==(const Key& a, const Key& b) noexcept {
      return a.length == b.length && __builtin_memcmp(a.bytes.data(), b.bytes.data(), a.length) == 0 &&
             a.signature == b.signature;
    }
  };
  Key key;
  std::string forced_signature;  // what key.signature refers to
  Loop loop;
  std::atomic<Variant*> variants{nullptr};
  std::atomic<Recorded*> recorded{nullptr};
  TypePlan* next = nullptr;
};

/// The key of a call whose operands have a `rep` or a `scalar`: `nin` arguments, the mask if there is one, and outputs from
/// `outputs` to `count`.
template <class Operand, class Options>
TypePlan::Key key_of(std::span<const Operand> operands, std::size_t nin, std::size_t outputs, std::size_t count,
                     const Options& options) noexcept {
  TypePlan::Key key;
  std::size_t n = 0;
  for (std::size_t i = 0; i < nin; ++i) {
    const Operand& operand = operands[i];
    key.bytes[n++] = operand.scalar != nullptr
                         ? static_cast<std::uint8_t>(static_cast<unsigned>(operand.scalar->dtype()) | 0x80U)
                         : static_cast<std::uint8_t>(operand.rep->dtype);
  }
  for (std::size_t i = outputs; i < count; ++i) {
    key.bytes[n++] = operands[i].rep == nullptr ? std::uint8_t{0xff} : static_cast<std::uint8_t>(operands[i].rep->dtype);
  }
  key.bytes[n++] = static_cast<std::uint8_t>(options.casting);
  key.bytes[n++] = options.dtype ? static_cast<std::uint8_t>(*options.dtype) : std::uint8_t{0xff};
  key.length = static_cast<std::uint8_t>(n);
  key.signature = options.signature;
  return key;
}
/// The same arguments, for the choice of a loop.
template <class Operand>
std::vector<Argument> arguments_of(std::span<const Operand> operands, std::size_t nin) {
  std::vector<Argument> arguments;
  for (const Operand& operand : operands.first(nin)) {
    const bool weak = operand.scalar != nullptr;
    arguments.push_back({weak ? operand.scalar->dtype() : operand.rep->dtype, weak});
  }
  return arguments;
}

/// A device in Variant::Key::rest, above bit 31.
[[nodiscard]] inline std::uint64_t device_bits(const Device& device) noexcept {
  return static_cast<std::uint64_t>(device.index()) << 32 | static_cast<std::uint64_t>(device.kind()) << 56;
}

/// A grow-only list that is searched without a lock: a call finds its variant in a few nanoseconds, from any thread.
template <class Node>
void publish(std::atomic<Node*>& head, Node* node) noexcept {
  node->next = head.load(std::memory_order_relaxed);
  while (!head.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) {
  }
}
template <class Node>
Node* find(const std::atomic<Node*>& head, const typename Node::Key& key) noexcept {
  for (Node* node = head.load(std::memory_order_acquire); node != nullptr; node = node->next) {
    if (node->key == key) return node;
  }
  return nullptr;
}
template <class Node>
void destroy(std::atomic<Node*>& head) noexcept {
  for (Node* node = head.load(); node != nullptr;) delete std::exchange(node, node->next);
}

}  // namespace kiln::ufunc

namespace kiln::detail {

class UfuncImpl {
 public:
  /// With a source, the signatures say no more than the operands' number and names.
  UfuncImpl(UfuncDefinition definition, std::vector<signature::TypeSignature> signatures,
            std::unique_ptr<const ufunc::LoopSource> source = nullptr);
  ~UfuncImpl();
  UfuncImpl(const UfuncImpl&) = delete;
  UfuncImpl& operator=(const UfuncImpl&) = delete;

  [[nodiscard]] const UfuncDefinition& definition() const noexcept { return definition_; }
  /// The definition that has the loop: another one where the loop was made for its dtypes.
  [[nodiscard]] const UfuncDefinition& definition_of(const ufunc::Loop& loop) const noexcept {
    return loop.definition != nullptr ? *loop.definition : definition_;
  }
  /// The loop for these arguments, from the signatures or the source. Throws as ufunc::choose_loop() does.
  [[nodiscard]] ufunc::Loop choose(const ufunc::LoopRequest& request) const {
    return source_ != nullptr ? source_->choose(request) : ufunc::choose_loop(request);
  }
  /// Null for a ufunc whose loops are its signatures.
  [[nodiscard]] const ufunc::LoopSource* source() const noexcept { return source_.get(); }
  [[nodiscard]] const std::string& name() const noexcept { return definition_.name; }
  [[nodiscard]] std::size_t nin() const noexcept { return signatures_.front().inputs.size(); }
  [[nodiscard]] std::size_t nout() const noexcept { return signatures_.front().outputs.size(); }
  [[nodiscard]] const std::vector<signature::TypeSignature>& signatures() const noexcept { return signatures_; }
  [[nodiscard]] bool reorderable() const noexcept { return definition_.reorderable || !definition_.identity.empty(); }
  /// "input 1 (b)", "output 0 (q)": how messages name an operand.
  [[nodiscard]] std::string operand_name(std::size_t operand) const;

  /// Whether the body waits for arithmetic rather than for memory, as far as its text tells.
  [[nodiscard]] bool arithmetic_bound() const noexcept { return arithmetic_bound_; }
  /// The plan of these types; null before the first call.
  ufunc::TypePlan* find_plan(const ufunc::TypePlan::Key& key) const noexcept { return ufunc::find(plans_, key); }
  ufunc::TypePlan& make_plan(const ufunc::TypePlan::Key& key, std::span<const ufunc::Argument> arguments,
                             const CallOptions& options) const;
  /// The variant, compiled and loaded at the first call.
  const ufunc::Variant& variant(ufunc::TypePlan& plan, const ufunc::Variant::Key& key, const ufunc::LayoutClass& layout,
                                std::span<const DType> storage, backend::Backend& backend) const;
  /// The plan of a reduction; its loop takes and gives one dtype.
  ufunc::TypePlan& make_plan(const ufunc::TypePlan::Key& key, ufunc::Loop loop) const;
  /// The kernel of a method around this plan's loop, compiled and loaded at the first call.
  const ufunc::Variant& variant(ufunc::TypePlan& plan, const ufunc::Variant::Key& key, const ufunc::MethodVariant& method,
                                backend::Backend& backend) const;
  /// The kernel of a method; null before it was made.
  const ufunc::MethodKernel* find_method(const ufunc::MethodKernel::Key& key) const noexcept {
    return ufunc::find(methods_, key);
  }
  /// Compiles and loads one.
  const ufunc::MethodKernel& make_method(const ufunc::MethodKernel::Key& key, const ufunc::Loop& loop,
                                         const ufunc::MethodVariant& variant, backend::Backend& backend) const;
  /// What such a kernel is specialized for.
  [[nodiscard]] codegen::KernelSpec specialize(const ufunc::Loop& loop, const ufunc::MethodVariant& variant,
                                               DeviceKind kind) const;
  [[nodiscard]] codegen::ElementwiseSpec specialize(const ufunc::Loop& loop, std::span<const DType> storage,
                                                    const ufunc::LayoutClass& layout, DeviceKind kind) const;
  /// The kernel of a loop, or of a method, for a kind of device.
  [[nodiscard]] program::Request request(const ufunc::Loop& loop, const codegen::KernelSpec& spec, DeviceKind kind) const;

  /// What is doubtful in its texts, found when it was made and when kernels were compiled.
  [[nodiscard]] program::Warnings& warnings() const noexcept { return warnings_; }
  /// What the loop's kernel is made of.
  [[nodiscard]] codegen::UserText text_of(const ufunc::Loop& loop) const;

 private:
  UfuncDefinition definition_;
  std::vector<signature::TypeSignature> signatures_;
  std::unique_ptr<const ufunc::LoopSource> source_;
  bool arithmetic_bound_;
  mutable std::atomic<ufunc::TypePlan*> plans_{nullptr};
  mutable std::atomic<ufunc::MethodKernel*> methods_{nullptr};
  mutable program::Warnings warnings_;
};

/// SignatureError where the loops differ in the number or the names of their operands.
void check_names(const std::string& kernel, const std::vector<signature::TypeSignature>& signatures);
/// What vectorize() makes a handle to.
std::shared_ptr<const UfuncImpl> make_ufunc(UfuncDefinition definition);
/// SignatureError for a kernel's name that is no C++ identifier, or a reserved one.
void check_name(const std::string& name);

}  // namespace kiln::detail
