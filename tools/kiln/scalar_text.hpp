// Numbers as they are written on the command line, read as Python reads them.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "kiln/ufunc.hpp"

namespace kiln::tool {

using Scalar = std::variant<bool, std::int64_t, std::uint64_t, double, std::complex<double>>;

/// "true", "3", "0x10", "2.5", "-1e-3", "nan", "-inf", "2j", "1+2j"; nothing for any other text. An integer is an int64,
/// or a uint64 above that; UsageError where it does not fit either. A float beyond the range of float64 is infinite.
std::optional<Scalar> read_scalar(std::string_view text);

/// The weak scalar argument of a call.
Arg to_arg(const Scalar& scalar);

}  // namespace kiln::tool
