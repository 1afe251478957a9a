// The plans of calls: the loop that a combination of types runs, and the kernels that were compiled for it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autotune/tuned.hpp"
#include "base/table.hpp"
#include "call/description.hpp"
#include "call/operands.hpp"
#include "call/variant_table.hpp"
#include "device/backend.hpp"
#include "kiln/device.hpp"
#include "program/program.hpp"
#include "ufunc/loops.hpp"
#include "ufunc/recorder.hpp"

namespace kiln::ufunc {

/// The options of a call that choose its loop.
struct LoopOptions {
  Casting casting = Casting::same_kind;
  std::optional<DType> dtype = std::nullopt;
  std::string_view signature = {};

  /// Returns true if the loop may be another one than the dtypes of the arguments choose.
  [[nodiscard]] bool force() const noexcept { return dtype || !signature.empty() || casting != Casting::same_kind; }
};

/// Dtypes and weakness of the inputs, dtypes of the given outputs, casting, forced dtype and the method, a byte each.
struct PlanKey {
  std::array<std::uint8_t, 40> bytes{};
  std::uint8_t length = 0;
  std::string signature;  ///< forced signature; usually empty
  static constexpr std::uint8_t kNoDType = 0xff;

  explicit PlanKey(Method method) { add(static_cast<std::uint8_t>(method)); }
  PlanKey(const call::Operands& operands, const LoopOptions& options, Method method = Method::reduce)
      : signature(options.signature) {
    add(static_cast<std::uint8_t>(method));
    for (std::size_t k = 0; k < operands.nin(); ++k) {
      const call::Operand& operand = operands.all()[k];
      if (operand.scalar != nullptr) {
        add(static_cast<std::uint8_t>(static_cast<unsigned>(operand.scalar->dtype()) | 0x80U));
      } else {
        add(operand.rep->dtype);
      }
    }
    for (std::size_t k = operands.inputs(); k < operands.count(); ++k) {
      operands.rep(k) != nullptr ? add(operands.rep(k)->dtype) : add(kNoDType);
    }
    add(static_cast<std::uint8_t>(options.casting));
    options.dtype ? add(*options.dtype) : add(kNoDType);
  }
  void add(std::uint8_t byte) noexcept { bytes[length++] = byte; }
  void add(DType dtype) noexcept { add(static_cast<std::uint8_t>(dtype)); }

  friend bool operator==(const PlanKey&, const PlanKey&) = default;
  [[nodiscard]] std::uint64_t hash() const noexcept {
    base::KeyHash hash;
    // Bytes behind the length are 0.
    for (std::size_t at = 0; at < length; at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, sizeof word);
      hash.add(word);
    }
    return signature.empty() ? hash.value() : hash.add_bytes(signature.data(), signature.size()).value();
  }
};

/// Returns the inputs, for the choice of a loop.
[[nodiscard]] inline std::vector<Argument> arguments_of(const call::Operands& operands) {
  std::vector<Argument> arguments;
  for (const call::Operand& operand : operands.all().first(operands.nin())) {
    const bool weak = operand.scalar != nullptr;
    arguments.push_back({weak ? operand.scalar->dtype() : operand.rep->dtype, weak});
  }
  return arguments;
}

[[nodiscard]] inline call::Types types_of(const Loop& loop) noexcept {
  return {loop.inputs, loop.outputs, loop.text, loop.narrowed};
}

/// Returns the plan of a call for a kind of device; without `render` the call is checked alone. Passes `how` to its requests().
/// Throws the exceptions of the call.
template <class Call, class... How>
[[nodiscard]] program::Planned planned(Call&& call, DeviceKind kind, bool render, How... how) {
  program::Planned made{call.plan(Device::of_kind(kind)).text};
  if (!render) return made;
  made.requests = call.requests(how...);
  return made;
}

/// One compiled kernel, and the fields of its spec that a launch uses.
template <class Class>
struct Variant {
  std::shared_ptr<backend::Module> module;
  Class layout = {};  ///< layout that it was compiled for: the call's own, or one whose kernel is correct for the call, too
  int width = 1;
  int unroll = 1;
  std::int64_t state_bytes = 0;
  std::unique_ptr<autotune::Tuned> tuned = nullptr;  ///< launch shapes of a GPU's kernel whose shape is free; null for others
};

/// The loop of a combination of types, with its kernels by device and `Class`: the part of a layout that decides kernels.
template <class Class>
struct Plan {
  Loop loop;
  call::VariantTable<Class, Variant<Class>> variants = {};
  call::Reported reported = {};                            ///< reports to the recorder
  base::Table<call::ConstantKey, Plan> of_constants = {};  ///< plans of the same loop, with values of its constants
};

/// Number and dtypes of a packed call's operands, and the number of the CPU device's threads.
struct PackedKey {
  std::uint64_t bits = 0;
  friend bool operator==(const PackedKey&, const PackedKey&) = default;
  [[nodiscard]] std::uint64_t hash() const noexcept { return base::KeyHash().add(bits).value(); }
};

/// The kernel of packed calls (ufunc/packed_call.hpp) of some dtypes. Its loop casts no array.
struct PackedKernel {
  const Loop* loop;
  const backend::Module* module;
  int rank;
};
using PackedKernels = base::Table<PackedKey, PackedKernel>;

template <class Class>
using Plans = base::Table<PlanKey, Plan<Class>>;

}  // namespace kiln::ufunc
