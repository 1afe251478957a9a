// <cstddef>: its types stand in core/types.hpp and core/c_types.hpp.
#pragma once

#ifndef offsetof
#define offsetof(type, member) KILN_OFFSET_OF(type, member)
#endif
