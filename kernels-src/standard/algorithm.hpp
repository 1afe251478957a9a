// <algorithm>: min, max and clamp stand in math/math.hpp, minmax in core/utility.hpp.
#pragma once
