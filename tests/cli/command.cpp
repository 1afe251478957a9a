#include "command.hpp"

#include <fcntl.h>
#include <pty.h>
#include <spawn.h>
#include <stdlib.h>  // mkdtemp
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>
#include <system_error>

namespace cli {
namespace fs = std::filesystem;

namespace {
/// AddressSanitizer says once in each process that it knows little of fibers.
std::string without_notes_of_sanitizers(std::string text) {
  const std::size_t note = text.find("WARNING: ASan doesn't fully support makecontext/swapcontext");
  if (note == std::string::npos) return text;
  const std::size_t begin = note == 0 ? 0 : text.rfind('\n', note) + 1;  // npos + 1: 0
  return text.erase(begin, text.find('\n', note) + 1 - begin);
}

}  // namespace

Result run(const std::vector<std::string>& arguments, const RunOptions& options) {
  const Scratch scratch;
  write_file(scratch.file("in"), options.input);
  const std::string out_path = options.out_path.empty() ? scratch.file("out") : options.out_path;
  const std::string err_path = options.err_path.empty() ? scratch.file("err") : options.err_path;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, scratch.file("in").c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out_path.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err_path.c_str(), O_WRONLY | O_CREAT, 0600);
  for (const int descriptor : options.closed) posix_spawn_file_actions_addclose(&actions, descriptor);
  if (!options.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, options.folder.c_str());

  std::map<std::string, std::string> environment = options.environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  std::vector<std::string> entries;
  for (const auto& [name, value] : environment) entries.push_back(name + "=" + value);
  const auto pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (std::string& text : texts) list.push_back(text.data());
    list.push_back(nullptr);
    return list;
  };
  std::vector<std::string> words = options.under;
  words.emplace_back(KILN_CLI_COMMAND);
  words.insert(words.end(), arguments.begin(), arguments.end());

  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  rlimit lower = limit;
  if (options.file_limit > 0) lower.rlim_cur = options.file_limit;
  setrlimit(RLIMIT_FSIZE, &lower);  // inherited
  pid_t child = 0;
  const int fault =
      posix_spawnp(&child, words.front().c_str(), &actions, nullptr, pointers(words).data(), pointers(entries).data());
  setrlimit(RLIMIT_FSIZE, &limit);
  posix_spawn_file_actions_destroy(&actions);
  if (fault != 0) throw std::runtime_error("cannot start " + words.front() + ": " + std::strerror(fault));
  int status = 0;
  waitpid(child, &status, 0);
  Result result;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (options.out_path.empty()) result.out = read_file(out_path);
  if (options.err_path.empty()) result.err = without_notes_of_sanitizers(read_file(err_path));
  return result;
}

std::string sample(std::string_view name) {
  return std::string(KILN_CLI_DATA "/") + std::string(name) + ".npy";
}

Scratch::Scratch() {
  std::string name = (fs::temp_directory_path() / "kiln-cli-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  path_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::size_t Scratch::count() const {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
}

void make_blocked_cache(const std::string& directory) {
  fs::create_directory(directory);
  fs::permissions(directory, fs::perms::owner_all);
  const std::string digits = "0123456789abcdef";
  for (const char first : digits) {
    for (const char second : digits) write_file(directory + "/" + first + second, "");
  }
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_file(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
}

bool speaks_cpp(std::string_view message) {
  static const std::regex quoted("\"[^\"]*\"");
  static const std::regex words(
      R"((^|[ (])\.(?!npy|npz|csv)[a-z_]+|astype|Casting::|kiln::|outputs<|reshape it|to_device|copy_to_host)");
  const std::string line(message.substr(0, message.find('\n')));
  return std::regex_search(std::regex_replace(line, quoted, ""), words);
}

std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

bool have_terminals() {
  int master = -1;
  int slave = -1;
  if (openpty(&master, &slave, nullptr, nullptr, nullptr) != 0) {
    std::printf("KILN-NOT-RUN terminals 1\n");
    return false;
  }
  close(master);
  close(slave);
  return true;
}

}  // namespace cli
