// Reading and publishing through plain system calls: std::fstream has no O_EXCL, no fsync, and loses errno.
#include "base/file.hpp"

#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/fault_point.hpp"
#include "base/file_descriptor.hpp"
#include "base/temporary_file.hpp"

namespace kiln::base {
namespace {

template <typename Call>
auto restart_after_signals(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// 0, or errno.
int write_all(int fd, std::string_view bytes) {
  // A test that dies at "half-written" leaves half a file, as a write that the kernel cuts short would.
  const bool halves = fault_hook.load(std::memory_order_relaxed) != nullptr;
  const std::size_t half = bytes.size() / 2;
  while (!bytes.empty()) {
    const std::size_t size = halves && bytes.size() > half ? bytes.size() - half : bytes.size();
    const ssize_t written = restart_after_signals([&] { return ::write(fd, bytes.data(), size); });
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
    if (!bytes.empty()) fault_point("publish:half-written");
  }
  return 0;
}

// Some file systems cannot fsync; their files are as safe as they get.
int sync(int fd) {
  if (restart_after_signals([&] { return ::fsync(fd); }) == 0 || errno == EINVAL || errno == ENOTSUP) return 0;
  return errno;
}

// The descriptor is gone whatever close says; EINTR is no failure, EIO and EDQUOT report lost bytes.
int close_checked(FileDescriptor file) {
  return ::close(file.release()) == 0 || errno == EINTR ? 0 : errno;
}

}  // namespace

FileError failure(const char* verb, const std::string& path, int code) {
  return {code, std::string("cannot ") + verb + " " + path + ": " + errno_text(code)};
}

std::string errno_text(int code) {
  return std::generic_category().message(code);
}

std::optional<FileContents> read_file(const std::string& path, const ReadOptions& options, FileError* error) {
  const auto fail = [&](FileError why) {
    if (error != nullptr) *error = std::move(why);
    return std::nullopt;
  };
  // O_NONBLOCK: opening a FIFO must not wait for a writer; it changes nothing for regular files.
  const FileDescriptor file =
      FileDescriptor::open_at(options.folder, name_in(options.folder, path),
                              O_RDONLY | O_NONBLOCK | O_NOCTTY | (options.follow_links ? 0 : O_NOFOLLOW));
  if (!file) return fail(failure("open", path, errno));
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return fail(failure("read", path, errno));
  if (!S_ISREG(status.st_mode)) return fail({0, "cannot read " + path + ": not a regular file"});
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > options.limit) {
    return fail({0, "cannot read " + path + ": it has " + std::to_string(size) + " bytes, more than the limit of " +
                        std::to_string(options.limit)});
  }
  FileContents contents{std::string(size, '\0'), status.st_mtim.tv_sec, status.st_uid, status.st_mode};
  std::size_t done = 0;
  while (done < contents.bytes.size()) {
    char* const to = contents.bytes.data() + done;
    const ssize_t got = restart_after_signals([&] { return ::read(file.get(), to, contents.bytes.size() - done); });
    if (got < 0) return fail(failure("read", path, errno));
    if (got == 0) return fail({0, "cannot read " + path + ": it became shorter while it was read"});
    done += static_cast<std::size_t>(got);
  }
  return contents;
}

bool file_holds(const std::string& path, std::string_view bytes, int folder) {
  const auto there = read_file(path, {.limit = bytes.size(), .follow_links = false, .folder = folder}, nullptr);
  return there && there->owner == ::geteuid() && (there->mode & 022U) == 0 && there->bytes == bytes;
}

std::optional<FileError> publish_file(const std::string& path, std::string_view bytes, const PublishOptions& options) {
  std::string temporary;
  const auto open = options.lock ? open_locked_temporary : open_temporary;
  FileDescriptor file = open(options.folder, path, options.permissions ? S_IRUSR | S_IWUSR : options.mode, &temporary);
  if (!file) return failure("create", path, errno);
  const auto abandon = [&](const char* verb, int code) {
    ::unlinkat(options.folder, name_in(options.folder, temporary), 0);
    return failure(verb, path, code);
  };
  if (options.permissions) {
    if (const int code = give_permissions(file.get(), *options.permissions)) return abandon("set the mode of", code);
  }
  // The lock is held until the file has its name: closing `file`, which may tell of lost bytes, does not end it.
  const FileDescriptor holder = options.lock ? file.duplicate() : FileDescriptor();
  if (options.lock && !holder) return abandon("create", errno);
  fault_point("publish:opened");
  if (const int code = write_all(file.get(), bytes)) return abandon("write", code);
  fault_point("publish:written");
  if (options.sync) {
    if (const int code = sync(file.get())) return abandon("sync", code);
    fault_point("publish:synced");
  }
  if (const int code = close_checked(std::move(file))) return abandon("write", code);
  fault_point("publish:closed");
  if (::renameat(options.folder, name_in(options.folder, temporary), options.folder, name_in(options.folder, path)) != 0)
    return abandon("rename onto", errno);
  if (holder) (void)::flock(holder.get(), LOCK_UN);  // a forked child may have the descriptor
  fault_point("publish:renamed");
  if (options.sync_directory) {
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    const FileDescriptor directory = FileDescriptor::open(folder, O_RDONLY | O_DIRECTORY);
    if (!directory) return failure("open", folder, errno);
    if (const int code = sync(directory.get())) return failure("sync", folder, code);
    fault_point("publish:directory-synced");
  }
  return std::nullopt;
}

}  // namespace kiln::base
