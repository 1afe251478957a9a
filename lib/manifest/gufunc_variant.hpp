// One variant of a generalized ufunc's loop as a manifest writes it: {"loop": "float32 -> float32", "sizes": {"n": 8}, …}.
#pragma once

#include <string>

#include "gufunc/impl.hpp"
#include "kinds/spec.hpp"
#include "manifest/node.hpp"
#include "ufunc/recorder.hpp"

namespace kiln::manifest {

struct GufuncVariant {
  ufunc::Loop loop;
  codegen::GufuncSpec spec;  ///< as in gufunc::Use
  ufunc::Processors processors = ufunc::Processors::all;
};

/// For contiguous operands of any size, in the loop's dtypes.
[[nodiscard]] GufuncVariant plain_variant(const detail::GufuncImpl& gufunc, ufunc::Loop loop);
[[nodiscard]] GufuncVariant read_variant(const Node& node, const detail::GufuncImpl& gufunc);
[[nodiscard]] Json variant_json(const detail::GufuncImpl& gufunc, const GufuncVariant& variant);

}  // namespace kiln::manifest
