#include "cache/verification.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <optional>
#include <utility>

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

Verification verify_directory(const Folder& root, bool fix) {
  const DirectoryTier tier(root.path(), {.self = true});
  const std::time_t now = fix ? disk_time(root) : std::time(nullptr);
  // What each folder has, in the order of the folders. 100,000 entries, 535 MiB: 2.9 s, on one thread 5.8 s.
  struct Part {
    Verification found;
    std::uint64_t left = 0;
  };
  const auto look = [&](const CacheFile& file, Part& part) {
    const auto size = static_cast<std::uint64_t>(file.status.st_size);
    std::string reason;
    bool mend = fix;
    std::optional<LeftBehind> left;
    if (file.kind == NameKind::temporary || file.kind == NameKind::lock) {
      if (left.emplace(root, file, now)) reason = "left by a process that died";
    } else if (file.damaged) {
      reason = "set aside as damaged";
    } else {
      Flaw why;
      if (tier.read_in(root, digest_of_path(file.path), &why)) {
        ++part.found.entries;
        part.found.bytes += size;
      } else if (why.reason == Miss::absent) {
        return;  // removed since
      } else if (why.reason == Miss::other_format) {
        ++part.found.other_format;
      } else {
        reason = why.text;
        // The disk's fault or this process's (no descriptors, no memory): the entry may be sound.
        mend = mend && why.reason != Miss::unreadable;
      }
    }
    if (reason.empty()) {
      if (file.kind == NameKind::entry) part.left += size;
      return;
    }
    const int code = mend ? remove_file(root, file.path) : 0;
    if (code != 0) reason += fmt::format("; it cannot be removed: {}", base::errno_text(code));
    if (file.kind == NameKind::entry && (!mend || code != 0)) part.left += size;
    part.found.faults.push_back({.path = file.path, .reason = std::move(reason), .mended = mend && code == 0});
  };
  std::array<Part, kFolders> parts;
  const int code = walk_in_parallel(root, [&](unsigned folder, const CacheFile& file) { look(file, parts[folder]); });
  if (code != 0) {
    throw IoError(fmt::format("cannot read the cache directory {}: {}", root.path(), base::errno_text(code)));
  }
  Verification result;
  std::uint64_t left = 0;
  for (Part& part : parts) {
    result.entries += part.found.entries;
    result.bytes += part.found.bytes;
    result.other_format += part.found.other_format;
    std::move(part.found.faults.begin(), part.found.faults.end(), std::back_inserter(result.faults));
    left += part.left;
  }
  if (fix) set_usage(root, left);
  return result;
}

}  // namespace kiln::cache
