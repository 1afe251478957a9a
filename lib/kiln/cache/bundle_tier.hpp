// A bundle as a place to find kernels in.
#pragma once

#include <string>
#include <utility>

#include "cache/bundle.hpp"
#include "cache/tier.hpp"

namespace kiln::cache {

class BundleTier final : public Tier {
 public:
  explicit BundleTier(Bundle bundle) : bundle_(std::move(bundle)) {}

  [[nodiscard]] const std::string& path() const noexcept override { return bundle_.path(); }
  [[nodiscard]] Found find(const std::string& canonical_key, const std::string& digest) const override;
  void visit_digests(std::string_view prefix, const std::function<void(const std::string&)>& visit) const override;
  [[nodiscard]] std::optional<Listed> head(const std::string& digest) const override;
  [[nodiscard]] std::vector<Listed> heads() const override;
  [[nodiscard]] std::optional<std::string> key(const std::string& digest) const override;
  [[nodiscard]] std::optional<Stored> read(const std::string& digest, Flaw* why) const override;
  [[nodiscard]] std::string complaint(const std::string& digest, const Flaw& flaw) const override;

 private:
  [[nodiscard]] std::optional<BundleItem> item_of(const std::string& digest, Flaw* why) const;
  [[nodiscard]] std::optional<std::string> bytes_of(const std::string& digest, Flaw* why) const;

  Bundle bundle_;
};

/// Opens it as a read-only tier: only its owner may write to it, and it must be framed well. Otherwise refused, which is
/// reported to `log`; missing where there is no such file.
[[nodiscard]] OpenedTier open_bundle_tier(const std::string& path, const Log& log);

}  // namespace kiln::cache
