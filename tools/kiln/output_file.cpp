#include "output_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "kiln/error.hpp"
#include "operand.hpp"

namespace kiln::tool {
namespace fs = std::filesystem;

bool is_stream(const fs::path& target) {
  std::error_code ignored;
  return is_standard_stream(target.string()) || (fs::exists(target, ignored) && !fs::is_regular_file(target, ignored));
}

fs::path target_of(const std::string& name) {
  std::error_code fault;
  return fs::is_symlink(name, fault) ? fs::weakly_canonical(name, fault) : fs::path(name);
}

PendingFiles::~PendingFiles() {
  std::error_code ignored;
  for (const auto& [from, to] : files_) fs::remove(from, ignored);
}

const fs::path& PendingFiles::add(const fs::path& target) {
  files_.emplace_back(fmt::format("{}.partial-{}", target.string(), getpid()), target);
  return files_.back().first;
}

void PendingFiles::publish() {
  for (const auto& [from, to] : files_) {
    std::error_code fault;
    fs::rename(from, to, fault);
    if (fault) throw IoError(fmt::format("cannot write \"{}\": {}", to.string(), fault.message()));
  }
  files_.clear();
}

void write_text_file(const std::string& name, std::string_view text) {
  const fs::path target = target_of(name);
  PendingFiles pending;
  errno = 0;
  std::ofstream file(is_stream(target) ? target : pending.add(target), std::ios::binary);
  file << text;
  file.close();
  if (!file) throw IoError(fmt::format("cannot write \"{}\": {}", name, std::strerror(errno)));
  pending.publish();
}

}  // namespace kiln::tool
