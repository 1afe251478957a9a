// What is to be done when the process ends.
#pragma once

#include <cstdlib>

namespace kiln::base {

/// As std::atexit, which does nothing in kiln's libraries: they register no destructors of static objects
/// (static_lifetime.cpp), and that is how std::atexit registers, too. `Handler` takes and gives nothing.
template <auto Handler>
void at_exit() {
  ::on_exit([](int, void*) { Handler(); }, nullptr);
}

}  // namespace kiln::base
