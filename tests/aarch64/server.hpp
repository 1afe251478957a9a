// Where the stand-in for libkiln-clang.so finds its server.
#pragma once

namespace kiln::test {

/// The variable with the path of the server's socket.
inline constexpr const char* kClangServer = "KILN_CLANG_SERVER";

}  // namespace kiln::test
