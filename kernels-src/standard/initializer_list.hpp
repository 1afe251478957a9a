// <initializer_list>: std::initializer_list stands in core/initializer_list.hpp.
#pragma once
