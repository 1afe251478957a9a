// libkiln-clang.so of a process under QEMU: a server on the machine itself compiles (serve.cpp).
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "clang/driver/messages.hpp"
#include "server.hpp"

namespace kiln::test {
namespace {

/// A connection for each question: what forks meanwhile has nothing of it.
class Connection {
 public:
  Connection() : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (socket_ < 0) throw std::runtime_error(std::string("no socket: ") + std::strerror(errno));
    const char* const path = std::getenv(kClangServer);
    if (path == nullptr) throw std::runtime_error(std::string(kClangServer) + " is not set: run this by kiln-clang-server");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      throw std::runtime_error(std::string("no server at ") + path + ": " + std::strerror(errno));
    }
  }
  ~Connection() { ::close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  std::string ask(const std::string& question) {
    std::string answer;
    if (!clang_messages::send_message(socket_, question) || !clang_messages::receive_message(socket_, answer)) {
      throw std::runtime_error("the server is gone");
    }
    return answer;
  }

 private:
  int socket_;
};

const kiln_clang_result* ask(const std::string& question) {
  try {
    return clang_messages::read_answer(Connection().ask(question));
  } catch (const std::exception& error) {
    std::string bytes(1024, '\0');
    const std::string why = std::string("kiln-clang-server: ") + error.what();
    bytes.resize(clang_messages::write_failure(bytes, KILN_CLANG_FAILED, why, {}));
    return clang_messages::read_answer(std::move(bytes));
  }
}

const kiln_clang_result* compile(const kiln_clang_request* request) {
  return ask(clang_messages::compile_question(*request));
}

const kiln_clang_result* disassemble(const kiln_clang_machine_code* code) {
  return ask(clang_messages::disassemble_question(*code));
}

const kiln_clang_result* locate(const kiln_clang_text* code, std::uint64_t address) {
  return ask(clang_messages::locate_question(*code, address));
}

constexpr kiln_clang_api kApi{.interface_version = KILN_CLANG_INTERFACE,
                              .version = KILN_CLANG_VERSION,
                              .compile = compile,
                              .disassemble = disassemble,
                              .locate = locate,
                              .release = clang_messages::release_answer,
                              .serve = nullptr};

}  // namespace
}  // namespace kiln::test

__attribute__((visibility("default"))) const kiln_clang_api* kiln_clang(uint32_t interface_version) {
  return interface_version == KILN_CLANG_INTERFACE ? &kiln::test::kApi : nullptr;
}
