#include "cache/directory_tier.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <memory>

#include "base/file_descriptor.hpp"
#include "cache/key.hpp"
#include "cache/names.hpp"
#include "cache/shards.hpp"
#include "cache/usage_record.hpp"

namespace kiln::cache {
namespace {

// As many bytes as there are. Nothing where they cannot be read.
std::optional<std::size_t> read_at(int fd, std::uint64_t offset, char* to, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(fd, to + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace

// An entry's file and its beginning, which in nearly all of them is key and description: an open, a stat and one read tell what
// a listing shows.
class DirectoryTier::OpenEntry {
 public:
  bool open(const DirectoryTier& tier, int folder, const char* name) {
    const int links = tier.owner_ == Owner::self ? O_NOFOLLOW : 0;
    file_ = base::FileDescriptor::open_at(folder, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | links);
    if (!file_ || ::fstat(file_.get(), &status_) != 0 || !S_ISREG(status_.st_mode)) return false;
    if ((status_.st_mode & 022U) != 0 || !tier.trusts(status_.st_uid)) return false;
    const auto file_bytes = static_cast<std::uint64_t>(status_.st_size);
    const auto got = read_at(file_.get(), 0, begin_.data(), std::min<std::uint64_t>(file_bytes, begin_.size()));
    if (!got) return false;
    begin_bytes_ = *got;
    const auto sizes = read_prologue({begin_.data(), std::min(begin_bytes_, kPrologueBytes)}, file_bytes, nullptr);
    if (sizes) sizes_ = *sizes;
    return sizes.has_value();
  }

  bool open(const DirectoryTier& tier, const std::string& digest) {
    const std::string path = entry_path(digest);
    const base::FileDescriptor folder = tier.open_shard(digest.substr(0, 2), O_PATH, nullptr);
    return folder && open(tier, folder.get(), base::name_in(folder.get(), path));
  }

  [[nodiscard]] std::optional<std::string> key() const { return part(kPrologueBytes, sizes_.key_bytes); }

  [[nodiscard]] std::optional<Listed> listed(std::string digest) const {
    const auto text = part(kPrologueBytes + sizes_.key_bytes, sizes_.info_bytes);
    auto info = text ? parse_info(*text) : std::nullopt;
    if (!info) return std::nullopt;
    shorten(&*info);
    return Listed{.digest = std::move(digest),
                  .info = *std::move(info),
                  .bytes = static_cast<std::uint64_t>(status_.st_size),
                  .code_bytes = sizes_.payload_bytes,
                  .used = status_.st_mtim.tv_sec,
                  .hits = static_cast<std::uint64_t>(hits_of(status_.st_mtim))};
  }

 private:
  [[nodiscard]] std::optional<std::string> part(std::uint64_t offset, std::uint64_t size) const {
    if (size > kMaxHeadBytes) return std::nullopt;
    if (offset <= begin_bytes_ && size <= begin_bytes_ - offset) return std::string(begin_.data() + offset, size);
    std::string text(size, '\0');
    return read_at(file_.get(), offset, text.data(), size) == size ? std::optional(std::move(text)) : std::nullopt;
  }

  base::FileDescriptor file_;
  struct stat status_{};
  Prologue sizes_;
  std::size_t begin_bytes_ = 0;
  std::array<char, 8192> begin_;
};

bool DirectoryTier::trusts(uid_t user) const noexcept {
  return user == ::geteuid() || (owner_ == Owner::anyone && (user == 0 || user == directory_owner_));
}

base::FileDescriptor DirectoryTier::open_shard(std::string_view shard, int access, Flaw* why) const {
  const auto fail = [&](Flaw flaw) {
    if (why != nullptr) *why = std::move(flaw);
    return base::FileDescriptor();
  };
  const std::string path = fmt::format("{}/{}", path_, shard);
  const int links = owner_ == Owner::self ? O_NOFOLLOW : 0;
  base::FileDescriptor folder = base::FileDescriptor::open(path, access | O_DIRECTORY | links);
  // Over NFS: it was replaced by another one.
  if (!folder && errno == ESTALE) folder = base::FileDescriptor::open(path, access | O_DIRECTORY | links);
  struct stat status{};
  if (!folder || (owner_ == Owner::anyone && ::fstat(folder.get(), &status) != 0)) {
    const int code = errno;
    if (code == ENOENT || code == ENOTDIR) return fail({});
    return fail({.reason = Miss::unreadable, .text = base::failure("open", path, code).text});
  }
  // Of the cache's own directory the mode of the top is enough: it is this user's, as every entry must be.
  if (owner_ == Owner::self) return folder;
  if ((status.st_mode & 022U) != 0) {
    return fail({.reason = Miss::not_trusted,
                 .text = fmt::format("its folder can be written by others (mode {:04o})", status.st_mode & 07777U),
                 .mend = "chmod -R go-w " + path_});
  }
  if (!trusts(status.st_uid)) {
    return fail({.reason = Miss::not_trusted,
                 .text = fmt::format("its folder belongs to user {}, not to user {}, as the directory does", status.st_uid,
                                     directory_owner_),
                 .mend = "rm -r " + path});
  }
  return folder;
}

// The digests of one folder's entries that begin so, with the folder's descriptor.
template <typename Visit>
void DirectoryTier::visit_shard(unsigned shard, std::string_view prefix, Visit visit) const {
  const std::string folder = fmt::format("{:02x}", shard);
  if (folder.substr(0, prefix.size()) != prefix.substr(0, 2)) return;
  base::FileDescriptor opened = open_shard(folder, O_RDONLY, nullptr);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(opened ? ::fdopendir(opened.get()) : nullptr, ::closedir);
  if (stream == nullptr) return;
  const int fd = opened.release();
  while (const dirent* file = ::readdir(stream.get())) {
    const std::string_view name = file->d_name;
    if (classify_name(folder, name) != NameKind::entry) continue;
    std::string digest = folder + std::string(name.substr(0, kDigestDigits - 2));
    if (digest.starts_with(prefix)) visit(std::move(digest), fd, file->d_name);
  }
}

std::string DirectoryTier::file_of(const std::string& digest) const {
  return path_ + "/" + entry_path(digest);
}

std::optional<base::FileContents> DirectoryTier::contents(const std::string& digest, Flaw* why) const {
  const auto fail = [&](Miss reason, std::string text) {
    if (why != nullptr) *why = {reason, std::move(text)};
    return std::nullopt;
  };
  const std::string file = file_of(digest);
  base::FileError error;
  Flaw flaw;
  const auto read = [&]() -> std::optional<base::FileContents> {
    const base::FileDescriptor folder = open_shard(digest.substr(0, 2), O_PATH, &flaw);
    if (!folder) return std::nullopt;
    const base::ReadOptions options{.limit = kMaxEntryBytes, .follow_links = owner_ == Owner::anyone, .folder = folder.get()};
    return base::read_file(file, options, &error);
  };
  auto contents = read();
  // Over NFS: the file was replaced while we read it. What is there now can be read.
  if (!contents && error.code == ESTALE) contents = read();
  if (!contents) {
    if (error.text.empty()) {
      if (why != nullptr) *why = std::move(flaw);
      return std::nullopt;
    }
    if (error.code == ENOENT || error.code == ENOTDIR) return fail(Miss::absent, {});
    if (error.code == ELOOP) return fail(Miss::not_trusted, "a symbolic link");
    return fail(error.code == 0 ? Miss::damaged : Miss::unreadable, error.text);
  }
  // The directory may have been open to others before it was mended.
  if ((contents->mode & 022U) != 0 || (owner_ == Owner::self && !trusts(contents->owner))) {
    return fail(Miss::not_trusted, "others could have written it");
  }
  if (!trusts(contents->owner)) {
    return fail(Miss::not_trusted,
                fmt::format("it belongs to user {}, not to user {}, as the directory does", contents->owner, directory_owner_));
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
  for (unsigned shard = 0; shard < kShards; ++shard) {
    visit_shard(shard, prefix, [&](const std::string& digest, int, const char*) { visit(digest); });
  }
}

// 100,000 entries take 1.2 s of processor, more than half of it the kernel's, by names below the folder's descriptor and one
// read each; 1.6 s by whole paths and two reads. Threads, since with one of them the machine's load decides (1.9 s against 7.7
// s).
std::vector<Listed> DirectoryTier::heads() const {
  std::array<std::vector<Listed>, kShards> found;
  for_each_shard([&](unsigned shard) {
    visit_shard(shard, "", [&](std::string digest, int folder, const char* name) {
      OpenEntry entry;
      auto listed = entry.open(*this, folder, name) ? entry.listed(std::move(digest)) : std::nullopt;
      if (listed) found[shard].push_back(*std::move(listed));
    });
  });
  std::vector<Listed> all;
  std::size_t count = 0;
  for (const auto& part : found) count += part.size();
  all.reserve(count);
  for (auto& part : found) std::move(part.begin(), part.end(), std::back_inserter(all));
  return all;
}

std::optional<Listed> DirectoryTier::head(const std::string& digest) const {
  OpenEntry entry;
  return entry.open(*this, digest) ? entry.listed(digest) : std::nullopt;
}

std::optional<std::string> DirectoryTier::key(const std::string& digest) const {
  OpenEntry entry;
  return entry.open(*this, digest) ? entry.key() : std::nullopt;
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

std::string DirectoryTier::complaint(const std::string& digest, const Flaw& flaw) const {
  return fmt::format("cache entry {} is not used: {}; {}", file_of(digest), flaw.text,
                     flaw.mend.empty() ? "remove it" : "to mend it: " + flaw.mend);
}

}  // namespace kiln::cache
