#include "clang/driver/messages.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <memory>
#include <stdexcept>
#include <utility>

namespace kiln::clang_messages {
namespace {

/// The functions of kiln_clang_api, the first number of a question.
enum class Ask : std::uint64_t { compile, disassemble, locate };

/// Behind a text, so that all begin where numbers may: LLVM reads no object that lies anywhere else.
constexpr std::uint64_t padding(std::uint64_t size) {
  return -size % sizeof(std::uint64_t);
}

/// What the caller sees of an answer, and what that points into.
struct Answer : kiln_clang_result {
  Answer() : kiln_clang_result{} {}
  std::string bytes;
  std::vector<kiln_clang_instruction> lines;
  std::vector<kiln_clang_diagnostic> found;
  std::vector<kiln_clang_text> missing;
};

void write_files(Writer& writer, const kiln_clang_file* files, std::size_t count) {
  writer.number(count);
  for (std::size_t i = 0; i < count; ++i) {
    writer.text(files[i].name);
    writer.text(files[i].text);
  }
}

std::vector<kiln_clang_file> read_files(Reader& reader) {
  return reader.list([&] {
    kiln_clang_file file{};
    file.name = reader.text();
    file.text = reader.text();
    return file;
  });
}

Limits read_limits(Reader& reader) {
  Limits limits;
  limits.milliseconds = static_cast<std::int64_t>(reader.number());
  // Ten times as much, since the machine may be busy.
  limits.seconds = limits.milliseconds == 0 ? 0 : std::max(limits.seconds, limits.milliseconds / 100);
  limits.bytes = reader.number();
  return limits;
}

const kiln_clang_result* compile(const kiln_clang_api& api, Reader& reader) {
  const Limits limits = read_limits(reader);
  kiln_clang_request request{};
  request.time_limit_ms = limits.milliseconds;
  request.memory_limit = limits.bytes;
  request.form = static_cast<std::int32_t>(reader.number());
  request.source = reader.text();
  const auto headers = read_files(reader);
  const auto arguments = reader.list([&] { return reader.c_string(); });
  const auto objects = reader.list([&] {
    kiln_clang_object object{};
    object.name = reader.text();
    object.bytes = reader.text();
    object.path = reader.c_string();
    object.lazy = static_cast<std::int32_t>(reader.number());
    return object;
  });
  const auto bitcode = read_files(reader);
  request.debugs = reader.text();
  request.headers = headers.data();
  request.header_count = headers.size();
  request.arguments = arguments.data();
  request.argument_count = arguments.size();
  request.objects = objects.data();
  request.object_count = objects.size();
  request.bitcode = bitcode.data();
  request.bitcode_count = bitcode.size();
  return api.compile(&request);
}

kiln_clang_text text(std::string_view from) {
  return {from.data(), from.size()};
}

void write_diagnostic(Writer& writer, const kiln_clang_diagnostic& found) {
  writer.number(static_cast<std::uint64_t>(found.severity));
  writer.number(static_cast<std::uint64_t>(found.line));
  writer.number(static_cast<std::uint64_t>(found.column));
  writer.text(found.file);
  writer.text(found.text);
  writer.text(found.source_line);
}

kiln_clang_diagnostic read_diagnostic(Reader& reader) {
  kiln_clang_diagnostic found{};
  found.severity = static_cast<std::int32_t>(reader.number());
  found.line = static_cast<std::int32_t>(reader.number());
  found.column = static_cast<std::int32_t>(reader.number());
  found.file = reader.text();
  found.text = reader.text();
  found.source_line = reader.text();
  return found;
}

/// One that is not known is a zero.
void write_report(Writer& writer, const kiln_clang_report& report) {
  writer.number(report.known == 0 ? 0 : 1);
  if (report.known == 0) return;
  for (const std::int64_t value : {report.vector_bits, report.spills, report.stack_bytes}) {
    writer.number(static_cast<std::uint64_t>(value));
  }
  write_diagnostic(writer, report.scalar_because);
}

kiln_clang_report read_report(Reader& reader) {
  kiln_clang_report report{};
  report.known = reader.number() == 0 ? 0 : 1;
  if (report.known == 0) return report;
  for (std::int64_t* const value : {&report.vector_bits, &report.spills, &report.stack_bytes}) {
    *value = static_cast<std::int64_t>(reader.number());
  }
  report.scalar_because = read_diagnostic(reader);
  return report;
}

}  // namespace

void Writer::text(const kiln_clang_text& text) {
  number(text.size);
  if (text.size > 0) bytes_.append(text.data, text.size);
  bytes_.append(padding(text.size), '\0');
}

std::uint64_t Reader::number() {
  std::uint64_t value = 0;
  take(sizeof value).copy(reinterpret_cast<char*>(&value), sizeof value);
  return value;
}

kiln_clang_text Reader::text() {
  const std::uint64_t size = number();
  const std::string_view taken = take(size + padding(size));
  return {taken.data(), size};  // NOLINT(bugprone-suspicious-stringview-data-usage): the size is beside it
}

const char* Reader::c_string() {
  const kiln_clang_text text = this->text();
  return text.size == 0 ? nullptr : text.data;
}

std::string_view Reader::take(std::uint64_t size) {
  if (size > bytes_.size()) throw std::runtime_error("the message is cut off");
  const std::string_view taken = bytes_.substr(0, size);
  bytes_.remove_prefix(size);
  return taken;
}

std::string greeting_bytes(const Greeting& greeting) {
  Writer writer;
  writer.text(text(greeting.version));
  writer.text(text(greeting.problem));
  writer.number(static_cast<std::uint64_t>(greeting.process));
  return writer.bytes();
}

Greeting read_greeting(std::string_view bytes) {
  Reader reader(bytes);
  const auto string = [&] {
    const kiln_clang_text text = reader.text();
    return std::string(text.data, text.size);
  };
  Greeting greeting;
  greeting.version = string();
  greeting.problem = string();
  greeting.process = static_cast<std::int32_t>(reader.number());
  return greeting;
}

std::string compile_question(const kiln_clang_request& request) {
  Writer question;
  question.number(static_cast<std::uint64_t>(Ask::compile));
  question.number(static_cast<std::uint64_t>(request.time_limit_ms));
  question.number(request.memory_limit);
  question.number(static_cast<std::uint64_t>(request.form));
  question.text(request.source);
  write_files(question, request.headers, request.header_count);
  question.number(request.argument_count);
  for (std::size_t i = 0; i < request.argument_count; ++i) question.c_string(request.arguments[i]);
  question.number(request.object_count);
  for (std::size_t i = 0; i < request.object_count; ++i) {
    const kiln_clang_object& object = request.objects[i];
    question.text(object.name);
    question.text(object.bytes);
    question.c_string(object.path);
    question.number(static_cast<std::uint64_t>(object.lazy));
  }
  write_files(question, request.bitcode, request.bitcode_count);
  question.text(request.debugs);
  return question.bytes();
}

std::string disassemble_question(const kiln_clang_machine_code& code) {
  Writer question;
  question.number(static_cast<std::uint64_t>(Ask::disassemble));
  question.c_string(code.triple);
  question.c_string(code.processor);
  question.c_string(code.features);
  question.text(code.bytes);
  question.number(code.address);
  return question.bytes();
}

std::string locate_question(const kiln_clang_text& code, std::uint64_t address) {
  Writer question;
  question.number(static_cast<std::uint64_t>(Ask::locate));
  question.text(code);
  question.number(address);
  return question.bytes();
}

const kiln_clang_result* call(const kiln_clang_api& api, std::string_view question) {
  Reader reader(question);
  const auto what = static_cast<Ask>(reader.number());
  if (what == Ask::compile) return compile(api, reader);
  if (what == Ask::locate) {
    const kiln_clang_text code = reader.text();
    return api.locate(&code, reader.number());
  }
  kiln_clang_machine_code code{};
  code.triple = reader.c_string();
  code.processor = reader.c_string();
  code.features = reader.c_string();
  code.bytes = reader.text();
  code.address = reader.number();
  return api.disassemble(&code);
}

Limits limits_of(std::string_view question) {
  Reader reader(question);
  return static_cast<Ask>(reader.number()) == Ask::compile ? read_limits(reader) : Limits();
}

std::string answer_bytes(const kiln_clang_result& result) {
  Writer writer;
  writer.number(static_cast<std::uint64_t>(result.status));
  writer.text(result.error);
  writer.text(result.log);
  writer.text(result.code);
  writer.number(result.instruction_count);
  for (std::size_t i = 0; i < result.instruction_count; ++i) {
    const kiln_clang_instruction& line = result.instructions[i];
    writer.number(line.address);
    writer.number(line.target);
    writer.number(line.size);
    writer.text(line.text);
  }
  writer.number(result.diagnostic_count);
  for (std::size_t i = 0; i < result.diagnostic_count; ++i) write_diagnostic(writer, result.diagnostics[i]);
  writer.number(result.undefined_count);
  for (std::size_t i = 0; i < result.undefined_count; ++i) writer.text(result.undefined[i]);
  write_report(writer, result.report);
  for (const double ms : {result.front_end_ms, result.passes_ms, result.code_ms, result.link_ms}) {
    writer.number(std::bit_cast<std::uint64_t>(ms));
  }
  return writer.bytes();
}

std::size_t write_failure(std::span<char> into, int status, std::string_view error, std::string_view log) noexcept {
  constexpr int kZeros = 9;                                               // no code, three empty lists, no report, four times
  constexpr std::size_t kNumbers = (3 + kZeros) * sizeof(std::uint64_t);  // with the status and the sizes of two texts
  std::size_t at = 0;
  const auto number = [&](std::uint64_t value) {
    std::memcpy(into.data() + at, &value, sizeof value);
    at += sizeof value;
  };
  std::size_t room = into.size() < kNumbers ? 0 : into.size() - kNumbers;
  const auto text = [&](std::string_view whole) {
    const std::string_view part = whole.substr(0, room / sizeof(std::uint64_t) * sizeof(std::uint64_t));
    number(part.size());
    part.copy(into.data() + at, part.size());
    at += part.size() + padding(part.size());
    room -= part.size() + padding(part.size());
  };
  if (into.size() < kNumbers) return 0;
  number(static_cast<std::uint64_t>(status));
  text(error);
  text(log);
  for (int nothing = 0; nothing < kZeros; ++nothing) number(0);
  return at;
}

const kiln_clang_result* read_answer(std::string bytes) {
  auto answer = std::make_unique<Answer>();
  answer->bytes = std::move(bytes);
  Reader reader(answer->bytes);
  answer->status = static_cast<std::int32_t>(reader.number());
  answer->error = reader.text();
  answer->log = reader.text();
  answer->code = reader.text();
  answer->lines = reader.list([&] {
    kiln_clang_instruction line{};
    line.address = reader.number();
    line.target = reader.number();
    line.size = static_cast<std::uint32_t>(reader.number());
    line.text = reader.text();
    return line;
  });
  answer->found = reader.list([&] { return read_diagnostic(reader); });
  answer->missing = reader.list([&] { return reader.text(); });
  answer->report = read_report(reader);
  for (double* const ms : {&answer->front_end_ms, &answer->passes_ms, &answer->code_ms, &answer->link_ms}) {
    *ms = std::bit_cast<double>(reader.number());
  }
  answer->instructions = answer->lines.data();
  answer->instruction_count = answer->lines.size();
  answer->diagnostics = answer->found.data();
  answer->diagnostic_count = answer->found.size();
  answer->undefined = answer->missing.data();
  answer->undefined_count = answer->missing.size();
  return answer.release();
}

void release_answer(const kiln_clang_result* result) {
  delete static_cast<const Answer*>(result);
}

bool send_message(int socket, std::string_view message) noexcept {
  const std::uint64_t size = message.size();
  for (std::string_view part : {std::string_view(reinterpret_cast<const char*>(&size), sizeof size), message}) {
    while (!part.empty()) {
      const ssize_t done = ::send(socket, part.data(), part.size(), MSG_NOSIGNAL);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) return false;
      part.remove_prefix(static_cast<std::size_t>(done));
    }
  }
  return true;
}

namespace {

bool receive(int socket, char* to, std::size_t size) {
  while (size > 0) {
    const ssize_t done = ::recv(socket, to, size, 0);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    to += done;
    size -= static_cast<std::size_t>(done);
  }
  return true;
}

}  // namespace

bool receive_message(int socket, std::string& message) {
  std::uint64_t size = 0;
  if (!receive(socket, reinterpret_cast<char*>(&size), sizeof size)) return false;
  message.resize(size);
  return receive(socket, message.data(), size);
}

}  // namespace kiln::clang_messages
