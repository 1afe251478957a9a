#include "call/borrowed.hpp"

#include <algorithm>

#include "kiln/event.hpp"

namespace kiln::call {

Borrowed::~Borrowed() {
  for (std::size_t i = std::min(count_, kInline); i-- > 0;) std::destroy_at(inline_at(i));
}

const detail::ArrayRep* Borrowed::add(std::size_t operand, const ArrayRef& ref) {
  if (count_ < kInline) {
    const Entry* const entry = std::construct_at(inline_at(count_), ref, operand);
    ++count_;
    return &entry->rep;
  }
  more_.push_back(std::make_unique<Entry>(ref, operand));
  ++count_;
  return &more_.back()->rep;
}

const Borrowed::Entry* Borrowed::entry_of(std::size_t operand) const noexcept {
  for (std::size_t i = 0; i < count_; ++i) {
    if (at(i).operand == operand) return &at(i);
  }
  return nullptr;
}

const detail::ArrayRep* Borrowed::find(std::size_t operand) const noexcept {
  const Entry* const entry = entry_of(operand);
  return entry != nullptr ? &entry->rep : nullptr;
}

Array Borrowed::handle(std::size_t operand) const {
  const Entry* const entry = entry_of(operand);
  return entry != nullptr ? detail::array_of(*entry->ref) : Array();
}

void Borrowed::synchronize() const {
  for (std::size_t i = 0; i < count_; ++i) {
    if (const Event* const ready = at(i).ref->ready) ready->synchronize();
  }
}

void Borrowed::wait_until_ready(const Device& device, backend::Queue* queue) const {
  for (std::size_t i = 0; i < count_; ++i) {
    const Event* const ready = at(i).ref->ready;
    if (ready == nullptr) continue;
    // A queue waits for events of its own device.
    device.same_memory(ready->device()) ? ready->handle()->wait(queue) : ready->handle()->synchronize();
  }
}

}  // namespace kiln::call
