// Memory for machine code: arenas whose pages are given out and taken back. A page is writable or executable, never both.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace kiln::backend::cpu {

/// Whole pages of an arena, of whoever allocated them.
struct CodePages {
  std::byte* begin = nullptr;
  std::size_t size = 0;
};

/// The arenas of this process. Thread-safe. Pages are private: a forked child has its own, with the same code. Callers hold a
/// ForkGate.
class CodeArenas {
 public:
  /// How pages get their bytes.
  enum class Store {
    protection,  ///< pages are writable for a moment; files from where on the system refuses to run what was written
    files        ///< a nameless file is mapped in place of the pages, which costs a mapping each
  };

  explicit CodeArenas(Store store = Store::protection) : store_(store) {}
  ~CodeArenas();
  CodeArenas(const CodeArenas&) = delete;
  CodeArenas& operator=(const CodeArenas&) = delete;
  /// Those of all kernels. Never destroyed.
  static CodeArenas& of_process();

  /// Pages for so many bytes, whose address is known before they are filled. Nothing, with errno, where there is no memory.
  [[nodiscard]] std::optional<CodePages> allocate(std::size_t bytes);
  /// Fills pages that nobody runs. False, with errno, where the system refuses: the pages are then only good for free().
  [[nodiscard]] bool fill(const CodePages& pages, std::span<const std::byte> bytes);
  /// Gives the memory back to the system, and the addresses to later pages.
  void free(const CodePages& pages) noexcept;

  struct Usage {
    std::size_t arenas = 0;
    std::size_t bytes = 0;  ///< of pages that are given out
  };
  [[nodiscard]] Usage usage();

 private:
  struct Arena {
    std::size_t size = 0;
    std::size_t used = 0;
  };
  using Arenas = std::map<std::byte*, Arena>;

  [[nodiscard]] bool add_arena(std::size_t bytes);
  Arenas::iterator arena_of(std::byte* address);
  void add_free(Arenas::iterator arena, CodePages pages);
  void shorten_free(std::set<std::pair<std::size_t, std::byte*>>::iterator range, std::size_t taken) noexcept;
  void remove_free(std::map<std::byte*, std::size_t>::iterator range);
  void remove_if_spare(Arenas::iterator arena);

  std::mutex mutex_;
  Store store_;
  Arenas arenas_;
  std::map<std::byte*, std::size_t> free_;                     ///< by address; neighbours of an arena are joined
  std::set<std::pair<std::size_t, std::byte*>> free_by_size_;  ///< the same
};

}  // namespace kiln::backend::cpu
