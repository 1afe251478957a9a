// The call of a generalized ufunc that is compiled for where none is given.
#pragma once

#include "call/description.hpp"
#include "gufunc/impl.hpp"

namespace kiln::gufunc {

/// Of packed arrays in the loop's dtypes, with cores of sizes that are no constants of a kernel.
[[nodiscard]] call::Description usual_call(const detail::GufuncImpl& gufunc, const ufunc::Loop& loop);

/// A call for a kind of device; without `render` it is checked alone. Throws what the call would.
[[nodiscard]] program::Planned plan(const detail::GufuncImpl& gufunc, const call::Description& call, DeviceKind kind,
                                    bool render);

}  // namespace kiln::gufunc
