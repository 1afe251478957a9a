// The kind "kernel": a raw kernel, and which of its forms and dtypes are compiled.
#pragma once

#include <memory>
#include <string>

#include "kiln/kernel.hpp"
#include "manifest/definition.hpp"
#include "manifest/entry.hpp"
#include "ufunc/recorder.hpp"

namespace kiln::manifest {

[[nodiscard]] Entry read_kernel(const Node& node, const std::string& folder);

/// The definition, beside which there may be `uses`. Fails for what kernel() refuses.
[[nodiscard]] Made<detail::RawKernelImpl> read_kernel_definition(const Node& node, const std::string& folder, Others uses = {});
/// Reads an element of "calls" of a kernel, which may have `others` beside its members, and gives its canonical JSON.
[[nodiscard]] Json read_kernel_call(const Node& node, const std::shared_ptr<const detail::RawKernelImpl>& impl, Others others,
                                    Entry& entry);
/// Adds what the kernel runs for every dtype that its signature allows. Throws TypeError where that leaves one open.
void add_usual_units(const Node& node, const std::shared_ptr<const detail::RawKernelImpl>& impl, Entry& entry);
/// An element of its "calls".
[[nodiscard]] Json kernel_call_json(const ufunc::RawUse& use);

}  // namespace kiln::manifest
