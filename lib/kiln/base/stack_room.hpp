// The stack of the calling thread, which belongs to the host program and may be small.
#pragma once

#include <cstddef>

#include "base/function_ref.hpp"

namespace kiln::base {

/// Bytes between here and the end of the thread's stack; 0 on a stack that the system does not know, such as a coroutine's.
[[nodiscard]] std::size_t stack_room() noexcept;

/// Calls work here where the stack has that much room, else on a thread with a stack of its own, and waits for it. Throws what
/// work throws; std::system_error where there is no thread.
void with_stack(std::size_t bytes, FunctionRef<void()> work);

}  // namespace kiln::base
