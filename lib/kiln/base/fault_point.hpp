// A seam for tests of what a crash or a fault between two steps leaves behind. Nothing outside tests sets it.
#pragma once

#include <atomic>
#include <initializer_list>

namespace kiln::base {

/// Gets the name of the step that was just done, in the thread that did it; may end the process, must not throw.
using FaultHook = void (*)(const char* step);

/// Null but in tests that link the library's objects: the shared library does not export it.
inline constinit std::atomic<FaultHook> fault_hook{nullptr};

/// Marks a step as done. One relaxed load where nobody listens.
inline void fault_point(const char* step) {
  if (const FaultHook hook = fault_hook.load(std::memory_order_relaxed)) hook(step);
}

/// Every step that calls fault_point(), in the order of the code: a folder made; a file published; the estimate of the cache's
/// size; a flight; a damaged entry set aside; a sweep; an entry stored.
inline constexpr std::initializer_list<const char*> kFaultPoints = {
    "mkdir",
    "publish:created",
    "publish:opened",
    "publish:half-written",
    "publish:written",
    "publish:synced",
    "publish:closed",
    "publish:renamed",
    "publish:directory-synced",
    "usage:opened",
    "usage:locked",
    "usage:written",
    "usage:truncated",
    "usage:unlocked",
    "flight:opened",
    "flight:locked",
    "flight:removed",
    "flight:unlocked",
    "set-aside:folder",
    "set-aside:renamed",
    "sweep:locked",
    "sweep:listed",
    "sweep:removed",
    "sweep:counted",
    "sweep:unlocked",
    "put:counted",
    "put:published",
    "put:swept",
    "stamped",
};

}  // namespace kiln::base
