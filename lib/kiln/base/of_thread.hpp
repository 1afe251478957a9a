// A value of each thread's own that may be used until the thread is gone.
#pragma once

#include <memory>
#include <utility>

namespace kiln::base {

/// The calling thread's T, made at its first use. Handlers of atexit() run behind the destructors of thread_local objects: they
/// get another one, which stays. T is a type of the caller's own: there is one value of each type.
template <class T>
T& of_thread() {
  thread_local T* own = nullptr;
  struct Owner {
    ~Owner() { const std::unique_ptr<T> ended(std::exchange(own, nullptr)); }
  };
  if (own == nullptr) {
    thread_local const Owner owner;
    static_cast<void>(owner);
    own = std::make_unique<T>().release();
  }
  return *own;
}

}  // namespace kiln::base
