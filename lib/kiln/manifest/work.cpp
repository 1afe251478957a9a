#include "manifest/work.hpp"

#include "kiln/error.hpp"

namespace kiln::manifest {

std::vector<Work> work_of(const std::vector<Entry>& entries, const backend::Compiler& compiler, bool other_sizes) {
  std::vector<Work> own;
  std::vector<Work> others;
  std::unordered_set<std::string> known;  // digests
  std::vector<std::string> of_others;
  for (const Entry& entry : entries) {
    for (const Unit& unit : entry.units) {
      if (!concerns(unit, compiler.kind())) continue;
      own.push_back({&unit});
      if (!other_sizes) continue;
      try {
        const std::vector<program::Request> requests = unit.requests(compiler.kind());
        for (std::size_t i = 0; i < requests.size(); ++i) {
          std::string digest = program::make_job(requests[i], compiler).digest;
          if (i == 0) {
            known.insert(std::move(digest));
            continue;
          }
          others.push_back({&unit, i});
          of_others.push_back(std::move(digest));
        }
      } catch (const Error&) {
        // Reported where the first is compiled.
      }
    }
  }
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (known.insert(of_others[i]).second) own.push_back(others[i]);
  }
  return own;
}

}  // namespace kiln::manifest
