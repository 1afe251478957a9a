// <bit>: what stands in core/bit.hpp, bit_cast in core/types.hpp, popcount in math/c_names.hpp.
#pragma once
