// The process of a worker: compiles for another process, which goes on where this one crashes.
#pragma once

namespace kiln::clang_module {

/// Whether this process is a worker's: serve() has begun.
[[nodiscard]] bool serving() noexcept;

/// kiln_clang_api's.
void serve(int socket);

/// Of a worker: answers the question that is being worked on with this, and ends the process. From any thread, also in a
/// signal's handler.
[[noreturn]] void end_service(int status, const char* error) noexcept;

}  // namespace kiln::clang_module
