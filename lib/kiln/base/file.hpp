// Whole files: read with a limit, written so that readers see all of it or nothing. Failures are values.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/permissions.hpp"

namespace kiln::base {

/// A failed step: errno (0 where kiln itself found it) and one line, "cannot open /a/b: Permission denied".
struct FileError {
  int code = 0;
  std::string text;
};

/// errno's text, "Permission denied".
[[nodiscard]] std::string errno_text(int code);

/// "cannot <verb> <path>: <errno's text>".
[[nodiscard]] FileError failure(const char* verb, const std::string& path, int code);

struct ReadOptions {
  std::uint64_t limit = std::uint64_t{1} << 30;  ///< bytes; a larger file is an error, and is not read
  bool follow_links = true;                      ///< of the last component
  int folder = AT_FDCWD;  ///< descriptor of the folder that the file is in; the rest of its path is then for messages alone
};

struct FileContents {
  std::string bytes;
  std::int64_t modified_seconds = 0;  ///< since 1970
  uid_t owner = 0;
  mode_t mode = 0;
};

/// The whole of a regular file. Nothing, with the reason in `error` (may be null), for a file that is missing, unreadable, not
/// regular (never blocks on a FIFO), larger than the limit, or that shrinks while it is read.
[[nodiscard]] std::optional<FileContents> read_file(const std::string& path, const ReadOptions& options, FileError* error);

/// Whether the file is there, is regular and no symbolic link, belongs to this user, who alone may write it, and holds just
/// these bytes. `folder` as in ReadOptions.
[[nodiscard]] bool file_holds(const std::string& path, std::string_view bytes, int folder = AT_FDCWD);

struct PublishOptions {
  mode_t mode = 0666;           ///< as open(2) takes it: the umask applies
  bool sync = true;             ///< the bytes are on the disk before the name is
  bool sync_directory = false;  ///< and the name is before the call returns
  bool lock = false;      ///< hold flock() on the temporary file, so that others can tell it from one of a process that died
  int folder = AT_FDCWD;  ///< as in ReadOptions
  std::optional<Permissions> permissions = {};  ///< of the file that is replaced, in place of `mode`
};

/// Writes a temporary file beside `path`, then renames it onto `path`. On failure nothing is left and an old file stays as
/// it was. Nothing is returned on success. Errors name `path`, so that the same fault has the same text every time.
[[nodiscard]] std::optional<FileError> publish_file(const std::string& path, std::string_view bytes,
                                                    const PublishOptions& options);

/// What the names of publish_file's temporary files contain, for those who clean up after a killed process.
inline constexpr std::string_view kTemporaryMark = ".tmp-";

}  // namespace kiln::base
