// <bit>: bit_cast stands in core/types.hpp, popcount in math/c_names.hpp.
#pragma once
