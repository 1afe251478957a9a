// A directory of entries, as something to read from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "cache/folder.hpp"
#include "cache/tier.hpp"

namespace kiln::cache {

class DirectoryTier final : public Tier {
 public:
  DirectoryTier(std::string path, Owners owners) : path_(std::move(path)), owners_(owners) {}

  [[nodiscard]] const std::string& path() const noexcept override { return path_; }
  [[nodiscard]] Found find(const std::string& canonical_key, const std::string& digest) const override;
  void visit_digests(std::string_view prefix, const std::function<void(const std::string&)>& visit) const override;
  [[nodiscard]] std::optional<Listed> head(const std::string& digest) const override;
  [[nodiscard]] std::vector<Listed> heads() const override;
  [[nodiscard]] std::optional<std::string> key(const std::string& digest) const override;
  [[nodiscard]] std::optional<Stored> read(const std::string& digest, Flaw* why) const override;
  [[nodiscard]] std::vector<TunedShape> tuning(const std::string& digest, Flaw* why) const override;
  [[nodiscard]] std::string complaint(const std::string& digest, const Flaw& flaw) const override;

  /// find(), read() and tuning() where the directory is open. `stamp`, which may be null: when the entry was last stamped, in
  /// seconds since 1970.
  [[nodiscard]] Found find_in(const Folder& root, const std::string& canonical_key, const std::string& digest,
                              std::int64_t* stamp) const;
  [[nodiscard]] std::optional<Stored> read_in(const Folder& root, const std::string& digest, Flaw* why) const;
  [[nodiscard]] std::vector<TunedShape> tuning_in(const Folder& root, const std::string& digest, Flaw* why) const;
  [[nodiscard]] std::string file_of(const std::string& digest) const;

 private:
  class OpenEntry;
  /// Of a file by its path in the directory.
  [[nodiscard]] std::optional<base::FileContents> contents(const Folder& root, const std::string& path, std::uint64_t limit,
                                                           Flaw* why) const;
  [[nodiscard]] Folder open_root() const { return Folder::open_root(path_, owners_); }
  template <typename Visit>
  void visit_shard(const Folder& root, unsigned shard, std::string_view prefix, Visit visit) const;

  std::string path_;
  Owners owners_;
};

}  // namespace kiln::cache
