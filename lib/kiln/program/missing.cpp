#include "program/missing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "kiln/error.hpp"
#include "program/cache_impl.hpp"

namespace kiln::program {
namespace {

constexpr std::size_t kLongest = 100;

std::string shown(const std::string& text) {
  return text.size() > kLongest ? text.substr(0, kLongest) + "\u2026" : text;
}

/// What tells the entry that is most like it from the one that is wanted; empty where no entry is of that kernel.
std::string nearest(const Job& job, const Cache& cache) {
  try {
    const cache::Explanation found = cache.explain(job.key);
    if (found.nearest.empty()) return "none has a kernel of that name";
    std::vector<std::string> fields;
    for (const cache::Difference& difference : found.differences) {
      fields.push_back(difference.field == "source" || difference.field == "options"
                           ? difference.field
                           : fmt::format("{} (\"{}\" there)", difference.field, shown(difference.found)));
    }
    const auto entry = cache.find(found.nearest);
    return fmt::format(
        "the entry most like it, {}{}, differs in {}", found.nearest,
        entry && entry->entry.variant != job.variant ? fmt::format(" (variant \"{}\")", entry->entry.variant) : "",
        fmt::join(fields, ", "));
  } catch (const Error& error) {
    return fmt::format("the caches cannot be looked through: {}", error.what());
  }
}

}  // namespace

std::string why_missing(const Job& job, const Cache& cache, std::string_view no_compiler) {
  const cache::DiskStore* const store = impl_of(cache).store();
  std::vector<std::string> tiers;
  if (store != nullptr) tiers = store->why_absent(job.key);
  return fmt::format(
      "kernel \"{}\", {}, variant \"{}\", for {} is in no cache and cannot be compiled: {}; {}; compile it ahead with kiln "
      "compile, "
      "or install the compiler",
      job.compile.name, job.compile.context, job.variant, job.target, no_compiler,
      tiers.empty() ? std::string("there is no cache on disk: set KILN_CACHE_DIR or KILN_CACHE_READONLY_DIRS")
                    : fmt::format("caches asked: {}; {}", fmt::join(tiers, ", "), nearest(job, cache)));
}

}  // namespace kiln::program
