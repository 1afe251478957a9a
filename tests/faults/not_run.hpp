// Cases that want something that is not there: counted by what is missing, printed by main().
#pragma once

#include <map>
#include <string>

namespace kiln::test {

/// For the running case to count itself, once: `++cases_not_run()["root"]`.
inline std::map<std::string, int>& cases_not_run() {
  static std::map<std::string, int> cases;
  return cases;
}

}  // namespace kiln::test
