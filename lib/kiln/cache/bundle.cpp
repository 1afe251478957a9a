// pread throughout, not mmap: a bundle that is cut short while it is open is then an error, and not a SIGBUS.
#include "cache/bundle.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/little_endian.hpp"
#include "base/output_target.hpp"
#include "cache/entry.hpp"

namespace kiln::cache {
namespace {

using base::append_integer;
using base::FileError;
using base::Hash128;
using base::read_integer;

constexpr std::string_view kMagic("kilnb\r\n\x1a", 8);  // as PNG's: shows what a text-mode copy did
constexpr std::uint32_t kFormatVersion = 1;
constexpr std::size_t kHeaderBytes = 16;
constexpr std::size_t kItemBytes = 32;
constexpr std::size_t kChecksumBytes = 16;
constexpr std::size_t kFooterBytes = 16 + 2 * kChecksumBytes;
constexpr std::size_t kItemsAtOnce = 2048;

std::string header() {
  std::string out(kMagic);
  append_integer(out, kFormatVersion, 4);
  append_integer(out, 0, 4);
  return out;
}

void append_item(std::string& out, const BundleItem& item) {
  out += base::view(item.digest);
  append_integer(out, item.offset, 8);
  append_integer(out, item.bytes, 8);
}

BundleItem item_of(std::string_view bytes) {
  BundleItem item;
  std::copy_n(bytes.begin(), item.digest.size(), reinterpret_cast<char*>(item.digest.data()));
  item.offset = read_integer(bytes, 16, 8);
  item.bytes = read_integer(bytes, 24, 8);
  return item;
}

// What an index may hold: entries by ascending digest that fill the space between header and index without a gap.
class IndexRules {
 public:
  explicit IndexRules(std::uint64_t end) : end_(end) {}
  // What is wrong with the next item, or "".
  std::string next(const BundleItem& item) {
    if (any_ && item.digest == last_) return "its index has an entry twice";
    if (any_ && item.digest < last_) return "its index is not sorted";
    if (item.offset != offset_) return "its index has entries that do not follow one another";
    if (item.bytes == 0 || item.bytes > kMaxEntryBytes) return fmt::format("its index has an entry of {} bytes", item.bytes);
    if (item.bytes > end_ - offset_) return "its index has an entry that reaches beyond the others' end";
    any_ = true;
    last_ = item.digest;
    offset_ += item.bytes;
    return {};
  }
  [[nodiscard]] bool complete() const { return offset_ == end_; }

 private:
  bool any_ = false;
  Hash128 last_{};
  std::uint64_t offset_ = kHeaderBytes;
  std::uint64_t end_;
};

}  // namespace

std::optional<BundleWriter> BundleWriter::create(const std::string& path, FileError* error) {
  const base::OutputTarget target = base::output_target(path);
  if (!target.refusal.empty()) {
    *error = {0, fmt::format("cannot write {}: {}", path, target.refusal)};
    return std::nullopt;
  }
  auto file = base::PendingFile::create(target.path, 0644, error);
  if (!file) return std::nullopt;
  BundleWriter writer(std::move(file));
  if (auto fault = writer.append(header())) {
    *error = std::move(*fault);
    return std::nullopt;
  }
  return writer;
}

BundleWriter BundleWriter::in_memory() {
  BundleWriter writer(std::nullopt);
  static_cast<void>(writer.append(header()));
  return writer;
}

std::optional<FileError> BundleWriter::append(std::string_view bytes) {
  hasher_.update(bytes);
  if (file_) return file_->append(bytes);
  memory_ += bytes;
  return std::nullopt;
}

std::optional<FileError> BundleWriter::add(const Hash128& digest, std::string_view bytes) {
  if (bytes.empty() || bytes.size() > kMaxEntryBytes) {
    return FileError{0, fmt::format("cannot put an entry of {} bytes into a bundle", bytes.size())};
  }
  if (!items_.empty() && digest <= items_.back().digest) return FileError{0, "the entries of a bundle must be sorted"};
  items_.push_back({digest, size(), bytes.size()});
  return append(bytes);
}

std::optional<FileError> BundleWriter::finish() {
  const std::uint64_t index = size();
  base::Hasher128 of_index;
  std::string chunk;
  const auto flush = [&] {
    of_index.update(chunk);
    auto fault = append(chunk);
    chunk.clear();
    return fault;
  };
  for (const BundleItem& item : items_) {
    append_item(chunk, item);
    if (chunk.size() < kItemsAtOnce * kItemBytes) continue;
    if (auto fault = flush()) return fault;
  }
  append_integer(chunk, index, 8);
  append_integer(chunk, items_.size(), 8);
  if (auto fault = flush()) return fault;
  if (auto fault = append(base::view(of_index.result()))) return fault;
  if (auto fault = append(base::view(hasher_.result()))) return fault;
  return file_ ? file_->publish() : std::nullopt;
}

FileError Bundle::damaged(std::string_view reason) const {
  return {0, fmt::format("cannot read bundle {}: {}", path_, reason)};
}

std::optional<FileError> Bundle::read_at(std::uint64_t offset, char* to, std::size_t bytes) const {
  if (!file_) {
    if (offset > memory_.size() || bytes > memory_.size() - offset) return damaged("truncated");
    memory_.copy(to, bytes, offset);
    return std::nullopt;
  }
  while (bytes > 0) {
    const ssize_t got = ::pread(file_.get(), to, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FileError{errno, fmt::format("cannot read bundle {}: {}", path_, base::errno_text(errno))};
    if (got == 0) return damaged("it became shorter while it was read");
    to += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
  return std::nullopt;
}

std::optional<Bundle> Bundle::open(const std::string& path, FileError* error) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer; it changes nothing for regular files.
  Bundle bundle(path, base::FileDescriptor::open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  if (!bundle.file_) {
    *error = {errno, fmt::format("cannot open bundle {}: {}", path, base::errno_text(errno))};
    return std::nullopt;
  }
  if (auto fault = bundle.read_frame()) {
    *error = std::move(*fault);
    return std::nullopt;
  }
  return bundle;
}

std::optional<Bundle> Bundle::of_bytes(std::string_view bytes, const std::string& name, FileError* error) {
  Bundle bundle(name, base::FileDescriptor());
  bundle.memory_ = bytes;
  if (auto fault = bundle.read_frame()) {
    *error = std::move(*fault);
    return std::nullopt;
  }
  return bundle;
}

std::optional<FileError> Bundle::read_frame() {
  size_ = memory_.size();
  if (file_) {
    struct stat status{};
    if (::fstat(file_.get(), &status) != 0) {
      return FileError{errno, fmt::format("cannot read bundle {}: {}", path_, base::errno_text(errno))};
    }
    if (!S_ISREG(status.st_mode)) return damaged("not a regular file");
    size_ = static_cast<std::uint64_t>(status.st_size);
    mode_ = status.st_mode;
  }
  if (size_ < kMagic.size()) return damaged("not a kiln bundle");
  std::array<char, kHeaderBytes> head{};
  if (auto fault = read_at(0, head.data(), std::min<std::size_t>(size_, head.size()))) return fault;
  const std::string_view header(head.data(), head.size());
  if (header.substr(0, kMagic.size()) != kMagic) return damaged("not a kiln bundle");
  if (size_ < kHeaderBytes + kFooterBytes) return damaged("truncated");
  if (const std::uint64_t version = read_integer(header, 8, 4); version != kFormatVersion) {
    return damaged(fmt::format("it is of format version {}, and this kiln reads {}", version, kFormatVersion));
  }
  if (read_integer(header, 12, 4) != 0) return damaged("its header is damaged");
  std::array<char, kFooterBytes> foot{};
  if (auto fault = read_at(size_ - foot.size(), foot.data(), foot.size())) return fault;
  const std::string_view footer(foot.data(), foot.size());
  index_ = read_integer(footer, 0, 8);
  count_ = read_integer(footer, 8, 8);
  const std::uint64_t end = size_ - kFooterBytes;
  // Divided, not multiplied: a hostile count could wrap.
  if (index_ < kHeaderBytes || index_ > end || (end - index_) % kItemBytes != 0 || (end - index_) / kItemBytes != count_) {
    return damaged("truncated, or other bytes follow its end");
  }
  return check_index(footer);
}

std::optional<FileError> Bundle::check_index(std::string_view footer) const {
  base::Hasher128 hasher;
  IndexRules rules(index_);
  std::string wrong;
  std::vector<char> chunk(kItemsAtOnce * kItemBytes);
  for (std::uint64_t i = 0; i < count_; i += kItemsAtOnce) {
    const auto items = static_cast<std::size_t>(std::min<std::uint64_t>(kItemsAtOnce, count_ - i));
    if (auto fault = read_at(index_ + i * kItemBytes, chunk.data(), items * kItemBytes)) return fault;
    const std::string_view bytes(chunk.data(), items * kItemBytes);
    hasher.update(bytes);
    for (std::size_t j = 0; j < items && wrong.empty(); ++j) wrong = rules.next(item_of(bytes.substr(j * kItemBytes)));
  }
  hasher.update(footer.substr(0, 16));
  // First: an index with a wrong checksum was damaged by chance, and what its items say is noise.
  if (base::view(hasher.result()) != footer.substr(16, kChecksumBytes)) return damaged("wrong checksum of its index");
  if (!wrong.empty()) return damaged(wrong);
  if (!rules.complete()) return damaged("bytes between its entries and its index belong to neither");
  return std::nullopt;
}

std::optional<BundleItem> Bundle::item(std::uint64_t i, FileError* error) const {
  std::array<char, kItemBytes> bytes{};
  if (auto fault = read_at(index_ + i * kItemBytes, bytes.data(), bytes.size())) {
    *error = std::move(*fault);
    return std::nullopt;
  }
  return item_of({bytes.data(), bytes.size()});
}

std::optional<std::uint64_t> Bundle::lower_bound(const Hash128& digest, FileError* error) const {
  std::uint64_t first = 0;
  std::uint64_t last = count_;
  while (first < last) {
    const std::uint64_t middle = first + (last - first) / 2;
    const auto found = item(middle, error);
    if (!found) return std::nullopt;
    (found->digest < digest ? first : last) = found->digest < digest ? middle + 1 : middle;
  }
  return first;
}

std::optional<BundleItem> Bundle::find(const Hash128& digest, FileError* error) const {
  *error = {};
  const auto first = lower_bound(digest, error);
  if (!first || *first == count_) return std::nullopt;
  const auto found = item(*first, error);
  return found && found->digest == digest ? found : std::nullopt;
}

std::optional<std::string> Bundle::read_part(const BundleItem& item, std::uint64_t offset, std::uint64_t bytes,
                                             FileError* error) const {
  // The item again, for a file that was written to after it was opened.
  const bool inside = item.bytes <= kMaxEntryBytes && item.offset <= size_ && item.bytes <= size_ - item.offset;
  if (!inside || offset > item.bytes || bytes > item.bytes - offset) {
    *error = damaged("it changed while it was open");
    return std::nullopt;
  }
  std::string part(bytes, '\0');
  if (auto fault = read_at(item.offset + offset, part.data(), part.size())) {
    *error = std::move(*fault);
    return std::nullopt;
  }
  return part;
}

std::optional<std::string> Bundle::read(const BundleItem& item, FileError* error) const {
  return read_part(item, 0, item.bytes, error);
}

std::optional<FileError> Bundle::verify(const Check& check) const {
  base::Hasher128 hasher;
  FileError error;
  std::array<char, kHeaderBytes> head{};
  if (auto fault = read_at(0, head.data(), head.size())) return fault;
  hasher.update({head.data(), head.size()});
  std::string wrong;
  for (std::uint64_t i = 0; i < count_; ++i) {
    const auto here = item(i, &error);
    if (!here) return error;
    const auto bytes = read(*here, &error);
    if (!bytes) return error;
    hasher.update(*bytes);
    if (!wrong.empty()) continue;
    wrong = check(*here, *bytes);
    if (!wrong.empty()) wrong = fmt::format("entry {} is not sound: {}", base::to_hex(here->digest), wrong);
  }
  std::vector<char> chunk(kItemsAtOnce * kItemBytes);
  const std::uint64_t end = size_ - kChecksumBytes;
  for (std::uint64_t at = index_; at < end;) {
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(chunk.size(), end - at));
    if (auto fault = read_at(at, chunk.data(), bytes)) return fault;
    hasher.update({chunk.data(), bytes});
    at += bytes;
  }
  std::array<char, kChecksumBytes> checksum{};
  if (auto fault = read_at(end, checksum.data(), checksum.size())) return fault;
  if (!wrong.empty()) return damaged(wrong);
  if (base::view(hasher.result()) != std::string_view(checksum.data(), checksum.size())) return damaged("wrong checksum");
  return std::nullopt;
}

}  // namespace kiln::cache
