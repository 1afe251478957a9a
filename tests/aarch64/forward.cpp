// libkiln-clang.so of a process under QEMU: a server on the machine itself compiles (serve.cpp).
#include <sys/un.h>

#include <cstdlib>
#include <exception>
#include <utility>

#include "messages.hpp"

namespace kiln::test {
namespace {

/// What the caller sees of an answer, and what that points into.
struct Answer : kiln_clang_result {
  Answer() : kiln_clang_result{} {}
  std::string bytes;
  std::vector<kiln_clang_instruction> lines;
  std::vector<kiln_clang_diagnostic> found;
  std::vector<kiln_clang_text> missing;
};

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
  std::string ask(const Writer& question) {
    send_message(socket_, question);
    return receive_message(socket_);
  }

 private:
  int socket_;
};

void read_answer(Answer& answer) {
  Reader reader(answer.bytes);
  answer.status = static_cast<std::int32_t>(reader.number());
  answer.code = reader.text();
  answer.lines = reader.list([&] {
    kiln_clang_instruction line{};
    line.address = reader.number();
    line.target = reader.number();
    line.size = static_cast<std::uint32_t>(reader.number());
    line.text = reader.text();
    return line;
  });
  answer.found = reader.list([&] {
    kiln_clang_diagnostic found{};
    found.severity = static_cast<std::int32_t>(reader.number());
    found.line = static_cast<std::int32_t>(reader.number());
    found.column = static_cast<std::int32_t>(reader.number());
    found.file = reader.text();
    found.text = reader.text();
    found.source_line = reader.text();
    return found;
  });
  answer.missing = reader.list([&] { return reader.text(); });
  answer.log = reader.text();
  answer.error = reader.text();
  answer.instructions = answer.lines.data();
  answer.instruction_count = answer.lines.size();
  answer.diagnostics = answer.found.data();
  answer.diagnostic_count = answer.found.size();
  answer.undefined = answer.missing.data();
  answer.undefined_count = answer.missing.size();
}

const kiln_clang_result* ask(const Writer& question) {
  auto* const answer = new Answer;
  try {
    answer->bytes = Connection().ask(question);
    read_answer(*answer);
  } catch (const std::exception& error) {
    answer->bytes = std::string("kiln-clang-server: ") + error.what();
    answer->status = KILN_CLANG_FAILED;
    answer->error = {answer->bytes.data(), answer->bytes.size()};
  }
  return answer;
}

void write_files(Writer& writer, const kiln_clang_file* files, std::size_t count) {
  writer.number(count);
  for (std::size_t i = 0; i < count; ++i) {
    writer.text(files[i].name);
    writer.text(files[i].text);
  }
}

const kiln_clang_result* compile(const kiln_clang_request* request) {
  Writer question;
  question.number(static_cast<std::uint64_t>(Ask::compile));
  question.number(static_cast<std::uint64_t>(request->form));
  question.text(request->source);
  write_files(question, request->headers, request->header_count);
  question.number(request->argument_count);
  for (std::size_t i = 0; i < request->argument_count; ++i) question.c_string(request->arguments[i]);
  question.number(request->object_count);
  for (std::size_t i = 0; i < request->object_count; ++i) {
    const kiln_clang_object& object = request->objects[i];
    question.text(object.name);
    question.text(object.bytes);
    question.c_string(object.path);
    question.number(static_cast<std::uint64_t>(object.lazy));
  }
  write_files(question, request->bitcode, request->bitcode_count);
  question.text(request->debugs);
  return ask(question);
}

const kiln_clang_result* disassemble(const kiln_clang_machine_code* code) {
  Writer question;
  question.number(static_cast<std::uint64_t>(Ask::disassemble));
  question.c_string(code->triple);
  question.c_string(code->processor);
  question.c_string(code->features);
  question.text(code->bytes);
  question.number(code->address);
  return ask(question);
}

const kiln_clang_result* locate(const kiln_clang_text* code, std::uint64_t address) {
  Writer question;
  question.number(static_cast<std::uint64_t>(Ask::locate));
  question.text(*code);
  question.number(address);
  return ask(question);
}

void release(const kiln_clang_result* result) {
  delete static_cast<const Answer*>(result);
}

constexpr kiln_clang_api kApi{.interface_version = KILN_CLANG_INTERFACE,
                              .version = KILN_CLANG_VERSION,
                              .compile = compile,
                              .disassemble = disassemble,
                              .locate = locate,
                              .release = release};

}  // namespace
}  // namespace kiln::test

__attribute__((visibility("default"))) const kiln_clang_api* kiln_clang(uint32_t interface_version) {
  return interface_version == KILN_CLANG_INTERFACE ? &kiln::test::kApi : nullptr;
}
