// kiln-clang-server MODULE COMMAND [ARGUMENT]…: runs the command, and meanwhile compiles what libkiln-clang.so in it
// (forward.cpp) asks for, by the module that makes AArch64's code. Ends as the command ends.
#include <dlfcn.h>
#include <sys/prctl.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <thread>

#include "messages.hpp"

namespace {

using kiln::test::Ask;
using kiln::test::Reader;
using kiln::test::Writer;

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

std::vector<kiln_clang_file> read_files(Reader& reader) {
  return reader.list([&] {
    kiln_clang_file file{};
    file.name = reader.text();
    file.text = reader.text();
    return file;
  });
}

const kiln_clang_result* compile(const kiln_clang_api& api, Reader& reader) {
  kiln_clang_request request{};
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

const kiln_clang_result* answer(const kiln_clang_api& api, Reader& reader) {
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

Writer written(const kiln_clang_result& result) {
  Writer writer;
  writer.number(static_cast<std::uint64_t>(result.status));
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
  for (std::size_t i = 0; i < result.diagnostic_count; ++i) {
    const kiln_clang_diagnostic& found = result.diagnostics[i];
    writer.number(static_cast<std::uint64_t>(found.severity));
    writer.number(static_cast<std::uint64_t>(found.line));
    writer.number(static_cast<std::uint64_t>(found.column));
    writer.text(found.file);
    writer.text(found.text);
    writer.text(found.source_line);
  }
  writer.number(result.undefined_count);
  for (std::size_t i = 0; i < result.undefined_count; ++i) writer.text(result.undefined[i]);
  writer.text(result.log);
  writer.text(result.error);
  return writer;
}

void serve(const kiln_clang_api& api, int connection) {
  try {
    const std::string question = kiln::test::receive_message(connection);
    Reader reader(question);
    const auto release = [&](const kiln_clang_result* result) { api.release(result); };
    const std::unique_ptr<const kiln_clang_result, decltype(release)> result(answer(api, reader), release);
    kiln::test::send_message(connection, written(*result));
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
