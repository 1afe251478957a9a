// What libkiln-clang.so is asked and answers (lib/backend/cpu/clang/interface.h), as bytes between two processes of one
// machine.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "backend/cpu/clang/interface.h"

namespace kiln::test {

/// The variable with the path of the server's socket.
inline constexpr const char* kClangServer = "KILN_CLANG_SERVER";

/// The functions of kiln_clang_api, the first number of a question.
enum class Ask : std::uint64_t { compile, disassemble, locate };

/// Behind a text, so that all begin where numbers may: LLVM reads no object that lies anywhere else.
constexpr std::uint64_t padding(std::uint64_t size) {
  return -size % sizeof(std::uint64_t);
}

class Writer {
 public:
  void number(std::uint64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void text(const kiln_clang_text& text) {
    number(text.size);
    if (text.size > 0) bytes_.append(text.data, text.size);
    bytes_.append(padding(text.size), '\0');
  }
  /// With its zero, so that the reader has one; or null.
  void c_string(const char* text) { this->text({text, text == nullptr ? 0 : std::strlen(text) + 1}); }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Its texts point into the bytes.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    take(sizeof value).copy(reinterpret_cast<char*>(&value), sizeof value);
    return value;
  }
  kiln_clang_text text() {
    const std::uint64_t size = number();
    const std::string_view taken = take(size + padding(size));
    return {taken.data(), size};  // NOLINT(bugprone-suspicious-stringview-data-usage): the size is beside it
  }
  const char* c_string() {
    const kiln_clang_text text = this->text();
    return text.size == 0 ? nullptr : text.data;
  }
  /// As many as the number before them.
  template <class Each>
  auto list(Each each) {
    std::vector<decltype(each())> all;
    for (std::uint64_t left = number(); left > 0; --left) all.push_back(each());
    return all;
  }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size()) throw std::runtime_error("the message is cut off");
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  std::string_view bytes_;
};

inline void send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) throw std::runtime_error(std::string("send: ") + std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

inline std::string receive_all(int socket, std::uint64_t size) {
  std::string bytes(size, '\0');
  for (std::size_t have = 0; have < size;) {
    const ssize_t done = ::recv(socket, bytes.data() + have, size - have, 0);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) throw std::runtime_error("the other process is gone");
    have += static_cast<std::size_t>(done);
  }
  return bytes;
}

/// A message is its length and its bytes.
inline void send_message(int socket, const Writer& message) {
  const std::uint64_t size = message.bytes().size();
  send_all(socket, {reinterpret_cast<const char*>(&size), sizeof size});
  send_all(socket, message.bytes());
}
inline std::string receive_message(int socket) {
  std::uint64_t size = 0;
  std::memcpy(&size, receive_all(socket, sizeof size).data(), sizeof size);
  return receive_all(socket, size);
}

}  // namespace kiln::test
