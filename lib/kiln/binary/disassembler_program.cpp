#include "binary/disassembler_program.hpp"

#include <stdlib.h>  // mkdtemp
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/process.hpp"
#include "kiln/error.hpp"

namespace kiln::backend::gpu {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> folders_of(const Dialect& dialect) {
  std::vector<std::string> folders;
  const auto add = [&folders](std::string folder) {
    // A relative folder would make the answer depend on where the process stands.
    if (folder.starts_with('/') && std::find(folders.begin(), folders.end(), folder) == folders.end()) {
      folders.push_back(std::move(folder));
    }
  };
  const std::string path = base::env("PATH").value_or("");
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    add(path.substr(at, end - at));
    at = end + 1;
  }
  for (const char* const variable : dialect.compiler_library.home_variables) {
    if (const auto home = base::env(variable); home && !home->empty()) add(*home + "/bin");
  }
  for (const char* const home : dialect.compiler_library.homes) add(std::string(home) + "/bin");
  return folders;
}

/// A file with those bytes in a folder of its own, gone with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view bytes) {
    std::error_code error;
    const fs::path temporary = fs::temp_directory_path(error);
    folder_ = ((error ? fs::path("/tmp") : temporary) / "kiln-inspect-XXXXXX").string();
    if (::mkdtemp(folder_.data()) == nullptr) throw IoError("cannot make a folder \"" + folder_ + '"');
    path_ = folder_ + "/kernel.cubin";
    const auto failed = base::publish_file(path_, bytes, {.mode = 0600, .sync = false});
    if (failed) {
      remove();
      throw IoError(failed->text);
    }
  }
  ~TemporaryFile() { remove(); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void remove() const noexcept {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  std::string folder_;
  std::string path_;
};

std::string one_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  std::string line(text.substr(0, 1000));
  // Whatever a program says stands in one line, and moves no cursor.
  std::replace_if(line.begin(), line.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  return line;
}

}  // namespace

std::vector<ProgramCandidate> disassembler_candidates(const Dialect& dialect) {
  const std::vector<std::string> folders = folders_of(dialect);
  std::vector<ProgramCandidate> candidates;
  for (const DisassemblerProgram& program : dialect.disassemblers) {
    for (const std::string& folder : folders) candidates.push_back({folder + "/" + program.name, &program});
  }
  return candidates;
}

std::string disassemble_by_program(const Dialect& dialect, const StoredCode& code) {
  for (const ProgramCandidate& each : disassembler_candidates(dialect)) {
    if (::access(each.path.c_str(), X_OK) != 0) continue;
    const TemporaryFile file(code.bytes);
    std::vector<std::string> arguments(each.program->arguments.begin(), each.program->arguments.end());
    arguments.push_back(file.path());
    const base::ProcessResult result = base::run_program(each.path, arguments);
    if (result.end == base::ProcessResult::End::exited && result.status == 0) return result.output;
    const std::string words = one_line(result.errors.empty() ? result.output : result.errors);
    throw DeviceError("failed to disassemble \"" + code.name + "\" for " + std::string(short_name(code.target)) + ": " +
                      each.path + " " + base::describe(result) + (words.empty() ? "" : ": " + words));
  }
  std::string names;
  for (const DisassemblerProgram& each : dialect.disassemblers)
    names += (names.empty() ? "" : " and ") + std::string(each.name);
  std::string folders;
  for (const std::string& each : folders_of(dialect)) folders += (folders.empty() ? "" : ", ") + each;
  throw DeviceError("no disassembler for " + std::string(short_name(code.target)) + " was found: looked for " + names + " in " +
                    folders + "; " + dialect.disassembler_advice);
}

}  // namespace kiln::backend::gpu
