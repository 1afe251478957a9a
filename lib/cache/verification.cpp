#include "cache/verification.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "cache/directory_tier.hpp"
#include "cache/eviction.hpp"
#include "cache/walk.hpp"
#include "kiln/error.hpp"

namespace kiln::cache {
namespace {

std::string digest_of_path(const std::string& path) {
  std::string digest = path.substr(0, path.size() - kEntrySuffix.size());
  std::erase(digest, '/');
  return digest;
}

}  // namespace

Verification verify_directory(const std::string& directory, bool fix) {
  const DirectoryTier tier(directory, DirectoryTier::Owner::self);
  const std::time_t now = fix ? disk_time(directory) : std::time(nullptr);
  Verification result;
  std::uint64_t left = 0;
  const auto look = [&](const CacheFile& file) {
    const auto size = static_cast<std::uint64_t>(file.status.st_size);
    std::string reason;
    if (file.kind == NameKind::temporary || file.kind == NameKind::lock) {
      if (left_behind(directory, file, now)) reason = "left by a process that died";
    } else if (file.damaged) {
      reason = "set aside as damaged";
    } else {
      Flaw why;
      if (tier.read(digest_of_path(file.path), &why)) {
        ++result.entries;
        result.bytes += size;
      } else if (why.reason == Miss::absent) {
        return;  // removed since
      } else if (why.reason == Miss::other_format) {
        ++result.other_format;
      } else {
        reason = why.text;
      }
    }
    if (reason.empty()) {
      if (file.kind == NameKind::entry) left += size;
      return;
    }
    const int code = fix ? remove_file(directory, file.path) : 0;
    if (code != 0) reason += fmt::format("; it cannot be removed: {}", base::errno_text(code));
    if (file.kind == NameKind::entry && (!fix || code != 0)) left += size;
    result.faults.push_back({.path = file.path, .reason = std::move(reason), .mended = fix && code == 0});
  };
  if (const int code = walk(directory, look)) {
    throw IoError(fmt::format("cannot read the cache directory {}: {}", directory, base::errno_text(code)));
  }
  if (fix) set_usage(directory, left);
  return result;
}

}  // namespace kiln::cache
