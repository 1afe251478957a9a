// kiln-clang MODULE: a worker of libkiln's, which starts it with a socket as descriptor 3. Opens libkiln-clang.so and compiles.
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "clang/driver/messages.hpp"
#include "clang/interface.h"

namespace {

constexpr int kSocket = 3;

/// What the host program leaves open would stay open as long as this one lives.
void close_others() {
#ifdef SYS_close_range
  if (::syscall(SYS_close_range, kSocket + 1U, ~0U, 0U) == 0) return;
#endif
  for (int fd = kSocket + 1; fd < 4096; ++fd) ::close(fd);
}

/// Where memory runs out, the system ends this process and not the host program.
void be_ended_first() {
  if (std::FILE* const file = std::fopen("/proc/self/oom_score_adj", "w"); file != nullptr) {
    std::fputs("500", file);
    std::fclose(file);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "kiln-clang is started by libkiln.so when it compiles\n");
    return 2;
  }
  // No child of the host program, which may wait for all that it has.
  const pid_t child = ::fork();
  if (child != 0) _exit(child < 0 ? 1 : 0);
  ::setsid();
  close_others();
  be_ended_first();
  kiln::clang_messages::Greeting greeting;
  greeting.process = ::getpid();
  void* const module = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  const auto open = module == nullptr ? nullptr : reinterpret_cast<decltype(&kiln_clang)>(dlsym(module, KILN_CLANG_SYMBOL));
  const kiln_clang_api* const api = open == nullptr ? nullptr : open(KILN_CLANG_INTERFACE);
  if (module == nullptr) {
    greeting.problem = dlerror();
  } else if (api == nullptr) {
    greeting.problem = std::string(argv[1]) + " is of another build";
  } else {
    greeting.version = std::string(api->version) + "+" + std::to_string(api->interface_version);
  }
  if (!kiln::clang_messages::send_message(kSocket, greeting_bytes(greeting)) || api == nullptr) return 1;
  if (::chdir("/") != 0) return 1;
  api->serve(kSocket);
  return 0;
}
