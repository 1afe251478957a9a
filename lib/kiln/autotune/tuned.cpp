#include "autotune/tuned.hpp"

#include <utility>

namespace kiln::autotune {

static_assert(cache::kSizeClasses <= 32, "a bit for each");

void Tuned::set(std::int64_t elements, Shape shape) {
  const std::lock_guard lock(mutex_);
  all_.push_back(std::make_unique<const Shape>(std::move(shape)));
  shapes_[class_of(elements)].store(all_.back().get(), std::memory_order_release);
  any_.store(true, std::memory_order_relaxed);
  first_try(elements);
}

void Tuned::set_model(std::int64_t elements) noexcept {
  shapes_[class_of(elements)].store(nullptr, std::memory_order_release);
  first_try(elements);
}

bool Tuned::first_try(std::int64_t elements) noexcept {
  const std::uint32_t bit = std::uint32_t{1} << class_of(elements);
  return (tried_.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
}

}  // namespace kiln::autotune
