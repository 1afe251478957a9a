// Whether a definition's identity is one, tried on a handful of values.
#pragma once

#include "kiln/dtype.hpp"
#include "ufunc/impl.hpp"

namespace kiln::reduce {

/// With KILN_DEBUG=1 computes f(identity, x) on the CPU for values x that f gives, as reduce does for that dtype: TypeError
/// with the first x for which it is not x. Else, and in a build without the CPU, does nothing.
void probe_identity(const detail::UfuncImpl& ufunc, DType dtype);

}  // namespace kiln::reduce
