// flock on a file that its holder removes again.
#include "cache/flight.hpp"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>
#include <utility>

#include "base/fault_point.hpp"
#include "base/file_descriptor.hpp"

namespace kiln::cache {
namespace {

class FileFlight final : public DiskStore::Flight {
 public:
  FileFlight(base::FileDescriptor folder, base::FileDescriptor file, std::string name)
      : folder_(std::move(folder)), file_(std::move(file)), name_(std::move(name)) {}
  FileFlight(const FileFlight&) = delete;
  FileFlight& operator=(const FileFlight&) = delete;
  ~FileFlight() override {
    ::unlinkat(folder_.get(), name_.c_str(), 0);
    base::fault_point("flight:removed");
    // A forked child shares the open file: closing it here alone would leave the lock with the child.
    ::flock(file_.get(), LOCK_UN);
    base::fault_point("flight:unlocked");
  }

 private:
  base::FileDescriptor folder_;
  base::FileDescriptor file_;
  std::string name_;
};

// What a stranger put there may be locked for ever.
bool is_lock(int file, int folder) {
  struct stat status{};
  struct stat around{};
  return ::fstat(file, &status) == 0 && ::fstat(folder, &around) == 0 && S_ISREG(status.st_mode) &&
         (status.st_uid == ::geteuid() || status.st_uid == around.st_uid);
}

using Clock = std::chrono::steady_clock;

// "For ever" is milliseconds::max(), which no clock's time can be added to.
Clock::time_point deadline_after(std::chrono::milliseconds timeout) {
  const Clock::time_point now = Clock::now();
  const auto longest = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::time_point::max() - now);
  return now + std::clamp(timeout, std::chrono::milliseconds(0), longest);
}

}  // namespace

FlightAttempt take_flight(const std::string& path, std::chrono::milliseconds timeout) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  return take_flight(base::FileDescriptor::open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW),
                     slash == std::string::npos ? path : path.substr(slash + 1), timeout);
}

FlightAttempt take_flight(base::FileDescriptor folder, const std::string& file_name, std::chrono::milliseconds timeout) {
  constexpr std::chrono::microseconds kFirstPause{500};
  constexpr std::chrono::microseconds kLongestPause{10'000};
  const Clock::time_point deadline = deadline_after(timeout);
  std::chrono::microseconds pause = kFirstPause;
  if (!folder) return {};
  const char* const name = file_name.c_str();
  for (;;) {
    base::FileDescriptor file =
        base::FileDescriptor::open_at(folder.get(), name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (!file || !is_lock(file.get(), folder.get())) return {};
    base::fault_point("flight:opened");
    // flock has no time-out of its own but signals, which belong to the program. Whoever waits for a file that has lost its
    // name waits for nothing: a child that was forked at the wrong moment may hold it as long as it lives.
    bool named = true;
    while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) {
        ::unlinkat(folder.get(), name, 0);  // no locks here (ENOLCK, an NFS server without them): nobody needs the file
        return {};
      }
      if (Clock::now() >= deadline) return {FlightState::timed_out, nullptr};
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, kLongestPause);
      named = base::is_named(file.get(), folder.get(), name);
      if (!named) break;
    }
    // The last holder may have removed the file between our open and our lock; a lock on a file without a name excludes nobody.
    if (named && base::is_named(file.get(), folder.get(), name)) {
      base::fault_point("flight:locked");
      return {FlightState::held, std::make_unique<FileFlight>(std::move(folder), std::move(file), file_name)};
    }
    if (named) ::flock(file.get(), LOCK_UN);  // as in ~FileFlight: closing it leaves the lock with a forked child
    if (Clock::now() >= deadline) return {FlightState::timed_out, nullptr};
  }
}

}  // namespace kiln::cache
