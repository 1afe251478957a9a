#include "cache/folder.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "base/fault_point.hpp"
#include "base/file.hpp"

namespace kiln::cache {
namespace {

void set(Refusal* why, Refusal refusal) {
  if (why != nullptr) *why = std::move(refusal);
}

// Why what is open under that path is not to be trusted; empty where it is.
Refusal distrust(const struct stat& status, const Owners& owners, const std::string& path, const char* remove) {
  if (!owners.trust(status.st_uid)) {
    const uid_t wanted = owners.self ? ::geteuid() : owners.directory_owner;
    return {.why = fmt::format("belongs to user {}, not to user {}, {}", status.st_uid, wanted,
                               owners.self ? "who runs this process" : "as the directory does"),
            .mend = fmt::format("{} {}", remove, path)};
  }
  if ((status.st_mode & 022U) != 0) {
    return {.why = fmt::format("can be written by others (mode {:04o})", status.st_mode & 07777U),
            .mend = fmt::format("chmod go-w {}", path)};
  }
  return {};
}

Refusal refusal_of(int code, const std::string& path, const char* wanted) {
  // A link and a file where a folder should be, a folder and a socket where a file should be.
  if (code == ENOTDIR || code == ELOOP || code == EISDIR || code == ENXIO) {
    return {.code = code, .why = fmt::format("is not {}", wanted), .mend = fmt::format("rm -r {}", path)};
  }
  return {.code = code, .why = fmt::format("cannot be opened: {}", base::errno_text(code)), .mend = {}};
}

}  // namespace

bool Owners::trust(uid_t user) const noexcept {
  return user == ::geteuid() || (!self && (user == 0 || user == directory_owner));
}

Folder Folder::open_at(int folder, const char* name, std::string path, Owners owners, Refusal* why) {
  const bool root = folder == AT_FDCWD;
  const int flags = O_PATH | O_DIRECTORY | (owners.self && !root ? O_NOFOLLOW : 0);
  base::FileDescriptor file = base::FileDescriptor::open_at(folder, name, flags);
  // Over NFS another folder may have taken the name.
  if (!file && errno == ESTALE) file = base::FileDescriptor::open_at(folder, name, flags);
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0) {
    set(why, refusal_of(errno, path, "a folder"));
    return {};
  }
  if (Refusal refusal = distrust(status, owners, path, "rm -r"); !refusal.why.empty()) {
    set(why, std::move(refusal));
    return {};
  }
  return {std::move(file), std::move(path), owners};
}

Folder Folder::open_root(std::string path, Owners owners, Refusal* why) {
  const std::string name = path;
  return open_at(AT_FDCWD, name.c_str(), std::move(path), owners, why);
}

Folder Folder::open(std::string_view name, Refusal* why) const {
  return open_at(file_.get(), std::string(name).c_str(), path_of(name), owners_, why);
}

Folder Folder::make(std::string_view name, Refusal* why) const {
  if (::mkdirat(file_.get(), std::string(name).c_str(), 0700) == 0) {
    base::fault_point("mkdir");
  } else if (errno != EEXIST) {
    set(why, {.code = errno, .why = fmt::format("cannot be made: {}", base::errno_text(errno)), .mend = {}});
    return {};
  }
  return open(name, why);
}

OpenedFile Folder::open_file(std::string_view name, int flags, Refusal* why) const {
  OpenedFile opened{.file = base::FileDescriptor::open_at(file_.get(), std::string(name).c_str(),
                                                          flags | no_links() | O_NONBLOCK | O_NOCTTY, 0600)};
  if (!opened || ::fstat(opened.file.get(), &opened.status) != 0) {
    set(why, refusal_of(errno, path_of(name), "a regular file"));
    return {};
  }
  Refusal refusal = S_ISREG(opened.status.st_mode) ? distrust(opened.status, owners_, path_of(name), "rm")
                                                   : refusal_of(EISDIR, path_of(name), "a regular file");
  if (refusal.why.empty()) return opened;
  set(why, std::move(refusal));
  return {};
}

int Folder::list(const std::function<void(const char*)>& visit) const {
  base::FileDescriptor readable = base::FileDescriptor::open_at(file_.get(), ".", O_RDONLY | O_DIRECTORY);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(readable ? ::fdopendir(readable.get()) : nullptr, ::closedir);
  if (stream == nullptr) return errno;
  static_cast<void>(readable.release());
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(stream.get());
    if (entry == nullptr) return errno;
    visit(entry->d_name);
  }
}

std::string Folder::path_of(std::string_view name) const {
  return fmt::format("{}/{}", path_, name);
}

Folder open_folder_of(const Folder& root, std::string_view path, Refusal* why) {
  return root.open(path.substr(0, path.find('/')), why);
}

}  // namespace kiln::cache
