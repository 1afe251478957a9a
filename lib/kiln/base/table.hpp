// A table that only grows, searched without a lock: a call finds what was made for it in a few nanoseconds, from any thread.
#pragma once

#include <atomic>
#include <utility>

namespace kiln::base {

template <class Key, class Value>
class Table {
 public:
  Table() = default;
  ~Table() {
    for (Node* node = head_.load(); node != nullptr;) delete std::exchange(node, node->next);
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  /// Null where there is none. What it points to stays as long as the table.
  [[nodiscard]] Value* find(const Key& key) const noexcept {
    for (Node* node = head_.load(std::memory_order_acquire); node != nullptr; node = node->next) {
      if (node->key == key) return &node->value;
    }
    return nullptr;
  }
  /// Two threads may add the same key: the later one is found from then on, and the other stays.
  template <class... Parts>
  Value& add(Key key, Parts&&... parts) {
    Node* const node = new Node{std::move(key), {std::forward<Parts>(parts)...}, head_.load(std::memory_order_relaxed)};
    while (!head_.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) {
    }
    return node->value;
  }

 private:
  struct Node {
    Key key;
    Value value;
    Node* next;
  };
  std::atomic<Node*> head_{nullptr};
};

}  // namespace kiln::base
