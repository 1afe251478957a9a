// The kernel of a generalized ufunc that is compiled where no call says how its operands lie.
#pragma once

#include "gufunc/impl.hpp"
#include "kinds/spec.hpp"

namespace kiln::gufunc {

/// For packed operands of any size, none of which needs a cast.
[[nodiscard]] codegen::GufuncSpec plain_spec(const detail::GufuncImpl& gufunc, const ufunc::Loop& loop);

}  // namespace kiln::gufunc
