// The launch shapes that were measured for a loaded kernel, by size class: what each of its launches looks up.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "autotune/choice.hpp"
#include "cache/tuning_file.hpp"
#include "device/backend.hpp"

namespace kiln::autotune {

/// Thread-safe. A look-up takes no lock, and where nothing was measured one look at a flag.
class Tuned {
 public:
  struct Shape {
    Choice choice;
    std::shared_ptr<const backend::Module> module;  ///< compiled for its accesses; null: the kernel itself is
  };

  /// For a launch of so many elements; null: the cost model decides. What it points to lives as long as this.
  [[nodiscard]] const Shape* find(std::int64_t elements) const noexcept {
    if (!any_.load(std::memory_order_relaxed)) return nullptr;
    return shapes_[class_of(elements)].load(std::memory_order_acquire);
  }
  /// Takes the place of what was found before for that size class. Without a module for its accesses it is not to be called.
  void set(std::int64_t elements, Shape shape);
  /// The cost model's shape is the best for that size class.
  void set_model(std::int64_t elements) noexcept;
  /// Whether the size class was tried.
  [[nodiscard]] bool tried(std::int64_t elements) const noexcept {
    return (tried_.load(std::memory_order_relaxed) >> class_of(elements) & 1U) != 0;
  }
  /// Marks the size class as tried. False where it was already.
  bool first_try(std::int64_t elements) noexcept;

 private:
  [[nodiscard]] static std::size_t class_of(std::int64_t elements) noexcept {
    return static_cast<std::size_t>(cache::size_class(elements));
  }

  std::atomic<bool> any_{false};
  std::atomic<std::uint32_t> tried_{0};
  std::array<std::atomic<const Shape*>, cache::kSizeClasses> shapes_{};
  std::mutex mutex_;
  std::vector<std::unique_ptr<const Shape>> all_;  // launches may still read those that were replaced
};

}  // namespace kiln::autotune
