// A directory of entries, as something to read from.
#pragma once

#include <string>

#include "base/file.hpp"
#include "base/file_descriptor.hpp"
#include "cache/tier.hpp"

namespace kiln::cache {

class DirectoryTier final : public Tier {
 public:
  /// Whose files are read: of the cache's own directory only this user's, and nothing through symbolic links; of a directory
  /// that the user named as read-only, whose owner may be anyone, that owner's, root's and this user's, in folders of theirs
  /// that nobody else can write in.
  enum class Owner { self, anyone };

  /// `directory_owner`: of a directory of anyone's.
  DirectoryTier(std::string path, Owner owner, uid_t directory_owner = 0)
      : path_(std::move(path)), owner_(owner), directory_owner_(directory_owner) {}

  [[nodiscard]] const std::string& path() const noexcept override { return path_; }
  [[nodiscard]] Found find(const std::string& canonical_key, const std::string& digest) const override;
  void visit_digests(std::string_view prefix, const std::function<void(const std::string&)>& visit) const override;
  [[nodiscard]] std::optional<Listed> head(const std::string& digest) const override;
  [[nodiscard]] std::vector<Listed> heads() const override;
  [[nodiscard]] std::optional<std::string> key(const std::string& digest) const override;
  [[nodiscard]] std::optional<Stored> read(const std::string& digest, Flaw* why) const override;
  [[nodiscard]] std::string complaint(const std::string& digest, const Flaw& flaw) const override;

  /// find(), and when the entry was last stamped, in seconds since 1970.
  [[nodiscard]] Found find(const std::string& canonical_key, const std::string& digest, std::int64_t* stamp) const;
  [[nodiscard]] std::string file_of(const std::string& digest) const;

 private:
  class OpenEntry;
  [[nodiscard]] std::optional<base::FileContents> contents(const std::string& digest, Flaw* why) const;
  [[nodiscard]] bool trusts(uid_t user) const noexcept;
  /// The folder of entries whose digests begin so. Empty, with the reason, where it is not there or not to be trusted.
  [[nodiscard]] base::FileDescriptor open_shard(std::string_view shard, int access, Flaw* why) const;
  template <typename Visit>
  void visit_shard(unsigned shard, std::string_view prefix, Visit visit) const;

  std::string path_;
  Owner owner_;
  uid_t directory_owner_;
};

}  // namespace kiln::cache
