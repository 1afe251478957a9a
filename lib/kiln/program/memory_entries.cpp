#include "program/memory_entries.hpp"

#include <fmt/format.h>

#include <utility>

namespace kiln::program {

void MemoryEntries::put(const std::string& digest, std::string bytes) {
  if (bytes.size() > most_) return;
  const auto made = std::make_shared<const std::string>(std::move(bytes));
  std::vector<Bytes> dropped;  // end after the lock
  const std::lock_guard lock(mutex_);
  if (!entries_.emplace(digest, made).second) return;
  order_.push_back(digest);
  bytes_ += made->size();
  while (bytes_ > most_) {
    const auto oldest = entries_.find(order_.front());
    bytes_ -= oldest->second->size();
    dropped.push_back(std::move(oldest->second));
    entries_.erase(oldest);
    order_.pop_front();
  }
}

const std::string& MemoryEntries::path() const noexcept {
  static const std::string memory = "memory";
  return memory;
}

MemoryEntries::Bytes MemoryEntries::bytes_of(const std::string& digest) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(digest);
  return found == entries_.end() ? nullptr : found->second;
}

cache::Found MemoryEntries::find(const std::string& canonical_key, const std::string& digest) const {
  cache::Found found;
  const Bytes bytes = bytes_of(digest);
  if (bytes == nullptr) return found;
  found.bytes = bytes->size();
  found.record = cache::decode(*bytes, canonical_key, &found.flaw);
  return found;
}

void MemoryEntries::visit_digests(std::string_view prefix, const std::function<void(const std::string&)>& visit) const {
  std::vector<std::string> digests;
  {
    const std::lock_guard lock(mutex_);
    for (auto each = entries_.lower_bound(std::string(prefix)); each != entries_.end() && each->first.starts_with(prefix);
         ++each) {
      digests.push_back(each->first);
    }
  }
  for (const std::string& digest : digests) visit(digest);
}

std::optional<cache::Listed> MemoryEntries::head(const std::string& digest) const {
  const Bytes bytes = bytes_of(digest);
  auto stored = bytes == nullptr ? std::nullopt : cache::decode_any(*bytes, nullptr);
  if (!stored) return std::nullopt;
  cache::shorten(&stored->record.info);
  return cache::Listed{.digest = digest,
                       .info = std::move(stored->record.info),
                       .bytes = bytes->size(),
                       .code_bytes = stored->record.payload.size()};
}

std::optional<std::string> MemoryEntries::key(const std::string& digest) const {
  auto stored = read(digest, nullptr);
  return stored ? std::optional(std::move(stored->key)) : std::nullopt;
}

std::vector<cache::Listed> MemoryEntries::heads() const {
  std::vector<cache::Listed> all;
  visit_digests("", [&](const std::string& digest) {
    if (auto listed = head(digest)) all.push_back(*std::move(listed));
  });
  return all;
}

std::optional<cache::Stored> MemoryEntries::read(const std::string& digest, cache::Flaw* why) const {
  const Bytes bytes = bytes_of(digest);
  return bytes == nullptr ? std::nullopt : cache::decode_any(*bytes, why);
}

std::string MemoryEntries::complaint(const std::string& digest, const cache::Flaw& flaw) const {
  return fmt::format("cache entry {} in memory is not used: {}", digest, flaw.text);
}

}  // namespace kiln::program
