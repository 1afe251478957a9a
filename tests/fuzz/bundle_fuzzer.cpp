// A bundle that opens finds each entry of its index, and one that is sound is written again as the same bytes.
#include "cache/bundle.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "targets.hpp"

namespace kiln::fuzz {
namespace {

constexpr std::size_t kFooterBytes = 48;

/// A file in memory that has a path while this lives.
class File {
 public:
  explicit File(std::string_view bytes) : fd_(::memfd_create("bundle", MFD_CLOEXEC)) {
    require(fd_ >= 0 && ::write(fd_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "memory for a file");
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { ::close(fd_); }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

std::string bytes_of(const std::string& path) {
  base::FileError error;
  const auto contents = base::read_file(path, {}, &error);
  require(contents.has_value(), "a bundle that was written can be read");
  return contents->bytes;
}

// The same entries in a bundle of their own.
std::string write_again(const cache::Bundle& bundle) {
  // One for each process, replaced each time.
  static const std::string path = "/tmp/kiln-fuzz-bundle-" + std::to_string(::getpid());
  base::FileError error;
  auto writer = cache::BundleWriter::create(path, &error);
  require(writer.has_value(), "a bundle can be made in /tmp");
  for (std::uint64_t i = 0; i < bundle.count(); ++i) {
    const auto item = bundle.item(i, &error);
    const auto bytes = bundle.read(*item, &error);
    require(!writer->add(item->digest, *bytes), "what an index may hold can be written");
  }
  require(!writer->finish(), "a bundle can be finished");
  const std::string bytes = bytes_of(path);
  ::unlink(path.c_str());
  return bytes;
}

void look(std::string_view bytes) {
  const File file(bytes);
  base::FileError error;
  const auto bundle = cache::Bundle::open(file.path(), &error);
  if (!bundle) return require(error.text.find(file.path()) != std::string::npos, "an error names the file");
  require(bundle->size() == bytes.size(), "a bundle has its file's size");
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < bundle->count(); ++i) {
    const auto item = bundle->item(i, &error);
    require(item.has_value(), "an index can be read");
    const auto found = bundle->find(item->digest, &error);
    require(found && found->offset == item->offset && found->bytes == item->bytes, "what is in the index is found");
    const auto entry = bundle->read(*item, &error);
    require(entry && entry->size() == item->bytes && *entry == bytes.substr(item->offset, item->bytes),
            "an entry is its bytes");
    sum += entry->size();
  }
  require(sum <= bytes.size(), "entries do not overlap");
  const auto fault = bundle->verify([](const cache::BundleItem&, std::string_view) { return std::string(); });
  if (!fault) require(write_again(*bundle) == bytes, "the same entries give the same bytes");
}

// Nothing that is changed at random has right checksums: what lies behind them is reached by mending them.
std::string mend(std::string_view bytes) {
  std::string mended(bytes);
  std::uint64_t index = 0;
  std::memcpy(&index, mended.data() + mended.size() - kFooterBytes, sizeof index);
  const std::size_t checksums = mended.size() - 2 * kChecksumBytes;
  if (index <= checksums) {
    const auto of_index = base::hash128(std::string_view(mended).substr(index, checksums - index));
    std::memcpy(mended.data() + checksums, of_index.data(), kChecksumBytes);
  }
  const auto of_all = base::hash128(std::string_view(mended).substr(0, mended.size() - kChecksumBytes));
  std::memcpy(mended.data() + mended.size() - kChecksumBytes, of_all.data(), kChecksumBytes);
  return mended;
}

}  // namespace

void bundle(std::string_view bytes) {
  look(bytes);
  if (bytes.size() >= kFooterBytes) look(mend(bytes));
}

}  // namespace kiln::fuzz
