#include "device/cpu/shared_object.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <set>

#include "base/file.hpp"
#include "base/file_descriptor.hpp"
#include "compiler/debug_folder.hpp"
#include "device/cpu/loading.hpp"

namespace kiln::backend::cpu {
namespace {

/// The loader's record, and the last pages of the two segments.
constexpr std::size_t kLoaderBytes = 3 * 4096;

/// A number for each load of this process.
std::uint64_t next_load() {
  static std::atomic<std::uint64_t> count{0};
  return count.fetch_add(1, std::memory_order_relaxed);
}

/// A path to an open file that no load of this process used before. glibc knows a loaded library by its path and would give an
/// older kernel for /proc/self/fd/7 used again. The number is spelt in "/." and "/", which lead nowhere else.
std::string unique_path(int file) {
  std::string path = "/proc/self/fd";
  for (std::uint64_t rest = next_load(); rest != 0; rest >>= 1) path += (rest & 1) != 0 ? "/." : "/";
  return path + '/' + std::to_string(file);
}

/// Profilers show the memory under the kernel's name.
void* open_in_memory(std::string_view code, const std::string& name) {
  const base::FileDescriptor file = memory_file("kiln:" + name.substr(0, 100), code);
  if (!file) return nullptr;
  return dlopen(unique_path(file.get()).c_str(), RTLD_NOW | RTLD_LOCAL);
}

/// Where memfd or /proc is refused: a folder of our own, so that no one else can put a file in the way.
void* open_from_disk(std::string_view code, const std::string& name) {
  const char* const temporary = secure_getenv("TMPDIR");
  std::string folder = std::string(temporary != nullptr && *temporary != '\0' ? temporary : "/tmp") + "/kiln-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) fail_to_load(name, "cannot make " + folder + ": " + base::errno_text(errno));
  const std::string path = folder + "/kernel-" + std::to_string(next_load()) + ".so";
  std::string problem;
  void* handle = nullptr;
  {
    const auto file = base::FileDescriptor::open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (!file || !write_all(file.get(), code)) problem = "cannot write " + path + ": " + base::errno_text(errno);
  }
  if (problem.empty()) {
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) problem = dlerror();
  }
  unlink(path.c_str());
  rmdir(folder.c_str());
  if (handle == nullptr) fail_to_load(name, problem);
  return handle;
}

/// The files that are loaded: glibc would give the same image again, whose memory is another kernel's.
class FilesInUse {
 public:
  bool add(const std::string& path) {
    const std::lock_guard guard(mutex_);
    return paths_.insert(path).second;
  }
  void remove(const std::string& path) {
    const std::lock_guard guard(mutex_);
    paths_.erase(path);
  }

 private:
  std::mutex mutex_;
  std::set<std::string> paths_;
};
FilesInUse& files_in_use() {
  static auto* const files = new FilesInUse;  // kernels may outlive every static object
  return *files;
}

}  // namespace

SharedObject::SharedObject(std::string_view code, const std::string& name, const std::string& debug_folder)
    : memory_bytes_(code.size() + kLoaderBytes) {
  if (!debug_folder.empty()) open_from_folder(code, debug_folder + '/' + debug_code_file(name));
  if (handle_ == nullptr) handle_ = open_in_memory(code, name);
  if (handle_ == nullptr) handle_ = open_from_disk(code, name);
}

void SharedObject::open_from_folder(std::string_view code, const std::string& path) {
  if (!files_in_use().add(path)) return;
  if (base::file_holds(path, code)) handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ != nullptr) {
    file_ = path;
  } else {
    files_in_use().remove(path);
  }
}

SharedObject::SharedObject(std::string_view code, const std::string& name, Store store)
    : memory_bytes_(code.size() + kLoaderBytes) {
  if (store == Store::memory) handle_ = open_in_memory(code, name);
  if (handle_ == nullptr) handle_ = open_from_disk(code, name);
}

SharedObject::~SharedObject() {
  dlclose(handle_);
  if (!file_.empty()) files_in_use().remove(file_);
}

void* SharedObject::symbol(const char* name) const noexcept {
  return dlsym(handle_, name);
}

}  // namespace kiln::backend::cpu
