#include "kiln/npz.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "base/file.hpp"
#include "base/file_descriptor.hpp"
#include "files/npy_source.hpp"
#include "files/zip_archive.hpp"
#include "kiln/error.hpp"
#include "types/reason.hpp"

namespace kiln {
namespace {

constexpr std::string_view kSuffix = ".npy";

class Archive {
 public:
  explicit Archive(const std::filesystem::path& path) : path_(path) {
    // O_NONBLOCK: opening a FIFO must not wait for a writer.
    file_ = base::FileDescriptor::open(path.string(), O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (!file_) fail(base::errno_text(errno));
    struct stat status{};
    if (::fstat(file_.get(), &status) != 0) fail(base::errno_text(errno));
    if (!S_ISREG(status.st_mode)) fail("it is not a regular file");
    bytes_ = static_cast<std::size_t>(status.st_size);
    try {
      members_ = detail::read_zip_table(file_, bytes_);
    } catch (const detail::NpyError& error) {
      fail(error);
    }
    std::erase_if(members_, [](const detail::ZipMember& member) { return !member.name.ends_with(kSuffix); });
  }

  [[nodiscard]] const std::vector<detail::ZipMember>& members() const noexcept { return members_; }
  [[nodiscard]] static std::string name_of(const detail::ZipMember& member) {
    return member.name.substr(0, member.name.size() - kSuffix.size());
  }
  [[nodiscard]] std::string names() const {
    std::string names;
    for (const detail::ZipMember& member : members_) names += (names.empty() ? "" : ", ") + name_of(member);
    return names.empty() ? "none" : names;
  }

  [[nodiscard]] Array read(const detail::ZipMember& member) const {
    try {
      detail::ZipSource source(file_, bytes_, member);
      Array array = detail::read_npy(source);
      source.check_end();
      return array;
    } catch (const detail::NpyError& error) {
      fail(error, "member \"" + member.name + "\": ");
    }
  }

  [[noreturn]] void fail(const std::string& why) const { throw IoError("failed to read \"" + path_.string() + "\": " + why); }

 private:
  [[noreturn]] void fail(const detail::NpyError& error, const std::string& of = "") const {
    throw Because<IoError>(Reason::format, "failed to read \"" + path_.string() + "\": " + of + error.what + " (at byte " +
                                               std::to_string(error.offset) + ")");
  }

  std::filesystem::path path_;
  base::FileDescriptor file_;
  std::size_t bytes_ = 0;
  std::vector<detail::ZipMember> members_;
};

}  // namespace

std::vector<std::string> npz_names(const std::filesystem::path& path) {
  const Archive archive(path);
  std::vector<std::string> names;
  for (const detail::ZipMember& member : archive.members()) names.push_back(Archive::name_of(member));
  return names;
}

Array load_npz(const std::filesystem::path& path, std::string_view name) {
  const Archive archive(path);
  for (const detail::ZipMember& member : archive.members()) {
    if (Archive::name_of(member) == name) return archive.read(member);
  }
  archive.fail("it has no array \"" + std::string(name) + "\"; its arrays: " + archive.names());
}

std::vector<std::pair<std::string, Array>> load_npz(const std::filesystem::path& path) {
  const Archive archive(path);
  std::vector<std::pair<std::string, Array>> arrays;
  for (const detail::ZipMember& member : archive.members()) arrays.emplace_back(Archive::name_of(member), archive.read(member));
  return arrays;
}

}  // namespace kiln
