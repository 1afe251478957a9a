// The operands of a call that stand in memory of the caller's.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "array/ref.hpp"
#include "device/backend.hpp"

namespace kiln::call {

/// The arrays of a call that stand in memory of the caller's. They allocate nothing for a few operands of few axes.
class Borrowed {
 public:
  Borrowed() = default;
  ~Borrowed();
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

  /// Returns the array of that operand, which stays where it is. Throws the exceptions of detail::rep_of().
  const detail::ArrayRep* add(std::size_t operand, const ArrayRef& ref);
  /// Returns the array of an operand; null if it was not added.
  [[nodiscard]] const detail::ArrayRep* find(std::size_t operand) const noexcept;
  /// Returns a view of the memory of an operand; an empty handle if it was not added.
  [[nodiscard]] Array handle(std::size_t operand) const;
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  /// Waits in the caller until the elements are ready.
  void synchronize() const;
  /// Makes work that is queued there from now on wait until the elements are ready.
  void wait_until_ready(const Device& device, backend::Queue* queue) const;

 private:
  struct Entry {
    Entry(const ArrayRef& of, std::size_t number) : rep(detail::rep_of(of)), ref(&of), operand(number) {}
    detail::ArrayRep rep;
    const ArrayRef* ref;
    std::size_t operand;
  };
  static constexpr std::size_t kInline = 4;
  [[nodiscard]] Entry* inline_at(std::size_t i) noexcept { return reinterpret_cast<Entry*>(room_) + i; }
  [[nodiscard]] const Entry& at(std::size_t i) const noexcept {
    return i < kInline ? reinterpret_cast<const Entry*>(room_)[i] : *more_[i - kInline];
  }
  [[nodiscard]] const Entry* entry_of(std::size_t operand) const noexcept;

  std::size_t count_ = 0;
  alignas(Entry) unsigned char room_[kInline * sizeof(Entry)];  // stays uninitialized: most calls borrow nothing
  std::vector<std::unique_ptr<Entry>> more_;
};

}  // namespace kiln::call
