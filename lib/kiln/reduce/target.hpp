// What a reduction computes, and by which kernels: a kiln::reduction, or reduce and reduceat of a ufunc.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "call/operands.hpp"
#include "kernel/reduction/plan.hpp"
#include "kiln/methods.hpp"
#include "ufunc/impl.hpp"
#include "ufunc/plan.hpp"

namespace kiln::reduce {

using kinds::ReductionClass;

/// The numbers of elements that a map asks for, where the inputs are a part of the arrays that are reduced.
struct Numbers {
  std::int64_t first;  ///< of the inputs' first element
  Dims steps;          ///< along each axis of the inputs
};

/// Elements, in C order of the reduced axes, that become one state.
struct Window {
  std::int64_t from;
  std::int64_t count;
};

/// That of a call which is only planned.
inline constexpr std::array<Window, 1> kOneWindow{{{0, 1}}};

/// Options of a call.
struct Options {
  const Axes& axis;
  bool keepdims;
  const std::optional<Arg>& initial;
  const ArrayArg& where;
  std::span<const ArrayArg> out;
  ufunc::LoopOptions loop;
  const Stream& stream;
  const std::optional<Device>& device = call::kAnyDevice;
  const backend::StopRequest* stop = nullptr;
  const Numbers* numbers = nullptr;  ///< null: in C order of the reduced axes, from 0
  /// Of a target that is_part(): the results have an axis in front, with one state for each.
  std::span<const Window> windows = {};
  bool may_be_empty = false;  ///< nothing to reduce is no error, even without an identity
};

class Target : public call::Callee {
 public:
  using Plan = ufunc::Plan<ReductionClass>;

  /// `method` tells what is compiled for the methods of a ufunc apart.
  explicit Target(ufunc::Method method = ufunc::Method::reduce) noexcept : method_(method) {}

  /// The signatures; the body combines two accumulators.
  [[nodiscard]] virtual const detail::UfuncImpl& loops() const noexcept = 0;
  [[nodiscard]] virtual std::size_t nin() const noexcept { return loops().nin(); }
  [[nodiscard]] virtual std::size_t nout() const noexcept { return loops().nout(); }
  [[nodiscard]] bool reorderable() const noexcept { return loops().reorderable(); }
  [[nodiscard]] bool has_identity() const noexcept { return !loops().definition().identity.empty(); }
  /// Whether its results are states of windows of what is reduced.
  [[nodiscard]] bool is_part() const noexcept { return method_ == ufunc::Method::partial; }
  /// Whether elements are mapped by a text of the user's.
  [[nodiscard]] virtual bool maps() const noexcept = 0;
  /// Whether the map asks for elements' numbers.
  [[nodiscard]] virtual bool indexed() const noexcept = 0;
  /// The texts of a reduction of stages; null for a method.
  [[nodiscard]] virtual const codegen::Stages* texts() const noexcept { return nullptr; }
  /// A bit for each raw input of which some text takes an element's address.
  [[nodiscard]] virtual std::uint64_t addressed() const noexcept { return 0; }
  /// Whether kernels take an operand behind the inputs, the mask and the index: how raw inputs lie, and the axes that texts ask
  /// for.
  [[nodiscard]] bool has_beside() const noexcept {
    return raw_operands() != 0 || (texts() != nullptr && texts()->asks_sizes());
  }
  /// Whether an accumulator is a number, that a call may start from.
  [[nodiscard]] virtual bool takes_initial() const noexcept = 0;
  /// Whether the identity stands in front of the elements.
  [[nodiscard]] virtual bool prepends_identity() const noexcept = 0;

  [[nodiscard]] virtual ufunc::Loop choose(const call::Operands& operands, const ufunc::LoopOptions& options) const = 0;
  /// What was compiled for calls.
  [[nodiscard]] Plan& plan(const call::Operands& operands, const ufunc::LoopOptions& options) const;
  /// The kernel of a loop, but for operands in memory, layout and what a mask lets be computed.
  [[nodiscard]] virtual kinds::ReductionSpec spec_of(const ufunc::Loop& loop) const = 0;
  /// The kernel of a loop for a kind of device, but for what a mask lets be computed, which is found here.
  [[nodiscard]] virtual program::Request request(const ufunc::Loop& loop, kinds::ReductionSpec spec, DeviceKind kind) const = 0;
  /// For operands stored so: inputs, then outputs.
  [[nodiscard]] program::Request request(const ufunc::Loop& loop, std::span<const DType> storage, const ReductionClass& how,
                                         DeviceKind kind) const;
  /// The variant, compiled and loaded at the first call; where nobody can compile it, another that is right for the call.
  const ufunc::Variant<ReductionClass>& variant(Plan& plan, const ReductionClass& how, const call::Operands& operands) const;
  /// Tells the recorder of a call, once. `forced`: its loop is not the one that the dtypes choose, or was made for them.
  virtual void report(ufunc::Recorder& recorder, Plan& plan, bool forced, call::Description call) const = 0;

 protected:
  ufunc::Method method_;
};

/// Inputs and outputs as stored, without the mask.
[[nodiscard]] std::vector<DType> storage_of(const call::Operands& operands);

/// For arrays of the loop's dtypes, one long axis of which is reduced.
[[nodiscard]] ReductionClass usual_class(bool ordered);

}  // namespace kiln::reduce
