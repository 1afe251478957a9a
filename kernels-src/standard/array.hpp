// <array>: std::array stands in core/array.hpp.
#pragma once
