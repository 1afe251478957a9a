// The kinds of kernels: a line for each, with a folder of the name. render() turns a spec and the user's text into source.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "kernel/elementwise/spec.hpp"
#include "kernel/gufunc/spec.hpp"
#include "kernel/raw/spec.hpp"
#include "kernel/reduction/spec.hpp"
#include "kernel/scan/spec.hpp"
#include "kernel/scatter/spec.hpp"
#include "kiln/device.hpp"
#include "source/user_text.hpp"

namespace kiln::kinds {

/// The kinds of kernels around a user's operation. Each has overloads of the functions of kernel_text.hpp.
using KernelSpec = std::variant<ElementwiseSpec, ReductionSpec, ScanSpec, ScatterSpec, GufuncSpec, RawSpec>;

class IntegerDivisions;

/// The translation unit for that target: includes only the headers of kernels-src that the text needs, the user's text under
/// #line, with its divisions of integers defined, and one kernel named kiln_kernel with the parameters of
/// kernels-src/elementwise.hpp. Pure.
std::string render(const codegen::UserText& text, const KernelSpec& spec, DeviceKind target);
/// The same with the headers to include, from needed_headers(), and the divisions to define; without them the text as it is
/// written.
std::string render(const codegen::UserText& text, const KernelSpec& spec, DeviceKind target,
                   const std::vector<std::string>& headers, const IntegerDivisions& divisions);

}  // namespace kiln::kinds
