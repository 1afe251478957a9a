// C calls on packed host memory, which are made without the descriptions that other calls need.
#pragma once

#include "c/call.hpp"

namespace kiln::c {

/// Runs a call without options. Returns false, with nothing done, unless its operands are packed host memory of one shape, or
/// scalars, and the kernel is known.
[[nodiscard]] bool run_packed(const Ufunc& f, const Call& call);

/// Does so with a call of KILN_REDUCE with no option but `axis` and `keepdims`, over all axes to an output of one element.
[[nodiscard]] bool reduce_packed(const Ufunc& f, const Call& call, const kiln_call_options& options);

}  // namespace kiln::c
