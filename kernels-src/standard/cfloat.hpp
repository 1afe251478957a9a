// <cfloat>: constants stand in core/constants.hpp.
#pragma once
