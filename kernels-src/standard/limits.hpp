// <limits>: std::numeric_limits stands in core/limits.hpp.
#pragma once
