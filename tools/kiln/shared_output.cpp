#include "shared_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include "file_kind.hpp"
#include "kiln/error.hpp"
#include "kiln/npy.hpp"
#include "usage_error.hpp"

namespace kiln::tool {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kArrival(60);
constexpr const char* kDone = "done";
constexpr const char* kFailed = "failed ";
constexpr const char* kFiles = "files";

[[noreturn]] void fail(const fs::path& path) {
  throw IoError(fmt::format("cannot write \"{}\": {}", path.string(), std::strerror(errno)));
}

std::string read_small(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

void write_all(int file, const char* bytes, std::size_t count, off_t at, const fs::path& path) {
  while (count > 0) {
    const ssize_t written = ::pwrite(file, bytes, count, at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail(path);
    bytes += written;
    count -= static_cast<std::size_t>(written);
    at += written;
  }
}

std::vector<OutputTarget> files_of(const std::vector<std::string>& names) {
  if (names.empty()) throw UsageError("several ranks write one file: give -o FILE, or --ranks none");
  std::vector<OutputTarget> targets;
  for (const std::string& name : names) {
    targets.push_back(output_target(name));
    if (targets.back().stream) {
      throw UsageError(
          fmt::format("several ranks write one file, and {} is none: give -o FILE, or --ranks none", targets.back().shown()));
    }
    if (is_picture(name)) {
      throw UsageError(fmt::format("several ranks write one .npy file, and {} is a picture: give --ranks none, or write .npy",
                                   targets.back().shown()));
    }
  }
  return targets;
}

}  // namespace

SharedOutput::SharedOutput(const std::vector<std::string>& names, RankPlace place)
    : place_(std::move(place)), targets_(files_of(names)) {
  const fs::path& first = targets_.front().path;
  folder_ = first.parent_path() / fmt::format(".{}.kiln-{}", first.filename().string(), place_.job);
  if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) fail(folder_);
  const fs::path mark = mark_of(place_.rank);
  if (look_at(place_.rank).state == State::working) {
    throw IoError(fmt::format("another process is rank {} of this job: \"{}\"", place_.rank, mark.string()));
  }
  // Locked before it has its name: whoever gets the lock knows that this process has ended.
  const fs::path unnamed = folder_ / fmt::format("new{}-{}", place_.rank, ::getpid());
  mark_ = ::open(unnamed.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_TRUNC, 0600);
  if (mark_ < 0) fail(unnamed);
  [[maybe_unused]] const int locked = ::flock(mark_, LOCK_EX | LOCK_NB);
  fs::rename(unnamed, mark);
}

SharedOutput::~SharedOutput() {
  if (!written_) say(kFailed + error_);
  // The others hear of it before the folder goes.
  if (!written_ && place_.rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(300));
  if (mark_ >= 0) ::close(mark_);
  if (place_.rank == 0) remove_marks();
}

fs::path SharedOutput::mark_of(int rank) const {
  return folder_ / fmt::format("rank{}", rank);
}

void SharedOutput::say(const std::string& text) const {
  [[maybe_unused]] const ssize_t written = ::pwrite(mark_, text.data(), text.size(), 0);
  ::fsync(mark_);
}

SharedOutput::Peer SharedOutput::look_at(int rank) const {
  const fs::path path = mark_of(rank);
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return {};
  // The lock first: a rank says what it has to say before it ends.
  const bool ended = ::flock(file, LOCK_EX | LOCK_NB) == 0;
  ::close(file);
  const std::string text = read_small(path);
  if (text == kDone) return {State::done, {}};
  if (text.starts_with(kFailed)) return {State::failed, text.substr(std::strlen(kFailed))};
  return {ended ? State::dead : State::working, {}};
}

template <class Ready>
void SharedOutput::wait_for(int rank, const Ready& ready) const {
  const auto start = Clock::now();
  std::chrono::milliseconds pause(1);
  bool came = false;
  while (!ready()) {
    const Peer peer = look_at(rank);
    came |= peer.state != State::absent;
    if (peer.state == State::failed) throw IoError(fmt::format("rank {} failed: {}", rank, peer.text));
    // It may have done what is waited for since.
    if (peer.state == State::dead && !ready()) throw IoError(fmt::format("rank {} died", rank));
    if (came && peer.state == State::absent && !ready()) throw IoError(fmt::format("rank {} ended", rank));
    if (!came && Clock::now() - start > kArrival) {
      throw IoError(
          fmt::format("rank {} did not come within {} s: do all ranks see \"{}\"?", rank, kArrival.count(), folder_.string()));
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(50));
  }
}

/// The files appear beside their names, and then their list.
void SharedOutput::make_files(std::span<const Array> parts, std::int64_t rows) {
  std::string list;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    Shape shape = parts[i].shape();
    shape[0] = rows;
    const fs::path& path = pending_.add(targets_[i]);
    static_cast<void>(create_npy(path, shape, parts[i].dtype()));
    list += fs::absolute(path).string() + '\n';
  }
  const fs::path whole = folder_ / kFiles;
  const fs::path partial = folder_ / "files.tmp";
  std::ofstream(partial, std::ios::binary) << list;
  fs::rename(partial, whole);
}

void SharedOutput::write_rows(std::span<const Array> parts, Rows own) const {
  std::istringstream list(read_small(folder_ / kFiles));
  for (const Array& part : parts) {
    std::string path;
    std::getline(list, path);
    const Array packed = part.is_c_contiguous() ? part : part.copy();
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) fail(path);
    struct stat status = {};
    ::fstat(file, &status);
    const std::int64_t taken = own.end - own.begin;
    const std::int64_t row = taken == 0 ? 0 : packed.nbytes() / taken;
    try {
      // The data end the file; own.end counts from its beginning, and what follows it is not known here but by the size.
      std::ifstream head(path, std::ios::binary);
      char prologue[12] = {};
      head.read(prologue, sizeof prologue);
      const auto byte = [&](int i) { return static_cast<std::int64_t>(static_cast<unsigned char>(prologue[i])); };
      const std::int64_t header = prologue[6] == 1 ? 10 + byte(8) + 256 * byte(9)
                                                   : 12 + byte(8) + 256 * byte(9) + 65536 * byte(10) + 16777216 * byte(11);
      write_all(file, static_cast<const char*>(packed.data()), static_cast<std::size_t>(packed.nbytes()),
                static_cast<off_t>(header + own.begin * row), path);
      if (::fsync(file) != 0) fail(path);
    } catch (...) {
      ::close(file);
      throw;
    }
    if (::close(file) != 0) fail(path);
  }
}

void SharedOutput::write(std::span<const Array> parts, Rows own, std::int64_t rows) {
  if (place_.rank == 0) {
    make_files(parts, rows);
  } else if (own.begin != own.end) {
    wait_for(0, [&] { return fs::exists(folder_ / kFiles); });
  }
  if (own.begin != own.end) write_rows(parts, own);
  if (place_.rank == 0) {
    for (int rank = 1; rank < place_.size; ++rank) wait_for(rank, [&] { return look_at(rank).state == State::done; });
    pending_.publish();
  }
  say(kDone);
  written_ = true;
}

void SharedOutput::remove_marks() const {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

}  // namespace kiln::tool
