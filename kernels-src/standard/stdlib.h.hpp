// <stdlib.h>: abs stands in math/math.hpp, labs and llabs in math/c_names.hpp.
#pragma once
