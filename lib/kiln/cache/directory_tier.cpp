#include "cache/directory_tier.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <utility>

#include "base/file_descriptor.hpp"
#include "cache/key.hpp"
#include "cache/names.hpp"
#include "cache/shards.hpp"
#include "cache/tuning_file.hpp"
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

// Of an entry whose folder is not used.
Flaw flaw_of(const Refusal& refusal, const std::string& folder) {
  if (refusal.absent()) return {};
  if (refusal.occupied()) {
    return {.reason = Miss::not_trusted, .text = "its folder " + refusal.why, .mend = refusal.mend};
  }
  return {.reason = Miss::unreadable, .text = base::failure("open", folder, refusal.code).text};
}

}  // namespace

// An entry's file and its beginning, which in nearly all of them is key and description: an open, a stat and one read tell what
// a listing shows.
class DirectoryTier::OpenEntry {
 public:
  bool open(const Folder& folder, std::string_view name) {
    OpenedFile opened = folder.open_file(name, O_RDONLY);
    file_ = std::move(opened.file);
    status_ = opened.status;
    if (!file_) return false;
    const auto file_bytes = static_cast<std::uint64_t>(status_.st_size);
    const auto got = read_at(file_.get(), 0, begin_.data(), std::min<std::uint64_t>(file_bytes, begin_.size()));
    if (!got) return false;
    begin_bytes_ = *got;
    const auto sizes = read_prologue({begin_.data(), std::min(begin_bytes_, kPrologueBytes)}, file_bytes, nullptr);
    if (sizes) sizes_ = *sizes;
    return sizes.has_value();
  }

  bool find(const Folder& root, const std::string& digest) {
    const std::string path = entry_path(digest);
    const Folder folder = root ? open_folder_of(root, path) : Folder();
    return folder && open(folder, std::string_view(path).substr(path.find('/') + 1));
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

// The digests of one folder's entries that begin so, with the folder.
template <typename Visit>
void DirectoryTier::visit_shard(const Folder& root, unsigned shard, std::string_view prefix, Visit visit) const {
  const std::string name = fmt::format("{:02x}", shard);
  if (name.substr(0, prefix.size()) != prefix.substr(0, 2)) return;
  const Folder folder = root ? root.open(name) : Folder();
  if (!folder) return;
  folder.list([&](const char* file) {
    if (classify_name(name, file) != NameKind::entry) return;
    std::string digest = name + std::string(file, kDigestDigits - 2);
    if (digest.starts_with(prefix)) visit(std::move(digest), folder, file);
  });
}

std::string DirectoryTier::file_of(const std::string& digest) const {
  return path_ + "/" + entry_path(digest);
}

std::optional<base::FileContents> DirectoryTier::contents(const Folder& root, const std::string& path, std::uint64_t limit,
                                                          Flaw* why) const {
  const auto fail = [&](Flaw flaw) {
    if (why != nullptr) *why = std::move(flaw);
    return std::nullopt;
  };
  const std::string file = path_ + "/" + path;
  base::FileError error;
  Refusal refusal;
  const auto read = [&]() -> std::optional<base::FileContents> {
    error = {};
    const Folder folder = open_folder_of(root, path, &refusal);
    if (!folder) return std::nullopt;
    const base::ReadOptions options{.limit = limit, .follow_links = !owners_.self, .folder = folder.get()};
    return base::read_file(file, options, &error);
  };
  auto contents = read();
  // Over NFS: the file was replaced while we read it. What is there now can be read.
  if (!contents && error.code == ESTALE) contents = read();
  if (!contents) {
    if (error.text.empty()) return fail(flaw_of(refusal, root.path_of(path.substr(0, path.find('/')))));
    if (error.code == ENOENT || error.code == ENOTDIR) return fail({});
    if (error.code == ELOOP) return fail({Miss::not_trusted, "a symbolic link"});
    return fail({error.code == 0 ? Miss::damaged : Miss::unreadable, error.text});
  }
  // The directory may have been open to others before it was repaired.
  if ((contents->mode & 022U) != 0 || (owners_.self && !owners_.trust(contents->owner))) {
    return fail({Miss::not_trusted, "others could have written it"});
  }
  if (!owners_.trust(contents->owner)) {
    return fail({Miss::not_trusted, fmt::format("it belongs to user {}, not to user {}, as the directory does", contents->owner,
                                                owners_.directory_owner)});
  }
  return contents;
}

Found DirectoryTier::find_in(const Folder& root, const std::string& canonical_key, const std::string& digest,
                             std::int64_t* stamp) const {
  Found found;
  const auto file = contents(root, entry_path(digest), kMaxEntryBytes, &found.flaw);
  if (!file) return found;
  found.bytes = file->bytes.size();
  found.record = decode(file->bytes, canonical_key, &found.flaw);
  if (stamp != nullptr) *stamp = file->modified_seconds;
  return found;
}

Found DirectoryTier::find(const std::string& canonical_key, const std::string& digest) const {
  Refusal refusal;
  const Folder root = Folder::open_root(path_, owners_, &refusal);
  if (!root) return {.flaw = flaw_of(refusal, path_)};
  return find_in(root, canonical_key, digest, nullptr);
}

void DirectoryTier::visit_digests(std::string_view prefix, const std::function<void(const std::string&)>& visit) const {
  if (!is_hex(prefix)) return;
  const Folder root = open_root();
  for (unsigned shard = 0; shard < kShards; ++shard) {
    visit_shard(root, shard, prefix, [&](const std::string& digest, const Folder&, const char*) { visit(digest); });
  }
}

// 100,000 entries take 1.2 s of processor, more than half of it the kernel's, by names below the folder's descriptor and one
// read each; 1.6 s by whole paths and two reads. Threads, since with one of them the machine's load decides (1.9 s against 7.7
// s).
std::vector<Listed> DirectoryTier::heads() const {
  std::array<std::vector<Listed>, kShards> found;
  const Folder root = open_root();
  for_each_shard([&](unsigned shard) {
    visit_shard(root, shard, "", [&](std::string digest, const Folder& folder, const char* name) {
      OpenEntry entry;
      auto listed = entry.open(folder, name) ? entry.listed(std::move(digest)) : std::nullopt;
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
  return entry.find(open_root(), digest) ? entry.listed(digest) : std::nullopt;
}

std::optional<std::string> DirectoryTier::key(const std::string& digest) const {
  OpenEntry entry;
  return entry.find(open_root(), digest) ? entry.key() : std::nullopt;
}

std::optional<Stored> DirectoryTier::read(const std::string& digest, Flaw* why) const {
  Refusal refusal;
  const Folder root = Folder::open_root(path_, owners_, &refusal);
  if (root) return read_in(root, digest, why);
  if (why != nullptr) *why = flaw_of(refusal, path_);
  return std::nullopt;
}

std::optional<Stored> DirectoryTier::read_in(const Folder& root, const std::string& digest, Flaw* why) const {
  const auto file = contents(root, entry_path(digest), kMaxEntryBytes, why);
  auto stored = file ? decode_any(file->bytes, why) : std::nullopt;
  if (stored && cache::digest(stored->key) != digest) {
    if (why != nullptr) *why = {Miss::other_key, "its name is not that of its key"};
    return std::nullopt;
  }
  return stored;
}

std::vector<TunedShape> DirectoryTier::tuning(const std::string& digest, Flaw* why) const {
  const Folder root = open_root();
  return root ? tuning_in(root, digest, why) : std::vector<TunedShape>();
}

std::vector<TunedShape> DirectoryTier::tuning_in(const Folder& root, const std::string& digest, Flaw* why) const {
  const auto file = contents(root, tuning_path(digest), kMaxTuningBytes, why);
  return (file ? decode_tuning(file->bytes, digest, why) : std::nullopt).value_or(std::vector<TunedShape>());
}

std::string DirectoryTier::complaint(const std::string& digest, const Flaw& flaw) const {
  return fmt::format("cache entry {} is not used: {}; {}", file_of(digest), flaw.text,
                     flaw.mend.empty() ? "remove it" : "to mend it: " + flaw.mend);
}

}  // namespace kiln::cache
