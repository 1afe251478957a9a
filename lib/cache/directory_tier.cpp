#include "cache/directory_tier.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/file_descriptor.hpp"
#include "cache/key.hpp"
#include "cache/names.hpp"
#include "cache/stamp.hpp"

namespace kiln::cache {
namespace {

// Of a key or a description, where no checksum has been looked at yet.
constexpr std::uint64_t kMaxHeadBytes = std::uint64_t{64} << 20;

std::optional<std::string> read_part(int fd, std::uint64_t offset, std::uint64_t size) {
  if (size > kMaxHeadBytes) return std::nullopt;
  std::string text(size, '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = ::pread(fd, text.data() + done, text.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    done += static_cast<std::size_t>(got);
  }
  return text;
}

struct OpenEntry {
  base::FileDescriptor file;
  struct stat status{};
  Prologue sizes;
};

std::optional<OpenEntry> open_entry(const std::string& path, DirectoryTier::Owner owner) {
  const bool own = owner == DirectoryTier::Owner::self;
  OpenEntry entry;
  entry.file = base::FileDescriptor::open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | (own ? O_NOFOLLOW : 0));
  if (!entry.file || ::fstat(entry.file.get(), &entry.status) != 0 || !S_ISREG(entry.status.st_mode)) return std::nullopt;
  if ((entry.status.st_mode & 022U) != 0 || (own && entry.status.st_uid != ::geteuid())) return std::nullopt;
  const auto file_bytes = static_cast<std::uint64_t>(entry.status.st_size);
  const auto head = read_part(entry.file.get(), 0, std::min<std::uint64_t>(file_bytes, kPrologueBytes));
  if (!head) return std::nullopt;
  const auto sizes = read_prologue(*head, file_bytes, nullptr);
  if (!sizes) return std::nullopt;
  entry.sizes = *sizes;
  return entry;
}

}  // namespace

std::string DirectoryTier::file_of(const std::string& digest) const {
  return path_ + "/" + entry_path(digest);
}

std::optional<base::FileContents> DirectoryTier::contents(const std::string& digest, Flaw* why) const {
  const auto fail = [&](Miss reason, std::string text) {
    if (why != nullptr) *why = {reason, std::move(text)};
    return std::nullopt;
  };
  const std::string file = file_of(digest);
  const base::ReadOptions options{.limit = kMaxEntryBytes, .follow_links = owner_ == Owner::anyone};
  base::FileError error;
  auto contents = base::read_file(file, options, &error);
  // Over NFS: the file was replaced while we read it. What is there now can be read.
  if (!contents && error.code == ESTALE) contents = base::read_file(file, options, &error);
  if (!contents) {
    if (error.code == ENOENT || error.code == ENOTDIR) return fail(Miss::absent, {});
    if (error.code == ELOOP) return fail(Miss::not_trusted, "a symbolic link");
    return fail(error.code == 0 ? Miss::damaged : Miss::unreadable, error.text);
  }
  // The directory may have been open to others before it was mended.
  if ((contents->mode & 022U) != 0 || (owner_ == Owner::self && contents->owner != ::geteuid())) {
    return fail(Miss::not_trusted, "others could have written it");
  }
  return contents;
}

Found DirectoryTier::find(const std::string& canonical_key, const std::string& digest, std::int64_t* stamp) const {
  Found found;
  const auto file = contents(digest, &found.flaw);
  if (!file) return found;
  found.bytes = file->bytes.size();
  found.record = decode(file->bytes, canonical_key, &found.flaw);
  if (stamp != nullptr) *stamp = file->modified_seconds;
  return found;
}

Found DirectoryTier::find(const std::string& canonical_key, const std::string& digest) const {
  return find(canonical_key, digest, nullptr);
}

void DirectoryTier::visit_digests(std::string_view prefix, const std::function<void(const std::string&)>& visit) const {
  if (!is_hex(prefix)) return;
  for (unsigned i = 0; i < 256; ++i) {
    const std::string shard = fmt::format("{:02x}", i);
    if (shard.substr(0, prefix.size()) != prefix.substr(0, 2)) continue;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir((path_ + "/" + shard).c_str()), ::closedir);
    if (folder == nullptr) continue;
    while (const dirent* file = ::readdir(folder.get())) {
      const std::string_view name = file->d_name;
      if (classify_name(shard, name) != NameKind::entry) continue;
      const std::string digest = shard + std::string(name.substr(0, kDigestDigits - 2));
      if (digest.starts_with(prefix)) visit(digest);
    }
  }
}

std::optional<Listed> DirectoryTier::head(const std::string& digest) const {
  const auto entry = open_entry(file_of(digest), owner_);
  if (!entry) return std::nullopt;
  const auto text = read_part(entry->file.get(), kPrologueBytes + entry->sizes.key_bytes, entry->sizes.info_bytes);
  auto info = text ? parse_info(*text) : std::nullopt;
  if (!info) return std::nullopt;
  shorten(&*info);
  return Listed{.digest = digest,
                .info = *std::move(info),
                .bytes = static_cast<std::uint64_t>(entry->status.st_size),
                .code_bytes = entry->sizes.payload_bytes,
                .used = entry->status.st_mtim.tv_sec,
                .hits = static_cast<std::uint64_t>(hits_of(entry->status.st_mtim))};
}

std::optional<std::string> DirectoryTier::key(const std::string& digest) const {
  const auto entry = open_entry(file_of(digest), owner_);
  return entry ? read_part(entry->file.get(), kPrologueBytes, entry->sizes.key_bytes) : std::nullopt;
}

std::optional<Stored> DirectoryTier::read(const std::string& digest, Flaw* why) const {
  const auto file = contents(digest, why);
  auto stored = file ? decode_any(file->bytes, why) : std::nullopt;
  if (stored && cache::digest(stored->key) != digest) {
    if (why != nullptr) *why = {Miss::other_key, "its name is not that of its key"};
    return std::nullopt;
  }
  return stored;
}

}  // namespace kiln::cache
