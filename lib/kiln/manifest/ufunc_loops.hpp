// Which loops of a ufunc a manifest without calls means: "types", "loops", or what the signatures fix.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <vector>

#include "manifest/entry.hpp"
#include "manifest/node.hpp"
#include "signature/signature.hpp"
#include "ufunc/loops.hpp"

namespace kiln::manifest {

/// `node` is the kernel. Fails where a type variable is left open, and beyond kMaxLoops.
[[nodiscard]] std::vector<ufunc::Loop> read_loops(const Node& node, std::span<const signature::TypeSignature> signatures);

/// Reads what a kernel is compiled for: its "calls", each by read_call(), or the loops that are meant, each by add_loop().
/// `instead`: the members that "calls" make needless.
void read_uses(const Node& node, std::span<const signature::TypeSignature> signatures,
               std::initializer_list<const char*> instead, Entry& entry, const std::function<Json(const Node&)>& read_call,
               const std::function<void(const ufunc::Loop&)>& add_loop);

/// A few restricted type variables make any number of combinations.
inline constexpr std::size_t kMaxLoops = 4096;

}  // namespace kiln::manifest
