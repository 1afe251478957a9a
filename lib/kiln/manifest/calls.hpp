// The calls of a kernel that a manifest names: {"inputs": ["float32[1000, 8]", "float32"]}.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "call/description.hpp"
#include "manifest/entry.hpp"
#include "manifest/node.hpp"
#include "signature/signature.hpp"
#include "ufunc/loops.hpp"

namespace kiln::manifest {

/// A call for a kind of device; without `render` it is checked alone. Throws what the call would.
using Plan = std::function<program::Planned(const call::Description& call, DeviceKind kind, bool render)>;

/// Adds the units of calls to an entry.
class Calls {
 public:
  Calls(Entry& entry, std::string kernel, Plan plan) : entry_(entry), kernel_(std::move(kernel)), plan_(std::move(plan)) {}

  /// Fails at `node` where it is no call of the kernel. `on_cpu`: CPUs have a kernel of their own for it.
  void add(const Node& node, const call::Description& call, bool on_cpu = true);
  /// Reads an element of "calls", which has no members but these, and gives its canonical JSON.
  enum class AxisOf : std::uint8_t { one, several };
  Json read(const Node& node, std::initializer_list<std::string_view> members, AxisOf axis_of = AxisOf::one);

 private:
  Entry& entry_;
  const std::string kernel_;
  const Plan plan_;
};

/// What Calls::read() reads.
[[nodiscard]] Json call_json(const call::Description& call);

/// The loop of a text "float32, float32 -> float32"; fails where the signatures have none.
[[nodiscard]] ufunc::Loop read_loop(const Node& node, std::span<const signature::TypeSignature> signatures);

}  // namespace kiln::manifest
