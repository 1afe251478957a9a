// A cache of this process's own, unless the caller chose one: no test touches the user's.
#include <cstdlib>
#include <filesystem>
#include <string>

namespace {

struct CacheFolder {
  CacheFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kiln-math-tests-XXXXXX").string();
    if (std::getenv("KILN_CACHE_DIR") != nullptr || mkdtemp(pattern.data()) == nullptr) return;
    path = pattern;
    setenv("KILN_CACHE_DIR", path.c_str(), 1);
  }
  ~CacheFolder() {
    std::error_code ignored;
    if (!path.empty()) std::filesystem::remove_all(path, ignored);
  }
  CacheFolder(const CacheFolder&) = delete;
  CacheFolder& operator=(const CacheFolder&) = delete;
  std::string path;
};
const CacheFolder folder;

}  // namespace
