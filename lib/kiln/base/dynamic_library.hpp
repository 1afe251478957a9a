// A shared library opened at run time, and the record of where it was looked for. Not the symbol tables: those are the
// backends' business.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace kiln::base {

/// One name or path that was tried, and what the loader said.
struct Attempt {
  std::string name;
  std::string reason;  ///< dlerror's words; empty where this one was opened
};

/// "libcuda.so.1 (cannot open shared object file), /usr/lib/…": the attempts on one line, for error messages.
[[nodiscard]] std::string describe(std::span<const Attempt> attempts);

/// What happens to the library when its owner goes. Vendor runtimes and LLVM register exit handlers and threads, and must stay.
enum class Unload { when_destroyed, never };

/// Owns one dlopen handle. Move-only; an empty one owns nothing. symbol() may be called from several threads.
class DynamicLibrary {
 public:
  struct Opened;

  DynamicLibrary() noexcept = default;
  DynamicLibrary(DynamicLibrary&& other) noexcept;
  DynamicLibrary& operator=(DynamicLibrary&& other) noexcept;
  DynamicLibrary(const DynamicLibrary&) = delete;
  DynamicLibrary& operator=(const DynamicLibrary&) = delete;
  ~DynamicLibrary();

  /// Opens the first candidate that the loader accepts (RTLD_NOW | RTLD_LOCAL). A name without a slash is searched for as
  /// dlopen does. Never throws for a missing library: the result's library is then empty and `attempts` says why, one
  /// attempt for each candidate.
  [[nodiscard]] static Opened open_first(std::span<const std::string> candidates, Unload unload);

  /// The address of a symbol, or null where the library has none of that name. An empty library has none.
  [[nodiscard]] void* symbol(const char* name) const noexcept;

  /// The same as a function of type `Function` (a pointer to a function).
  template <typename Function>
  [[nodiscard]] Function function(const char* name) const noexcept {
    return reinterpret_cast<Function>(symbol(name));
  }

  [[nodiscard]] explicit operator bool() const noexcept { return handle_ != nullptr; }

  /// The candidate that was opened.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// The file that the loader mapped, as an absolute path where it knows one; empty for an empty library.
  [[nodiscard]] std::string path() const;

 private:
  DynamicLibrary(void* handle, std::string name, Unload unload) noexcept;
  void close() noexcept;

  void* handle_ = nullptr;
  std::string name_;
  Unload unload_ = Unload::never;
};

struct DynamicLibrary::Opened {
  DynamicLibrary library;         ///< empty where no candidate could be opened
  std::vector<Attempt> attempts;  ///< every candidate tried, in order; the last one has no reason where it was opened
};

}  // namespace kiln::base
