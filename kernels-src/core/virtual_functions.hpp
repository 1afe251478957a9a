// What the tables of virtual functions refer to where Clang compiles, as no library of C++'s is linked: nothing ever calls it.
#pragma once
#include "kiln/core/types.hpp"

#ifdef KILN_OF_CXX_LIBRARY
extern "C" KILN_OF_CXX_LIBRARY void __cxa_pure_virtual() {
  __builtin_trap();
}
// Of a virtual destructor.
KILN_OF_CXX_LIBRARY void operator delete(void*, kiln::size_t) noexcept {
  __builtin_trap();
}
#endif
