// kiln-clang-server MODULE COMMAND [ARGUMENT]…: runs the command, and meanwhile compiles what libkiln-clang.so in it
// (forward.cpp) asks for, by the module that makes AArch64's code. Ends as the command ends.
#include <dlfcn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "clang/driver/messages.hpp"
#include "server.hpp"

namespace {

namespace messages = kiln::clang_messages;

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "kiln-clang-server: %s\n", why.c_str());
  std::exit(126);
}

const kiln_clang_api& open_module(const char* path) {
  void* const module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) give_up(dlerror());
  const auto open = reinterpret_cast<decltype(&kiln_clang)>(dlsym(module, KILN_CLANG_SYMBOL));
  const kiln_clang_api* const api = open == nullptr ? nullptr : open(KILN_CLANG_INTERFACE);
  if (api == nullptr) give_up(std::string(path) + " has another interface");
  if (std::string_view(api->version) != KILN_CLANG_VERSION) give_up(std::string(path) + " is Clang " + api->version);
  return *api;
}

void serve(const kiln_clang_api& api, int connection) {
  try {
    std::string question;
    if (!messages::receive_message(connection, question)) throw std::runtime_error("a question is cut off");
    const std::unique_ptr<const kiln_clang_result, void (*)(const kiln_clang_result*)> result(messages::call(api, question),
                                                                                              api.release);
    messages::send_message(connection, messages::answer_bytes(*result));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kiln-clang-server: %s\n", error.what());
  }
  ::close(connection);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) give_up("usage: kiln-clang-server MODULE COMMAND [ARGUMENT]…");
  const kiln_clang_api& api = open_module(argv[1]);

  char folder[] = "/tmp/kiln-clang-XXXXXX";
  if (mkdtemp(folder) == nullptr) give_up("mkdtemp failed");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", folder);
  const int listening = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 || ::listen(listening, 64) != 0) {
    give_up(std::string("no socket: ") + std::strerror(errno));
  }
  ::setenv(kiln::test::kClangServer, address.sun_path, 1);

  const pid_t command = ::fork();
  if (command == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::execvp(argv[2], argv + 2);
    give_up(std::string(argv[2]) + ": " + std::strerror(errno));
  }
  std::thread([&] {
    while (true) {
      const int connection = ::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection >= 0) std::thread(serve, std::cref(api), connection).detach();
    }
  }).detach();
  int status = 0;
  ::waitpid(command, &status, 0);
  ::unlink(address.sun_path);
  ::rmdir(folder);
  _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}
