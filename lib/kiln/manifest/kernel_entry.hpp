// The kind "kernel": a raw kernel, and which of its forms and dtypes are compiled.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "kiln/kernel.hpp"
#include "manifest/definition.hpp"
#include "manifest/entry.hpp"
#include "ufunc/recorder.hpp"

namespace kiln::manifest {

[[nodiscard]] Entry read_kernel(const Node& node, const std::string& folder);

/// The definition, beside which there may be `uses`. Fails for what kernel() refuses.
[[nodiscard]] Made<detail::RawKernelImpl> read_kernel_definition(const Node& node, const std::string& folder, Others uses = {});
/// An element of its "calls".
[[nodiscard]] Json kernel_call_json(const ufunc::RawUse& use);

}  // namespace kiln::manifest
