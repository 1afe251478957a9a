// <type_traits>: its traits stand in core/type_traits.hpp.
#pragma once
