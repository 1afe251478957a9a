// What threads of a block share, on the CPU, whose blocks have one thread: variables of its own, and a barrier that it passes.
#pragma once
#include "kiln/core/shared_memory.hpp"
#include "kiln/raw/cpu.hpp"

namespace kiln {

KILN_FN void barrier() {}
KILN_FN void sync() {}

}  // namespace kiln

#define KILN_SHARED
// Of the body alone: it is handed to it.
#define KILN_DYNAMIC_SHARED(type) static_cast<type*>(kiln_dynamic_shared)
