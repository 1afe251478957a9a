// The ufunc that gives its elements as they are.
#pragma once

#include "kiln/ufunc.hpp"

namespace kiln::ufunc {

/// T(T x) of every dtype, which copies on a call's stream: into another layout, or into another dtype where the call's options
/// say so.
const Ufunc& assignment();

}  // namespace kiln::ufunc
