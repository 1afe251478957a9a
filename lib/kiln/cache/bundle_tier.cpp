#include "cache/bundle_tier.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "cache/key.hpp"
#include "cache/names.hpp"

namespace kiln::cache {
namespace {

void set(Flaw* why, Miss reason, std::string text) {
  if (why != nullptr) *why = {reason, std::move(text)};
}

// Why others could put something else in the place of this file or link; "" where they cannot.
std::string replaceable(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  struct stat status{};
  if (::stat(folder.c_str(), &status) != 0) return base::errno_text(errno);
  const bool sticky = (status.st_mode & S_ISVTX) != 0;  // as /tmp: others cannot take its name
  if ((status.st_mode & 022U) == 0 || sticky) return {};
  return fmt::format("others can replace it, since its folder can be written by them (mode {:04o}); to mend it: chmod go-w {}",
                     status.st_mode & 07777U, folder);
}

// Why others could put other bytes under this name, or under one that it is a symbolic link to; "" where they cannot.
std::string open_to_others(const std::string& path, mode_t mode) {
  if ((mode & 022U) != 0) {
    return fmt::format("it can be written by others (mode {:04o}); to mend it: chmod go-w {}", mode & 07777U, path);
  }
  constexpr int kMostLinks = 40;  // as Linux
  std::filesystem::path step(path);
  for (int link = 0; link <= kMostLinks; ++link) {
    if (std::string reason = replaceable(step.string()); !reason.empty()) return reason;
    std::error_code none;
    const std::filesystem::path target = std::filesystem::read_symlink(step, none);
    if (none) return {};
    step = step.parent_path() / target;
  }
  return base::errno_text(ELOOP);
}

std::optional<Prologue> prologue_of(const Bundle& bundle, const BundleItem& item) {
  base::FileError error;
  const auto head = bundle.read_part(item, 0, std::min<std::uint64_t>(item.bytes, kPrologueBytes), &error);
  return head ? read_prologue(*head, item.bytes, nullptr) : std::nullopt;
}

std::optional<std::string> part_of(const Bundle& bundle, const BundleItem& item, std::uint64_t offset, std::uint64_t bytes) {
  base::FileError error;
  return bytes > kMaxHeadBytes ? std::nullopt : bundle.read_part(item, offset, bytes, &error);
}

}  // namespace

std::optional<BundleItem> BundleTier::item_of(const std::string& digest, Flaw* why) const {
  const auto wanted = base::from_hex(digest);
  base::FileError error;
  const auto item = wanted ? bundle_.find(*wanted, &error) : std::nullopt;
  if (!item) set(why, error.text.empty() ? Miss::absent : error.code != 0 ? Miss::unreadable : Miss::damaged, error.text);
  return item;
}

std::optional<std::string> BundleTier::bytes_of(const std::string& digest, Flaw* why) const {
  const auto item = item_of(digest, why);
  if (!item) return std::nullopt;
  base::FileError error;
  auto bytes = bundle_.read(*item, &error);
  if (!bytes) set(why, error.code != 0 ? Miss::unreadable : Miss::damaged, error.text);
  return bytes;
}

Found BundleTier::find(const std::string& canonical_key, const std::string& digest) const {
  Found found;
  const auto bytes = bytes_of(digest, &found.flaw);
  if (!bytes) return found;
  found.bytes = bytes->size();
  found.record = decode(*bytes, canonical_key, &found.flaw);
  return found;
}

void BundleTier::visit_digests(std::string_view prefix, const std::function<void(const std::string&)>& visit) const {
  if (!is_hex(prefix) || prefix.size() > kDigestDigits) return;
  base::FileError error;
  const auto least = base::from_hex(std::string(prefix) + std::string(kDigestDigits - prefix.size(), '0'));
  const auto first = least ? bundle_.lower_bound(*least, &error) : std::nullopt;
  for (std::uint64_t i = first.value_or(bundle_.count()); i < bundle_.count(); ++i) {
    const auto item = bundle_.item(i, &error);
    const std::string digest = item ? base::to_hex(item->digest) : std::string();
    if (!item || !digest.starts_with(prefix)) return;
    visit(digest);
  }
}

std::optional<Listed> BundleTier::head(const std::string& digest) const {
  const auto item = item_of(digest, nullptr);
  const auto sizes = item ? prologue_of(bundle_, *item) : std::nullopt;
  if (!sizes) return std::nullopt;
  const auto text = part_of(bundle_, *item, kPrologueBytes + sizes->key_bytes, sizes->info_bytes);
  auto info = text ? parse_info(*text) : std::nullopt;
  if (!info) return std::nullopt;
  shorten(&*info);
  return Listed{.digest = digest, .info = *std::move(info), .bytes = item->bytes, .code_bytes = sizes->payload_bytes};
}

std::vector<Listed> BundleTier::heads() const {
  std::vector<Listed> all;
  visit_digests("", [&](const std::string& digest) {
    if (auto listed = head(digest)) all.push_back(*std::move(listed));
  });
  return all;
}

std::optional<std::string> BundleTier::key(const std::string& digest) const {
  const auto item = item_of(digest, nullptr);
  const auto sizes = item ? prologue_of(bundle_, *item) : std::nullopt;
  return sizes ? part_of(bundle_, *item, kPrologueBytes, sizes->key_bytes) : std::nullopt;
}

std::optional<Stored> BundleTier::read(const std::string& digest, Flaw* why) const {
  const auto bytes = bytes_of(digest, why);
  auto stored = bytes ? decode_any(*bytes, why) : std::nullopt;
  if (stored && cache::digest(stored->key) != digest) {
    set(why, Miss::other_key, "its name is not that of its key");
    return std::nullopt;
  }
  return stored;
}

std::string BundleTier::complaint(const std::string& digest, const Flaw& flaw) const {
  return fmt::format("cache entry {} of bundle {} is not used: {}; export that bundle again", digest, path(), flaw.text);
}

OpenedTier open_bundle_tier(const std::string& path, const Log& log) {
  base::FileError error;
  auto bundle = Bundle::open(path, &error);
  if (!bundle && error.code == ENOENT) return {Trust::missing, nullptr};
  const std::string reason = bundle ? open_to_others(path, bundle->mode()) : error.text;
  if (!reason.empty()) {
    if (log) log(fmt::format("read-only cache bundle {} is not used: {}", path, reason));
    return {Trust::refused, nullptr};
  }
  return {Trust::trusted, std::make_unique<BundleTier>(*std::move(bundle))};
}

}  // namespace kiln::cache
