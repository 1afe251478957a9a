#include "inspect_subjects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "kiln/error.hpp"
#include "kiln/manifest.hpp"
#include "manifest_file.hpp"
#include "target_option.hpp"
#include "temporary_folder.hpp"
#include "usage_error.hpp"

namespace kiln::tool {
namespace {

Subject find_entry(const SubjectChoice& choice) {
  if (!choice.targets.empty()) throw UsageError("--target goes with a manifest: an id is of one target already");
  if (!choice.kernel.empty()) throw UsageError("--kernel goes with a manifest: an id is of one kernel already");
  const Cache cache = choice.cache.cache();
  std::optional<cache::Contents> found = cache.find(choice.subject);
  if (found) {
    std::string variant = found->entry.variant;
    return {*std::move(found), std::move(variant), {}};
  }
  const std::string where = !choice.cache.directory().empty() ? choice.cache.directory() : cache.directory();
  throw CacheError(fmt::format("no kernel in {} has an id that begins with \"{}\": `kiln cache list` shows them",
                               where.empty() ? "the cache, which has no directory," : where, choice.subject));
}

/// The kernels that were asked for. CacheError where the manifest has none of that name.
std::vector<ManifestKernel> chosen_kernels(const Manifest& manifest, const SubjectChoice& choice, const std::string& target) {
  std::vector<ManifestKernel> kernels = kernels_of(manifest, target);
  if (choice.kernel.empty()) return kernels;
  std::string names;
  for (const ManifestKernel& each : kernels) {
    if (names.find(each.kernel) == std::string::npos) names += (names.empty() ? "" : ", ") + each.kernel;
  }
  std::erase_if(kernels, [&](const ManifestKernel& each) { return each.kernel != choice.kernel; });
  if (kernels.empty())
    throw CacheError(fmt::format("{} has no kernel \"{}\": it has {}", choice.subject, choice.kernel, names));
  return kernels;
}

Subject failed(const ManifestKernel& kernel, const std::string& id, const std::string& error) {
  Subject subject;
  subject.contents.entry.id = id;
  subject.contents.entry.kernel = kernel.kernel;
  subject.contents.entry.signature = kernel.signature;
  subject.contents.entry.target = kernel.target;
  subject.variant = kernel.variant;
  subject.error = error;
  return subject;
}

std::vector<Subject> find_kernels(const SubjectChoice& choice) {
  const Manifest manifest = read_manifest(choice.subject);
  Cache cache = choice.cache.cache();
  std::optional<TemporaryFolder> folder;  // where the machine code has no place to stay
  const auto use_folder = [&] {
    folder.emplace();
    CacheOptions options{.directory = folder->path()};
    const std::string present = choice.cache.names_bundle() ? choice.cache.directory() : cache.directory();
    if (!present.empty()) options.read_only = {present};
    cache = Cache(options);
  };
  if (cache.directory().empty()) use_folder();
  std::vector<Subject> subjects;
  for (const std::string& target : unique_targets(choice.targets)) {
    const std::vector<ManifestKernel> kernels = chosen_kernels(manifest, choice, target);
    std::map<std::string, std::string> errors;  // by key
    const bool all =
        std::all_of(kernels.begin(), kernels.end(), [&](const ManifestKernel& each) { return cache.explain(each.key).hit; });
    if (!all) {
      const auto note = [&errors](const ManifestKernel& kernel, const ManifestOutcome& outcome) {
        if (outcome.state == ManifestOutcome::State::failed) errors[kernel.key] = outcome.error;
        return true;
      };
      const auto compile = [&] { return manifest.compile({target}, {.cache = cache, .progress = note}).not_kept; };
      if (compile() > 0 && !folder) {
        use_folder();
        static_cast<void>(compile());
      }
    }
    for (const ManifestKernel& each : kernels) {
      const std::string id = cache.explain(each.key).id;
      const auto error = errors.find(each.key);
      if (error != errors.end()) {
        subjects.push_back(failed(each, id, error->second));
      } else if (std::optional<cache::Contents> found = cache.find(id)) {
        subjects.push_back({*std::move(found), each.variant, {}});
      } else {
        throw CacheError(fmt::format("\"{}\" was compiled for {} and could not be kept", each.kernel, target));
      }
    }
  }
  return subjects;
}

}  // namespace

bool is_id(const std::string& subject) {
  return !subject.empty() && subject.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::vector<Subject> find_subjects(const SubjectChoice& choice) {
  if (!is_id(choice.subject)) return find_kernels(choice);
  std::vector<Subject> one;
  one.push_back(find_entry(choice));
  return one;
}

}  // namespace kiln::tool
