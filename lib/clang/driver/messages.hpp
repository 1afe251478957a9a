// The calls of interface.h as bytes between two processes of one machine: questions, answers, and how they are sent.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clang/interface.h"

namespace kiln::clang_messages {

class Writer {
 public:
  void number(std::uint64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void text(const kiln_clang_text& text);
  /// With its zero, so that the reader has one; or null.
  void c_string(const char* text) { this->text({text, text == nullptr ? 0 : std::strlen(text) + 1}); }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Its texts point into the bytes. A message that is cut off is a std::runtime_error.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t number();
  kiln_clang_text text();
  const char* c_string();
  /// As many as the number before them.
  template <class Each>
  auto list(Each each) {
    std::vector<decltype(each())> all;
    for (std::uint64_t left = number(); left > 0; --left) all.push_back(each());
    return all;
  }

 private:
  std::string_view take(std::uint64_t size);

  std::string_view bytes_;
};

/// What a worker says first: the version of its module, "19.1.7+47", or why it has none, and its number.
struct Greeting {
  std::string version;
  std::string problem;
  std::int32_t process = 0;
};
[[nodiscard]] std::string greeting_bytes(const Greeting& greeting);
[[nodiscard]] Greeting read_greeting(std::string_view bytes);

/// The calls of kiln_clang_api as questions.
[[nodiscard]] std::string compile_question(const kiln_clang_request& request);
[[nodiscard]] std::string disassemble_question(const kiln_clang_machine_code& code);
[[nodiscard]] std::string locate_question(const kiln_clang_text& code, std::uint64_t address);

/// Calls the function that the question names. The result refers to nothing of the question.
[[nodiscard]] const kiln_clang_result* call(const kiln_clang_api& api, std::string_view question);
/// Of a question; zeros for one that has none.
struct Limits {
  std::int64_t milliseconds = 0;  ///< of the processor's time
  std::int64_t seconds = 600;     ///< by the clock: ends what waits for ever
  std::uint64_t bytes = 0;
};
[[nodiscard]] Limits limits_of(std::string_view question);

[[nodiscard]] std::string answer_bytes(const kiln_clang_result& result);
/// The answer of no module's, cut to the room there is; its size. Allocates nothing.
[[nodiscard]] std::size_t write_failure(std::span<char> into, int status, std::string_view error,
                                        std::string_view log) noexcept;
/// To be released by release_answer().
[[nodiscard]] const kiln_clang_result* read_answer(std::string bytes);
void release_answer(const kiln_clang_result* result);

/// A message is its length and its bytes. False where the other side is gone.
bool send_message(int socket, std::string_view message) noexcept;
bool receive_message(int socket, std::string& message);

}  // namespace kiln::clang_messages
