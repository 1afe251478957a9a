// Finding, publishing and setting aside. Holds no mutex, only atomics, so that a forked child can go on using it.
#include "cache/disk_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <iterator>

#include "base/fault_point.hpp"
#include "base/file.hpp"
#include "cache/directory.hpp"
#include "cache/eviction.hpp"
#include "cache/flight.hpp"
#include "cache/folder.hpp"
#include "cache/key.hpp"
#include "cache/lazy_tier.hpp"
#include "cache/names.hpp"
#include "cache/tuning_file.hpp"
#include "cache/usage_record.hpp"
#include "kiln/error.hpp"

namespace kiln::cache {

struct DiskStore::Impl {
  // Faults that are reported once.
  static constexpr unsigned kRefused = 1, kUnreadable = 2, kUnwritable = 4, kTooLarge = 8, kWaited = 16;
  static constexpr unsigned kImmovable = 32, kOccupied = 64;

  Impl(std::string path, std::vector<std::string> others) : directory(std::move(path)), own(directory, {.self = true}) {
    for (std::string& other : others) read_only.push_back(std::make_unique<LazyTier>(std::move(other)));
  }

  const std::string directory;
  const std::string nowhere;
  const DirectoryTier own;
  std::vector<std::unique_ptr<LazyTier>> read_only;
  std::uint64_t max_bytes = 0;
  Log log;
  Log unusable;
  std::chrono::milliseconds flight_timeout{};
  std::atomic<unsigned> reported{0};
  std::atomic<int> last_failure{0};  // an errno

  void tell(const std::string& line) const {
    if (log) log(line);
  }

  void tell_once(unsigned fault, const std::string& line) {
    if ((reported.fetch_or(fault) & fault) == 0) tell(line);
  }

  void tell_unusable(unsigned fault, const std::string& line) {
    if ((reported.fetch_or(fault) & fault) == 0 && unusable) unusable(line);
  }

  // Looked at again each time: what was repaired is used, what was opened to others is not.
  Verdict check() {
    if (directory.empty()) return {.trust = Trust::missing};
    Verdict verdict = open_own_directory(directory);
    if (verdict.trust == Trust::refused) {
      tell_unusable(kRefused, fmt::format("cache directory {} is not used: {}; until then kernels are kept in memory only",
                                          directory, verdict.reason));
    }
    return verdict;
  }

  // The directory where it can be written in, made where it was not there.
  Folder prepare() {
    Verdict now = check();
    if (now.trust != Trust::missing || directory.empty()) return std::move(now.folder);
    if (const int code = make_directories(directory)) {
      tell_unwritable(fmt::format("cannot create {}: {}", directory, base::errno_text(code)));
      return {};
    }
    return std::move(check().folder);
  }

  // Something else has a name of kiln's: it is left alone.
  void tell_occupied(const std::string& path, const Refusal& refusal, std::string_view consequence) {
    tell_once(kOccupied, fmt::format("{} in the cache {}: {}; to mend it: {}", path, refusal.why, consequence, refusal.mend));
  }

  void tell_unwritable(const std::string& why) {
    tell_unusable(kUnwritable,
                  fmt::format("kernels are not stored in the cache: {}; free or unlock that disk, or set KILN_CACHE_DIR "
                              "to a directory of your own",
                              why));
  }

  Found find_own(const std::string& key, const std::string& digest);
  Found find_in(const Tier& tier, const std::string& key, const std::string& digest);
  void set_aside(const Folder& root, const std::string& digest, const std::string& why);
  [[nodiscard]] bool count(const Folder& root, std::uint64_t bytes);  // true: a sweep is due
  Folder make_shard(const Folder& root, const std::string& shard);
  bool write(const Folder& folder, const std::string& path, std::string_view bytes);
  void sweep_now(const Folder& root) const {
    cache::sweep(root, max_bytes);
    base::fault_point("put:swept");
  }
  bool publish(const Folder& root, const std::string& path, std::string_view bytes);
};

Found DiskStore::Impl::find_own(const std::string& key, const std::string& digest) {
  const Folder root = std::move(check().folder);
  if (!root) return {};
  std::int64_t stamp = 0;
  Found found = own.find_in(root, key, digest, &stamp);
  if (found) {
    const std::int64_t age = static_cast<std::int64_t>(std::time(nullptr)) - stamp;
    if (age > kStampSeconds || age < -kStampSeconds) {
      const std::string path = entry_path(digest);
      const Folder folder = open_folder_of(root, path);
      if (folder) renew_stamp(folder.get(), base::name_in(folder.get(), path));
      base::fault_point("stamped");
    }
    return found;
  }
  switch (found.flaw.reason) {
    case Miss::absent:
    case Miss::other_format:
      break;
    case Miss::unreadable:
      tell_once(kUnreadable, fmt::format("cache entry is not used: {}", found.flaw.text));
      break;
    case Miss::damaged:
    case Miss::other_key:
    case Miss::not_trusted:
      if (found.flaw.mend.empty()) {
        set_aside(root, digest, found.flaw.text);
      } else {
        tell_once(kOccupied, own.complaint(digest, found.flaw));
      }
  }
  return found;
}

Found DiskStore::Impl::find_in(const Tier& tier, const std::string& key, const std::string& digest) {
  Found found = tier.find(key, digest);
  found.read_only = true;
  if (found || found.flaw.reason == Miss::absent || found.flaw.reason == Miss::other_format) return found;
  if (found.flaw.reason == Miss::unreadable) {
    tell_once(kUnreadable, fmt::format("cache entry is not used: {}", found.flaw.text));
  } else {
    tell(tier.complaint(digest, found.flaw));
  }
  return found;
}

// Kept for whoever wants to know what happened to it; the sweep removes it first.
void DiskStore::Impl::set_aside(const Folder& root, const std::string& digest, const std::string& why) {
  const std::string path = entry_path(digest);
  const std::string file = own.file_of(digest);
  Refusal refusal;
  const Folder from = open_folder_of(root, path, &refusal);
  const Folder to = from ? root.make(kDamagedFolder, &refusal) : Folder();
  base::fault_point("set-aside:folder");
  const std::string name = digest + std::string(kEntrySuffix);
  if (!to || ::renameat(from.get(), base::name_in(from.get(), path), to.get(), name.c_str()) != 0) {
    const bool gone = to ? errno == ENOENT : refusal.absent();
    if (gone) return;  // another thread or process was faster, and has said so
    const std::string obstacle = to ? base::errno_text(errno) : fmt::format("{} {}", root.path_of(kDamagedFolder), refusal.why);
    return tell_once(kImmovable,
                     fmt::format("cache entry {} is not used: {}; it cannot be moved away: {}", file, why, obstacle));
  }
  base::fault_point("set-aside:renamed");
  tell(fmt::format("cache entry {} is not used: {}; moved to {}", file, why, to.path()));
}

// Before the files are there: a process killed in between leaves an estimate that is too high, never too low.
bool DiskStore::Impl::count(const Folder& root, std::uint64_t bytes) {
  Refusal of_usage;
  const bool due = add_to_usage(root, bytes, max_bytes, &of_usage);
  base::fault_point("put:counted");
  if (of_usage.occupied()) {
    tell_occupied(root.path_of(kUsageFile), of_usage, "all of the cache is looked through at each store");
  }
  return due;
}

// The folder of that name; empty, which is reported, where it cannot be had.
Folder DiskStore::Impl::make_shard(const Folder& root, const std::string& shard) {
  Refusal refusal;
  Folder folder = root.make(shard, &refusal);
  if (folder) return folder;
  if (refusal.occupied()) {
    tell_occupied(root.path_of(shard), refusal, "kernels that belong there are not stored");
  } else {
    tell_unwritable(fmt::format("{} {}", root.path_of(shard), refusal.why));
  }
  return {};
}

// No fsync: all that it would save is the recompiling of what a power cut tears, which the checksum finds.
bool DiskStore::Impl::write(const Folder& folder, const std::string& path, std::string_view bytes) {
  const auto error =
      base::publish_file(directory + "/" + path, bytes, {.mode = 0600, .sync = false, .lock = true, .folder = folder.get()});
  if (!error) base::fault_point("put:published");
  if (!error) return true;
  last_failure.store(error->code, std::memory_order_relaxed);
  tell_unwritable(error->text);
  return false;
}

// A file by its path in the directory.
bool DiskStore::Impl::publish(const Folder& root, const std::string& path, std::string_view bytes) {
  const bool due = count(root, bytes.size());
  const Folder folder = make_shard(root, path.substr(0, path.find('/')));
  if (!folder || !write(folder, path, bytes)) return false;
  if (due) sweep_now(root);
  return true;
}

DiskStore::DiskStore(std::string directory, std::vector<std::string> read_only, std::uint64_t max_bytes, Log log,
                     std::chrono::milliseconds flight_timeout, Log unusable)
    : impl_(std::make_unique<Impl>(std::move(directory), std::move(read_only))) {
  impl_->max_bytes = max_bytes;
  impl_->log = std::move(log);
  impl_->flight_timeout = flight_timeout;
  impl_->unusable = unusable ? std::move(unusable) : impl_->log;
}

DiskStore::~DiskStore() = default;

Found DiskStore::find(const std::string& canonical_key) {
  const std::string digest = cache::digest(canonical_key);
  Found found = impl_->find_own(canonical_key, digest);
  for (const auto& slot : impl_->read_only) {
    if (found) break;
    const Tier* const tier = slot->get(impl_->log);
    if (tier == nullptr) continue;
    Found there = impl_->find_in(*tier, canonical_key, digest);
    if (there || found.flaw.reason == Miss::absent) found = std::move(there);
  }
  return found;
}

std::vector<std::string> DiskStore::why_absent(const std::string& canonical_key) const {
  const std::string digest = cache::digest(canonical_key);
  std::vector<std::string> all;
  const auto add = [&](const std::string& path, const std::string& reason) {
    all.push_back(fmt::format("{} ({})", path, reason));
  };
  const auto add_tier = [&](const Tier& tier) {
    const Found found = tier.find(canonical_key, digest);
    if (found) return;
    add(tier.path(),
        found.flaw.reason == Miss::absent ? "no entry" : fmt::format("its entry is not used: {}", found.flaw.text));
  };
  if (!impl_->directory.empty()) {
    const Verdict verdict = open_own_directory(impl_->directory);
    if (verdict.trust == Trust::trusted) {
      add_tier(impl_->own);
    } else {
      add(impl_->directory, verdict.trust == Trust::missing ? "not there" : fmt::format("not used: {}", verdict.reason));
    }
  }
  for (const auto& slot : impl_->read_only) {
    std::string reason = "not there";
    const OpenedTier opened = open_read_only_tier(slot->path(), [&](const std::string& line) { reason = line; });
    if (opened.tier != nullptr) {
      add_tier(*opened.tier);
    } else {
      add(slot->path(), reason);
    }
  }
  return all;
}

std::uint64_t DiskStore::put(const std::string& canonical_key, const Record& entry) {
  const std::string bytes = encode(canonical_key, entry);
  const Folder root = impl_->prepare();
  if (!root) return 0;
  if (bytes.size() > impl_->max_bytes || bytes.size() > kMaxEntryBytes) {
    impl_->tell_once(Impl::kTooLarge,
                     fmt::format("kernel \"{}\" is not stored in the cache: its {} bytes are more than the bound of {}; raise "
                                 "KILN_CACHE_MAX_BYTES",
                                 entry.info.kernel, bytes.size(), std::min(impl_->max_bytes, kMaxEntryBytes)));
    return 0;
  }
  return impl_->publish(root, entry_path(digest(canonical_key)), bytes) ? bytes.size() : 0;
}

bool DiskStore::put_bytes(const std::string& digest, std::string_view bytes) {
  const Folder root = impl_->prepare();
  return root && impl_->publish(root, entry_path(digest), bytes);
}

std::string DiskStore::why_not_written() const {
  return impl_->last_failure == 0 ? std::string() : ": " + base::errno_text(impl_->last_failure);
}

DiskStore::Batch DiskStore::begin_batch(unsigned shard, std::uint64_t bytes) {
  Folder root = impl_->prepare();
  if (!root || bytes == 0) return {*impl_, {}, {}, false};
  const bool due = impl_->count(root, bytes);
  Folder folder = impl_->make_shard(root, fmt::format("{:02x}", shard));
  return {*impl_, std::move(root), std::move(folder), due};
}

bool DiskStore::Batch::put(const std::string& digest, std::string_view bytes) const {
  return folder_ && store_->write(folder_, entry_path(digest), bytes);
}

void DiskStore::Batch::sweep() const {
  store_->sweep_now(root_);
}

std::vector<TunedShape> DiskStore::tuning(const std::string& digest) {
  std::vector<TunedShape> all;
  const auto add = [&](const Tier& tier, std::vector<TunedShape> shapes, const Flaw& why) {
    if (why.reason != Miss::absent && why.reason != Miss::other_format) {
      impl_->tell(fmt::format("tuning result {}/{} is not used: {}; {}", tier.path(), tuning_path(digest), why.text,
                              why.mend.empty() ? "remove it" : "to mend it: " + why.mend));
    }
    std::ranges::move(shapes, std::back_inserter(all));
  };
  if (const Folder root = std::move(impl_->check().folder)) {
    Flaw why;
    auto shapes = impl_->own.tuning_in(root, digest, &why);
    add(impl_->own, std::move(shapes), why);
  }
  for (const auto& slot : impl_->read_only) {
    const Tier* const tier = slot->get(impl_->log);
    if (tier == nullptr) continue;
    Flaw why;
    auto shapes = tier->tuning(digest, &why);
    add(*tier, std::move(shapes), why);
  }
  return all;
}

bool DiskStore::put_tuning(const std::string& digest, const TunedShape& shape) {
  const Folder root = impl_->prepare();
  if (!root) return false;
  std::vector<TunedShape> shapes = impl_->own.tuning_in(root, digest, nullptr);
  replace_shape(shapes, shape);
  const std::string bytes = encode_tuning(digest, shapes);
  return bytes.size() <= std::min(impl_->max_bytes, kMaxTuningBytes) && impl_->publish(root, tuning_path(digest), bytes);
}

std::unique_ptr<DiskStore::Flight> DiskStore::lock(const std::string& canonical_key) {
  const Folder root = impl_->prepare();
  if (!root) return nullptr;
  Refusal refusal;
  const Folder locks = root.make(kLocksFolder, &refusal);
  if (refusal.occupied()) {
    impl_->tell_occupied(root.path_of(kLocksFolder), refusal, "several processes may compile the same kernel");
  }
  if (!locks) return nullptr;  // put() will say why
  FlightAttempt attempt =
      take_flight(locks.duplicate(), digest(canonical_key) + std::string(kLockSuffix), impl_->flight_timeout);
  if (attempt.state == FlightState::timed_out) {
    impl_->tell_once(Impl::kWaited,
                     fmt::format("another process holds {} for more than {} ms; this one compiles without waiting for it",
                                 locks.path(), impl_->flight_timeout.count()));
  }
  return std::move(attempt.flight);
}

Folder DiskStore::find_directory() const {
  return impl_->prepare();
}

const std::string& DiskStore::directory() const noexcept {
  try {
    return impl_->check().trust == Trust::refused ? impl_->nowhere : impl_->directory;
  } catch (...) {  // out of memory while saying why it is refused
    return impl_->nowhere;
  }
}

Folder DiskStore::open_directory() const {
  if (impl_->directory.empty()) return {};
  Verdict verdict = open_own_directory(impl_->directory);
  if (verdict.trust == Trust::refused) {
    throw CacheError(fmt::format("cannot use the cache directory {}: {}", impl_->directory, verdict.reason));
  }
  return std::move(verdict.folder);
}

std::vector<const Tier*> DiskStore::tiers() const {
  std::vector<const Tier*> all;
  if (open_directory()) all.push_back(&impl_->own);
  for (const auto& slot : impl_->read_only) {
    if (const Tier* const tier = slot->get(impl_->log)) all.push_back(tier);
  }
  return all;
}

std::uint64_t DiskStore::max_bytes() const noexcept {
  return impl_->max_bytes;
}

}  // namespace kiln::cache
