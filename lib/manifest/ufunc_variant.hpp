// One variant of a ufunc's loop as a manifest writes it: {"loop": "float32, float32 -> float32", "operands": [...], …}.
#pragma once

#include <span>
#include <vector>

#include "manifest/node.hpp"
#include "signature/signature.hpp"
#include "ufunc/recorder.hpp"

namespace kiln::manifest {

struct UfuncVariant {
  ufunc::Loop loop;
  std::vector<DType> storage;  ///< inputs, then outputs
  ufunc::LayoutClass layout;
  ufunc::Processors processors = ufunc::Processors::all;
};

/// "float32, float32 -> float32".
[[nodiscard]] std::string loop_text(const ufunc::Loop& loop);
/// The loop of that text; fails where the signatures have none.
[[nodiscard]] ufunc::Loop read_loop(const Node& node, std::span<const signature::TypeSignature> signatures);

[[nodiscard]] UfuncVariant read_variant(const Node& node, std::span<const signature::TypeSignature> signatures);
[[nodiscard]] Json variant_json(const ufunc::Loop& loop, std::span<const DType> storage, const ufunc::LayoutClass& layout,
                                ufunc::Processors processors);

}  // namespace kiln::manifest
