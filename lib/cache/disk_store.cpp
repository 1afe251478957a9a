// Finding, publishing and setting aside. Holds no mutex, only atomics, so that a forked child can go on using it.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <ctime>

#include "base/file.hpp"
#include "cache/cache.hpp"
#include "cache/directory.hpp"
#include "cache/eviction.hpp"
#include "cache/flight.hpp"

namespace kiln::cache {
namespace {

constexpr std::uint64_t kMaxEntryBytes = std::uint64_t{256} << 20;
// A hit renews the stamp of an entry only where it is older than this, so that hits do not write.
constexpr std::time_t kStampSeconds = 600;

struct Place {
  std::string folder;
  std::string file;
};

Place place_of(const std::string& directory, const std::string& digest) {
  Place place;
  place.folder = directory + "/" + digest.substr(0, 2);
  place.file = place.folder + "/" + digest.substr(2) + kEntrySuffix;
  return place;
}

}  // namespace

struct DiskStore::Impl {
  // Faults that are told once.
  enum Fault : unsigned { kRefused = 1, kUnreadable = 2, kUnwritable = 4, kTooLarge = 8, kWaited = 16 };

  std::string directory;
  std::vector<std::string> read_only;
  std::uint64_t max_bytes = 0;
  std::function<void(const std::string&)> log;
  std::chrono::milliseconds flight_timeout{};
  std::atomic<Trust> trust{Trust::missing};
  std::vector<std::atomic<Trust>> tier_trust;
  std::atomic<unsigned> told{0};

  void tell(const std::string& line) const {
    if (log) log(line);
  }

  void tell_once(unsigned fault, const std::string& line) {
    if ((told.fetch_or(fault) & fault) == 0) tell(line);
  }

  // The verdict is kept, but for a directory that is not there yet.
  Trust check() {
    const Trust known = trust.load(std::memory_order_acquire);
    if (known != Trust::missing) return known;
    const Verdict verdict = check_own_directory(directory);
    if (verdict.trust == Trust::refused) {
      tell_once(kRefused, fmt::format("cache directory {} is not used: {}; until then kernels are kept in memory only",
                                      directory, verdict.reason));
    }
    trust.store(verdict.trust, std::memory_order_release);
    return verdict.trust;
  }

  Trust check_tier(std::size_t i) {
    const Trust known = tier_trust[i].load(std::memory_order_acquire);
    if (known != Trust::missing) return known;
    const Verdict verdict = check_read_only_directory(read_only[i]);
    tier_trust[i].store(verdict.trust, std::memory_order_release);
    if (verdict.trust == Trust::refused) {
      tell(fmt::format("read-only cache directory {} is not used: {}", read_only[i], verdict.reason));
    }
    return verdict.trust;
  }

  // True where the directory can be written in, made where it was not there.
  bool prepare() {
    Trust now = check();
    if (now == Trust::missing) {
      if (const int code = make_directories(directory)) {
        tell_unwritable(fmt::format("cannot create {}: {}", directory, base::errno_text(code)));
        return false;
      }
      now = check();
    }
    return now == Trust::trusted;
  }

  void tell_unwritable(const std::string& why) {
    tell_once(kUnwritable,
              fmt::format("kernels are not stored in the cache: {}; free or unlock that disk, or set KILN_CACHE_DIR "
                          "to a directory of your own",
                          why));
  }

  std::optional<Entry> find_own(const std::string& key, const std::string& digest);
  std::optional<Entry> find_in_tier(const std::string& tier, const std::string& key, const std::string& digest);
  void set_aside(const std::string& file, const std::string& digest, const std::string& why) const;
  std::optional<base::FileError> publish(const std::string& digest, const std::string& bytes);
};

std::optional<Entry> DiskStore::Impl::find_own(const std::string& key, const std::string& digest) {
  if (check() != Trust::trusted) return std::nullopt;
  const Place place = place_of(directory, digest);
  base::FileError error;
  const auto contents = base::read_file(place.file, {.limit = kMaxEntryBytes, .follow_links = false}, &error);
  if (!contents) {
    // ELOOP is a symbolic link in place of the entry; code 0 is what is no file or too large.
    if (error.code == ELOOP || error.code == 0) {
      set_aside(place.file, digest, error.code == 0 ? error.text : "a symbolic link");
    } else if (error.code != ENOENT) {
      tell_once(kUnreadable, fmt::format("cache entry is not used: {}", error.text));
    }
    return std::nullopt;
  }
  // The directory may have been open to others before it was mended.
  if (contents->owner != ::geteuid() || (contents->mode & 022U) != 0) {
    set_aside(place.file, digest, "others could have written it");
    return std::nullopt;
  }
  std::string why;
  std::optional<Entry> entry = decode(contents->bytes, key, &why);
  if (!entry) {
    set_aside(place.file, digest, why);
    return std::nullopt;
  }
  const std::time_t age = std::time(nullptr) - static_cast<std::time_t>(contents->modified_seconds);
  if (age > kStampSeconds || age < -kStampSeconds) ::utimensat(AT_FDCWD, place.file.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  return entry;
}

std::optional<Entry> DiskStore::Impl::find_in_tier(const std::string& tier, const std::string& key, const std::string& digest) {
  const Place place = place_of(tier, digest);
  base::FileError error;
  const auto contents = base::read_file(place.file, {.limit = kMaxEntryBytes, .follow_links = true}, &error);
  if (!contents) {
    if (error.code != ENOENT) tell_once(kUnreadable, fmt::format("cache entry is not used: {}", error.text));
    return std::nullopt;
  }
  std::string why = "others could have written it";
  std::optional<Entry> entry;
  if ((contents->mode & 022U) == 0) entry = decode(contents->bytes, key, &why);
  if (!entry) tell(fmt::format("cache entry {} is not used: {}; remove it", place.file, why));
  return entry;
}

// Kept for whoever wants to know what happened to it; the sweep removes it first.
void DiskStore::Impl::set_aside(const std::string& file, const std::string& digest, const std::string& why) const {
  const std::string folder = directory + "/" + kDamagedFolder;
  std::string what = "moved to " + folder;
  (void)::mkdir(folder.c_str(), 0700);
  if (::rename(file.c_str(), (folder + "/" + digest + kEntrySuffix).c_str()) != 0) {
    if (errno == ENOENT) return;  // another thread or process was faster, and has said so
    what = "it cannot be moved away: " + base::errno_text(errno);
  }
  tell(fmt::format("cache entry {} is not used: {}; {}", file, why, what));
}

std::optional<base::FileError> DiskStore::Impl::publish(const std::string& digest, const std::string& bytes) {
  const Place place = place_of(directory, digest);
  // No fsync: it took 12 ms of a compile's 10 to 20, and all it would save is the recompiling of what a power cut tears, which
  // the checksum finds.
  const base::PublishOptions options{.mode = 0600, .sync = false};
  auto error = base::publish_file(place.file, bytes, options);
  if (!error || error->code != ENOENT) return error;
  // The folder's first entry, or someone emptied the cache while we run.
  if (const int code = make_directories(place.folder)) {
    return base::FileError{code, fmt::format("cannot create {}: {}", place.folder, base::errno_text(code))};
  }
  return base::publish_file(place.file, bytes, options);
}

DiskStore::DiskStore(std::string directory, std::vector<std::string> read_only_directories, std::uint64_t max_bytes,
                     std::function<void(const std::string&)> log, std::chrono::milliseconds flight_timeout)
    : impl_(std::make_unique<Impl>()) {
  impl_->directory = std::move(directory);
  impl_->read_only = std::move(read_only_directories);
  impl_->max_bytes = max_bytes;
  impl_->log = std::move(log);
  impl_->flight_timeout = flight_timeout;
  impl_->tier_trust = std::vector<std::atomic<Trust>>(impl_->read_only.size());
  for (auto& trust : impl_->tier_trust) trust.store(Trust::missing);
}

DiskStore::~DiskStore() = default;

std::optional<Entry> DiskStore::find(const std::string& canonical_key) {
  const std::string digest = cache::digest(canonical_key);
  std::optional<Entry> entry = impl_->find_own(canonical_key, digest);
  for (std::size_t i = 0; !entry && i < impl_->read_only.size(); ++i) {
    if (impl_->check_tier(i) == Trust::trusted) entry = impl_->find_in_tier(impl_->read_only[i], canonical_key, digest);
  }
  return entry;
}

void DiskStore::put(const std::string& canonical_key, const Entry& entry) {
  if (!impl_->prepare()) return;
  const std::string bytes = encode(canonical_key, entry);
  if (bytes.size() > impl_->max_bytes || bytes.size() > kMaxEntryBytes) {
    impl_->tell_once(Impl::kTooLarge,
                     fmt::format("kernel \"{}\" is not stored in the cache: its {} bytes are more than the bound of {}; raise "
                                 "KILN_CACHE_MAX_BYTES",
                                 entry.info.kernel, bytes.size(), std::min(impl_->max_bytes, kMaxEntryBytes)));
    return;
  }
  // Before the entry is there: a process killed in between leaves an estimate that is too high, never too low.
  const bool due = add_to_usage(impl_->directory, bytes.size(), impl_->max_bytes);
  if (const auto error = impl_->publish(digest(canonical_key), bytes)) return impl_->tell_unwritable(error->text);
  if (due) sweep(impl_->directory, impl_->max_bytes);
}

std::unique_ptr<DiskStore::Flight> DiskStore::lock(const std::string& canonical_key) {
  if (!impl_->prepare()) return nullptr;
  const std::string folder = impl_->directory + "/" + kLocksFolder;
  if (make_directories(folder) != 0) return nullptr;  // put() will say why
  FlightAttempt attempt = take_flight(folder + "/" + digest(canonical_key) + ".lock", impl_->flight_timeout);
  if (attempt.state == FlightState::timed_out) {
    impl_->tell_once(Impl::kWaited,
                     fmt::format("another process holds {} for more than {} ms; this one compiles without waiting for it",
                                 folder, impl_->flight_timeout.count()));
  }
  return std::move(attempt.flight);
}

const std::string& DiskStore::directory() const noexcept {
  static const std::string& none = *std::make_unique<std::string>().release();
  try {
    return impl_->check() == Trust::refused ? none : impl_->directory;
  } catch (...) {  // out of memory while saying why it is refused
    return none;
  }
}

}  // namespace kiln::cache
