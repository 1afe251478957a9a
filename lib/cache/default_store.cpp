// The store that the environment asks for, and the part of the public interface that speaks of it.
#include <atomic>

#include "base/environment.hpp"
#include "cache/cache.hpp"
#include "cache/directory.hpp"
#include "cache/log.hpp"
#include "kiln/cache.hpp"

namespace kiln::cache {
namespace {

struct Default {
  std::unique_ptr<DiskStore> store;
};

std::unique_ptr<Default> open_default(std::vector<std::string>* complaints) {
  const Settings settings = read_settings([](const char* name) { return base::env(name); });
  *complaints = settings.complaints;
  auto made = std::make_unique<Default>();
  if (!settings.directory.empty()) {
    made->store = std::make_unique<DiskStore>(settings.directory, settings.read_only_directories, settings.max_bytes,
                                              [](const std::string& line) { log_line(line); });
  }
  return made;
}

}  // namespace

DiskStore* default_store() {
  // No function-local static: its guard, held by another thread at a fork, would stay held in the child for ever.
  static constinit std::atomic<Default*> current{nullptr};
  Default* known = current.load(std::memory_order_acquire);
  if (known == nullptr) {
    std::vector<std::string> complaints;
    std::unique_ptr<Default> made = open_default(&complaints);
    if (current.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) {
      known = made.release();
      for (const std::string& complaint : complaints) log_line(complaint);
    }
  }
  return known->store.get();
}

std::string directory() {
  DiskStore* const store = default_store();
  return store == nullptr ? std::string() : store->directory();
}

}  // namespace kiln::cache
