// <utility>: its functions and std::pair stand in core/utility.hpp.
#pragma once
