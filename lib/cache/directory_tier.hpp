// A directory of entries, as something to read from.
#pragma once

#include <string>

#include "base/file.hpp"
#include "cache/tier.hpp"

namespace kiln::cache {

class DirectoryTier final : public Tier {
 public:
  /// Whose files are read: of the cache's own directory only this user's, and no symbolic links; of a directory that the user
  /// named as read-only, everybody's.
  enum class Owner { self, anyone };

  DirectoryTier(std::string path, Owner owner) : path_(std::move(path)), owner_(owner) {}

  [[nodiscard]] const std::string& path() const noexcept override { return path_; }
  [[nodiscard]] Found find(const std::string& canonical_key, const std::string& digest) const override;
  void visit_digests(std::string_view prefix, const std::function<void(const std::string&)>& visit) const override;
  [[nodiscard]] std::optional<Listed> head(const std::string& digest) const override;
  [[nodiscard]] std::vector<Listed> heads() const override;
  [[nodiscard]] std::optional<std::string> key(const std::string& digest) const override;
  [[nodiscard]] std::optional<Stored> read(const std::string& digest, Flaw* why) const override;

  /// find(), and when the entry was last stamped, in seconds since 1970.
  [[nodiscard]] Found find(const std::string& canonical_key, const std::string& digest, std::int64_t* stamp) const;
  [[nodiscard]] std::string file_of(const std::string& digest) const;

 private:
  [[nodiscard]] std::optional<base::FileContents> contents(const std::string& digest, Flaw* why) const;

  std::string path_;
  Owner owner_;
};

}  // namespace kiln::cache
