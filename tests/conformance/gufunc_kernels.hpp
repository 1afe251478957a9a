// The kernels of golden/gufuncs.txt as generalized ufuncs.
#pragma once

#include <kiln/gufunc.hpp>

#include <string>
#include <vector>

namespace conformance {

/// Every way in which the kernel of that name is written: with a body for a whole item, and spread by .each or .group where
/// that is possible. Throws std::out_of_range for an unknown name.
const std::vector<kiln::Gufunc>& golden_gufuncs(const std::string& name);

}  // namespace conformance
