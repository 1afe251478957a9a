// Which kernels are looked at: one entry of a cache by its id, or those of a manifest.
#pragma once

#include <string>
#include <vector>

#include "cache_options.hpp"
#include "kiln/cache.hpp"

namespace kiln::tool {

struct SubjectChoice {
  std::string subject;               ///< the beginning of an id, or a manifest
  std::vector<std::string> targets;  ///< of a manifest; none: this CPU
  std::string kernel;                ///< of a manifest: this one alone
  CacheChoice cache;
};

struct Subject {
  cache::Contents contents;
  std::string variant;  ///< of a manifest's kernel as that has it; of an entry, where it says so
  std::string error;    ///< why it does not compile; then `contents` has its name, signature, target and id alone
};

/// Whether it is an id: hex digits alone. A file of such a name is written ./abcd.
[[nodiscard]] bool is_id(const std::string& subject);

/// In the manifest's order, target by target. What is not in the cache yet is compiled. UsageError for options that do not go
/// together; CacheError where nothing is found. A kernel that does not compile does not hide the others.
[[nodiscard]] std::vector<Subject> find_subjects(const SubjectChoice& choice);

}  // namespace kiln::tool
