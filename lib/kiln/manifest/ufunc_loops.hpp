// Which loops of a ufunc a manifest without calls means: "types", "loops", or what the signatures fix.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "manifest/node.hpp"
#include "signature/signature.hpp"
#include "ufunc/loops.hpp"

namespace kiln::manifest {

/// The list "signatures". Fails where one cannot be read.
[[nodiscard]] std::vector<std::string> read_signatures(const Node& node);

/// `node` is the kernel. Fails where a type variable is left open, and beyond kMaxLoops.
[[nodiscard]] std::vector<ufunc::Loop> read_loops(const Node& node, std::span<const signature::TypeSignature> signatures);

/// A few restricted type variables make any number of combinations.
inline constexpr std::size_t kMaxLoops = 4096;

}  // namespace kiln::manifest
