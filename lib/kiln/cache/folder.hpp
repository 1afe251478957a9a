// An open folder at or below a cache directory. What is in it is reached by its descriptor and a name: no path below the cache
// is resolved twice, and each step is checked once it is open.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <cerrno>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/file_descriptor.hpp"

namespace kiln::cache {

/// Whose folders and files are used.
struct Owners {
  /// The cache's own directory: this user's alone, and no symbolic link is followed. Else a read-only directory: its owner's,
  /// root's and this user's, and links are followed.
  bool self = true;
  uid_t directory_owner = 0;  ///< of a read-only directory

  [[nodiscard]] bool trust(uid_t user) const noexcept;
};

/// Why a folder or a file is not used.
struct Refusal {
  int code = 0;      ///< errno of the step that failed; 0: what was opened is not to be trusted
  std::string why;   ///< without its subject: "can be written by others (mode 0777)"
  std::string mend;  ///< "chmod go-w /x"; empty where it is for the reader to find out

  [[nodiscard]] bool absent() const noexcept { return code == ENOENT; }
  /// Something else has the name.
  [[nodiscard]] bool occupied() const noexcept { return !mend.empty(); }
};

struct OpenedFile {
  base::FileDescriptor file;
  struct stat status{};

  [[nodiscard]] explicit operator bool() const noexcept { return bool(file); }
};

/// Move-only. Empty where it could not be opened; all reasons go to `why`, which may be null.
class Folder {
 public:
  Folder() noexcept = default;
  /// The directory itself, by its path. Links to it are followed, as its user may have placed them.
  [[nodiscard]] static Folder open_root(std::string path, Owners owners, Refusal* why = nullptr);

  /// A folder in this one, by its name.
  [[nodiscard]] Folder open(std::string_view name, Refusal* why = nullptr) const;
  /// The same; made with mode 0700 where there is none.
  [[nodiscard]] Folder make(std::string_view name, Refusal* why = nullptr) const;
  /// A regular file in this folder. `flags` as open(2) takes them; never blocks on what is no file.
  [[nodiscard]] OpenedFile open_file(std::string_view name, int flags, Refusal* why = nullptr) const;
  /// Calls visit with the name of each entry, in no order. 0, or errno.
  int list(const std::function<void(const char* name)>& visit) const;

  [[nodiscard]] explicit operator bool() const noexcept { return bool(file_); }
  [[nodiscard]] int get() const noexcept { return file_.get(); }
  [[nodiscard]] base::FileDescriptor duplicate() const noexcept { return file_.duplicate(); }
  /// For messages.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] std::string path_of(std::string_view name) const;

 private:
  Folder(base::FileDescriptor file, std::string path, Owners owners)
      : file_(std::move(file)), path_(std::move(path)), owners_(owners) {}
  [[nodiscard]] static Folder open_at(int folder, const char* name, std::string path, Owners owners, Refusal* why);
  [[nodiscard]] int no_links() const noexcept { return owners_.self ? O_NOFOLLOW : 0; }

  base::FileDescriptor file_;
  std::string path_;
  Owners owners_;
};

/// The folder of a file by its path within the cache: that of "3f/….kiln" is "3f".
[[nodiscard]] Folder open_folder_of(const Folder& root, std::string_view path, Refusal* why = nullptr);

}  // namespace kiln::cache
