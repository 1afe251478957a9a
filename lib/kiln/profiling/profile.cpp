#include "kiln/profile.hpp"

#include <array>
#include <utility>

#include "profiling/collector.hpp"
#include "profiling/trace.hpp"

namespace kiln {

std::string_view name(KernelOrigin origin) noexcept {
  constexpr std::array<std::string_view, 4> kNames{"memory", "disk", "read_only", "compiled"};
  return kNames[static_cast<std::size_t>(origin)];
}

Profile::Profile(std::shared_ptr<profiling::Collector> collector) noexcept : collector_(std::move(collector)) {}
Profile::Profile(Profile&& other) noexcept = default;

Profile& Profile::operator=(Profile&& other) noexcept {
  // What this one gathered ends with `ended`.
  const Profile ended(std::exchange(collector_, std::move(other.collector_)));
  return *this;
}

Profile::~Profile() {
  if (collector_ == nullptr) return;
  profiling::remove(*collector_);
  collector_->settle();
  collector_->close();
}

std::vector<CallRecord> Profile::records() const {
  collector_->settle();
  return collector_->records();
}

std::size_t Profile::dropped() const {
  return collector_->dropped();
}

void Profile::write_trace(const std::string& path) const {
  const std::vector<CallRecord> all = records();
  profiling::write_trace(path, all, dropped());
}

void Profile::stop() {
  profiling::remove(*collector_);
  collector_->settle();
  collector_->close();
  collector_->rethrow();
}

Profile profile(ProfileOptions options) {
  std::optional<std::thread::id> thread;
  if (!options.all_threads) thread = std::this_thread::get_id();
  auto collector = std::make_shared<profiling::Collector>(std::move(options), thread);
  profiling::listen(collector);
  return Profile(std::move(collector));
}

}  // namespace kiln
