#include "output_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include "kiln/error.hpp"
#include "operand.hpp"

namespace kiln::tool {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const std::string& name, std::string_view why) {
  throw IoError(fmt::format("cannot write \"{}\": {}", name, why));
}

/// Link by link, as the library does: realpath(3) has no answer where the last one's target is missing.
fs::path follow_links(const std::string& name) {
  constexpr int kMostLinks = 40;  // as Linux itself follows
  fs::path path = name;
  for (int links = 0; links <= kMostLinks; ++links) {
    std::error_code fault;
    const fs::path next = fs::read_symlink(path, fault);
    if (fault) return path;  // no link
    path = path.parent_path() / next;
  }
  fail(name, "its symbolic links lead in a circle");
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// What stood under the name keeps its owner, group and mode as far as this process may give them.
void keep_permissions(const fs::path& file, const fs::path& old) {
  struct stat status = {};
  if (stat(old.c_str(), &status) != 0) return;
  constexpr auto kUnchanged = static_cast<uid_t>(-1);
  mode_t mode = status.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
  // Another group may do no more than everybody may.
  if (chown(file.c_str(), kUnchanged, status.st_gid) != 0) mode &= ~static_cast<mode_t>(S_IRWXG) | ((mode & S_IRWXO) << 3);
  if (chmod(file.c_str(), mode) != 0) throw IoError(fmt::format("cannot set its mode: {}", std::strerror(errno)));
  [[maybe_unused]] const int given = chown(file.c_str(), status.st_uid, kUnchanged);
}

}  // namespace

std::string OutputTarget::shown() const {
  return is_standard_stream(name) ? "standard output" : fmt::format("\"{}\"", name);
}

OutputTarget output_target(const std::string& name) {
  if (is_standard_stream(name)) return {.name = name, .path = name, .stream = true};
  std::error_code fault;
  const fs::file_status there = fs::status(name, fault);
  if (fs::is_directory(there)) fail(name, "it is a folder");
  // Before the links are read: those of /proc/self/fd, where /dev/stdout leads, are no paths.
  if (fs::exists(there) && !fs::is_regular_file(there)) return {.name = name, .path = name, .stream = true};
  OutputTarget target{.name = name, .path = follow_links(name)};
  const fs::path folder = folder_of(target.path);
  if (!fs::is_directory(folder, fault)) fail(name, fmt::format("there is no folder \"{}\"", folder.string()));
  if (access(folder.c_str(), W_OK) != 0) {
    fail(name, fmt::format("the folder \"{}\" may not be written to", folder.string()));
  }
  // A rename would replace what its owner has protected.
  if (fs::exists(there) && access(target.path.c_str(), W_OK) != 0) fail(name, "the file that is there may not be written to");
  return target;
}

PendingFiles::File::File(OutputTarget of)
    : target(std::move(of)), folder(folder_of(target.path)), path(folder.path() / "output") {}

const fs::path& PendingFiles::add(const OutputTarget& target) {
  try {
    return files_.emplace_back(target).path;
  } catch (const fs::filesystem_error& error) {
    fail(target.name, error.code().message());
  }
}

void PendingFiles::publish() {
  std::string done;
  for (const File& file : files_) {
    std::string fault;
    try {
      keep_permissions(file.path, file.target.path);
      fs::rename(file.path, file.target.path);
    } catch (const fs::filesystem_error& error) {
      fault = error.code().message();
    } catch (const IoError& error) {
      fault = error.what();
    }
    if (!fault.empty()) fail(file.target.name, done.empty() ? fault : fmt::format("{}; {} written already", fault, done));
    done += fmt::format("{}\"{}\" is", done.empty() ? "" : ", ", file.target.name);
  }
  files_.clear();
}

void write_text_file(const std::string& name, std::string_view text) {
  const OutputTarget target = output_target(name);
  PendingFiles pending;
  errno = 0;
  std::ofstream file(target.stream ? target.path : pending.add(target), std::ios::binary);
  file << text;
  file.close();
  if (!file) fail(name, std::strerror(errno));
  pending.publish();
}

}  // namespace kiln::tool
