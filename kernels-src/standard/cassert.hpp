// <cassert>: assert stands in core/assertions.hpp.
#pragma once
