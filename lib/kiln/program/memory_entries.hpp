// The entries of a cache that has no directory: what was compiled, as the bytes of files, so that it can be listed and
// exported.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/tier.hpp"

namespace kiln::program {

/// Thread-safe.
class MemoryEntries final : public cache::Tier {
 public:
  /// `mutex` guards the entries, and is not held while one is encoded or decoded. `most`: bytes of all entries together; the
  /// oldest go first.
  MemoryEntries(std::mutex& mutex, std::size_t most) : mutex_(mutex), most_(most) {}

  void put(const std::string& digest, std::string bytes);

  [[nodiscard]] const std::string& path() const noexcept override;
  [[nodiscard]] cache::Found find(const std::string& canonical_key, const std::string& digest) const override;
  void visit_digests(std::string_view prefix, const std::function<void(const std::string&)>& visit) const override;
  [[nodiscard]] std::optional<cache::Listed> head(const std::string& digest) const override;
  [[nodiscard]] std::optional<std::string> key(const std::string& digest) const override;
  [[nodiscard]] std::vector<cache::Listed> heads() const override;
  [[nodiscard]] std::optional<cache::Stored> read(const std::string& digest, cache::Flaw* why) const override;
  [[nodiscard]] std::string complaint(const std::string& digest, const cache::Flaw& flaw) const override;

 private:
  using Bytes = std::shared_ptr<const std::string>;
  [[nodiscard]] Bytes bytes_of(const std::string& digest) const;

  std::mutex& mutex_;
  const std::size_t most_;
  std::map<std::string, Bytes> entries_;  // by digest
  std::deque<std::string> order_;         // digests, oldest first
  std::size_t bytes_ = 0;
};

}  // namespace kiln::program
