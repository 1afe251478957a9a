// A kernel of a generalized ufunc that ran, as it is reported to ufunc::recorder().
#pragma once

#include "kinds/spec.hpp"
#include "ufunc/recorder.hpp"

namespace kiln::detail {
class GufuncImpl;
}

namespace kiln::gufunc {

struct Use {
  const detail::GufuncImpl& gufunc;
  const ufunc::Loop& loop;
  const codegen::GufuncSpec& spec;  ///< as a GPU's: which operands are scalars, the loop's rank (0 stays a CPU's) and index
  ufunc::Processors processors;
};

/// The spec of such a kernel for a kind of device: on a CPU scalars stand in memory, and loops have any rank.
[[nodiscard]] codegen::GufuncSpec spec_for(codegen::GufuncSpec spec, DeviceKind kind);

}  // namespace kiln::gufunc
