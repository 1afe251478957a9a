// The kind "kernel": a raw kernel, and which of its forms and dtypes are compiled.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "kiln/kernel.hpp"
#include "manifest/entry.hpp"
#include "ufunc/recorder.hpp"

namespace kiln::manifest {

[[nodiscard]] Entry read_kernel(const Node& node, const std::string& folder);

/// A definition without what is compiled of it and defaults left out.
[[nodiscard]] Json kernel_json(const RawKernelDefinition& definition);
/// An element of its "calls".
[[nodiscard]] Json kernel_call_json(const ufunc::RawUse& use);

}  // namespace kiln::manifest
