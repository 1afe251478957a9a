#include "cache/names.hpp"

#include <algorithm>

#include "base/file.hpp"

namespace kiln::cache {

bool is_hex(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

namespace {

std::string path_in_shard(std::string_view digest, std::string_view suffix) {
  std::string path(digest.substr(0, 2));
  path += '/';
  path += digest.substr(2);
  path += suffix;
  return path;
}

}  // namespace

std::string entry_path(std::string_view digest) {
  return path_in_shard(digest, kEntrySuffix);
}

std::string tuning_path(std::string_view digest) {
  return path_in_shard(digest, kTuningSuffix);
}

std::string digest_of_path(std::string_view path) {
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos) return {};
  const NameKind kind = classify_name(path.substr(0, slash), path.substr(slash + 1));
  if (kind != NameKind::entry && kind != NameKind::tuning) return {};
  std::string digest(path.substr(0, slash));
  digest += path.substr(slash + 1, kDigestDigits - slash);
  return slash == 2 ? digest : std::string();
}

NameKind classify_name(std::string_view folder, std::string_view name) noexcept {
  const bool shard = folder.size() == 2 && is_hex(folder);
  const std::size_t digits = shard ? kDigestDigits - 2 : kDigestDigits;
  if (name.size() <= digits || !is_hex(name.substr(0, digits))) return NameKind::foreign;
  const std::string_view rest = name.substr(digits);
  if (folder == kLocksFolder) return rest == kLockSuffix ? NameKind::lock : NameKind::foreign;
  if (!shard && folder != kDamagedFolder) return NameKind::foreign;
  if (rest == kEntrySuffix) return NameKind::entry;
  if (!shard) return NameKind::foreign;
  if (rest == kTuningSuffix) return NameKind::tuning;
  for (const std::string_view suffix : {kEntrySuffix, kTuningSuffix}) {
    if (rest.starts_with(suffix) && rest.substr(suffix.size()).starts_with(base::kTemporaryMark)) return NameKind::temporary;
  }
  return NameKind::foreign;
}

}  // namespace kiln::cache
