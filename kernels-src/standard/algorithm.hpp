// <algorithm>: min, max and clamp stand in math/math.hpp.
#pragma once
