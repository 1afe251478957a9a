// NVRTC or hipRTC: found at once, loaded at the first compile.
#include "library/compiler_library.hpp"
#include "base/fork.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <system_error>

#include "library/driver.hpp"
#include "library/no_compiler.hpp"
#include "library/resolve.hpp"

namespace kiln::backend::gpu {
namespace {

std::unique_ptr<const CompilerLibrary> find(const Dialect& dialect) {
  if (dialect.driver_limits_compiler) {
    const int newest = driver_version_major(dialect.kind);
    if (newest != 0) {
      try {
        return std::make_unique<CompilerLibrary>(dialect, candidates(dialect.compiler_library, {}, newest));
      } catch (const DeviceError& error) {
        throw NoCompiler(std::string(error.what()) + " (newer ones do not count: the driver is for " + dialect.runtime + " " +
                         std::to_string(newest) + ")");
      }
    }
    return std::make_unique<CompilerLibrary>(dialect, candidates(dialect.compiler_library));
  }
  // Runtime and compiler of one release: the folder of the runtime first.
  const std::string runtime = locate_driver(dialect.kind);
  return std::make_unique<CompilerLibrary>(
      dialect, candidates(dialect.compiler_library, std::filesystem::path(runtime).parent_path().string()));
}

/// hipRTC's compiler proper is a library of its own, which an update may replace alone.
std::string companion_version(const Dialect& dialect, const std::string& path) {
  if (dialect.kind != DeviceKind::hip) return {};
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (const char* name : {"libamd_comgr.so.3", "libamd_comgr.so.2"}) {
    const std::string file = (folder / name).string();
    if (const std::string id = build_id(file); !id.empty()) return "+comgr-" + version_in_name(file) + "-" + id;
  }
  return {};
}

/// NVRTC opens libnvrtc-builtins.so.13.0 by that name alone, which the loader does not find in the folders of pip's packages:
/// it must be open before. A process that finds it anyway has one more handle to it.
void open_builtins(const std::string& compiler) {
  const int release = release_number(version_in_name(compiler));
  const std::filesystem::path folder = std::filesystem::path(compiler).parent_path();
  const std::string name = "libnvrtc-builtins.so." + std::to_string(release / 100) + "." + std::to_string(release % 100);
  const std::string file = (folder / name).string();
  std::error_code error;
  if (folder.empty() || !std::filesystem::exists(file, error)) return;
  static_cast<void>(base::DynamicLibrary::open_first(std::span(&file, 1), base::Unload::never));
}

}  // namespace

const CompilerLibrary& CompilerLibrary::of(DeviceKind kind) {
  static std::mutex mutex;
  // Leaked on purpose: kernels may be compiled while the process exits.
  static std::unique_ptr<const CompilerLibrary>* const found = new std::unique_ptr<const CompilerLibrary>[kVendors];
  const std::lock_guard guard(mutex);
  auto& library = found[vendor_number(kind)];
  if (!library) library = find(dialect_of(kind));
  return *library;
}

CompilerLibrary::CompilerLibrary(const Dialect& dialect, const std::vector<std::string>& names) : dialect_(dialect) {
  Located located = locate(names);
  if (located.path.empty()) {
    throw NoCompiler(std::string(dialect.compiler) + " was not found: tried " + base::describe(located.attempts) + "; " +
                     dialect.compiler_advice);
  }
  path_ = std::move(located.path);
  library_ = std::move(located.library);
  std::string version = version_in_name(path_);
  if (version.find('.') == std::string::npos) {
    int major = 0;
    int minor = 0;
    if (const abi::Status status = table().version(&major, &minor); status != abi::kSuccess) {
      throw DeviceError("failed to read the version of " + path_ + ": " + table().error_text(status), status,
                        table().error_text(status));
    }
    version = std::to_string(major) + "." + std::to_string(minor);
  }
  number_ = release_number(version);
  const std::string id = build_id(path_);
  version_ = version + (id.empty() ? "" : "+" + id) + companion_version(dialect, path_);
  if (number_ < dialect.minimum_compiler) {
    throw DeviceError(display() + " (" + path_ + ") is too old: kiln's kernels are C++20, which needs " + dialect.compiler +
                      " " + std::to_string(dialect.minimum_compiler / 100) + "." +
                      std::to_string(dialect.minimum_compiler % 100) + " or newer; " + dialect.compiler_advice);
  }
}

std::string CompilerLibrary::display() const {
  return std::string(dialect_.compiler) + " " + std::to_string(number_ / 100) + "." + std::to_string(number_ % 100);
}

const CompilerTable& CompilerLibrary::table() const {
  std::call_once(loaded_, [this] { load(); });
  return table_;
}

void CompilerLibrary::load() const {
  base::watch_forks();
  if (!library_) {
    auto opened = base::DynamicLibrary::open_first(std::span(&path_, 1), base::Unload::never);
    if (!opened.library) {
      throw NoCompiler("failed to load " + std::string(dialect_.compiler) + ": " + base::describe(opened.attempts) + "; " +
                       dialect_.compiler_advice);
    }
    library_ = std::move(opened.library);
  }
  if (dialect_.kind == DeviceKind::cuda) open_builtins(library_.path());
  const Resolver resolve{library_, dialect_.kind, path_};
#define KILN_GPU_SYMBOL(member, cuda, hip, need, ...) resolve(table_.member, cuda, hip, Need::need);
#include "library/compiler_symbols.inc"
#undef KILN_GPU_SYMBOL
}

std::unique_lock<std::mutex> CompilerLibrary::lock() const {
  return dialect_.compiler_locks ? std::unique_lock(compiling_) : std::unique_lock<std::mutex>();
}

std::vector<int> CompilerLibrary::capabilities() const {
  const CompilerTable& calls = table();
  int count = 0;
  if (calls.arch_count == nullptr || calls.arch_count(&count) != abi::kSuccess || count <= 0) return {};
  std::vector<int> archs(static_cast<std::size_t>(count));
  if (calls.archs(archs.data()) != abi::kSuccess) return {};
  std::sort(archs.begin(), archs.end());
  return archs;
}

}  // namespace kiln::backend::gpu
