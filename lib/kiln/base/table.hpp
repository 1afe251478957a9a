// A hash table that only grows, searched without a lock: a call finds what was made for it, from any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/hash.hpp"

namespace kiln::base {

/// The hash of a key, from those of its members that tell most keys apart. Of this process alone.
class KeyHash {
 public:
  KeyHash& add(std::uint64_t number) noexcept {
    value_ = (value_ ^ number) * kGolden;
    value_ ^= value_ >> 32;
    return *this;
  }
  KeyHash& add_bytes(const void* bytes, std::size_t count) noexcept {
    return add(hash64({static_cast<const char*>(bytes), count}));
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  static constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;  // the golden ratio's fraction, as of Fibonacci hashing
  std::uint64_t value_ = kGolden;
};

/// A tree: the next bits of a key's hash choose the child of a node. A Key has == and hash(), equal for equal keys.
template <class Key, class Value>
class Table {
 public:
  Table() = default;
  ~Table() { delete root_.load(std::memory_order_acquire); }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  /// Null where there is none. What it points to stays as long as the table.
  [[nodiscard]] Value* find(const Key& key) const noexcept {
    const std::uint64_t hash = key.hash();
    std::uint64_t path = hash;
    for (Node* node = root_.load(std::memory_order_acquire); node != nullptr; path <<= kBits) {
      if (node->hash == hash && node->key == key) return &node->value;
      node = node->child(path).load(std::memory_order_acquire);
    }
    return nullptr;
  }
  /// Where the table has the key already, as another thread may just have added it, that one's value stays.
  template <class... Parts>
  Value& add(Key key, Parts&&... parts) {
    const std::uint64_t hash = key.hash();
    std::unique_ptr<Node> made(new Node{hash, std::move(key), {std::forward<Parts>(parts)...}});
    std::atomic<Node*>* place = &root_;
    for (std::uint64_t path = hash;; path <<= kBits) {
      Node* node = nullptr;
      if (place->compare_exchange_strong(node, made.get(), std::memory_order_release, std::memory_order_acquire)) {
        return made.release()->value;
      }
      if (node->hash == hash && node->key == made->key) return node->value;
      place = &node->child(path);
    }
  }

 private:
  static constexpr unsigned kBits = 3;
  struct Node {
    std::uint64_t hash;
    Key key;
    Value value;
    std::array<std::atomic<Node*>, 1U << kBits> children = {};

    ~Node() {
      for (const auto& child : children) delete child.load(std::memory_order_acquire);
    }
    [[nodiscard]] std::atomic<Node*>& child(std::uint64_t path) noexcept { return children[path >> (64 - kBits)]; }
  };
  std::atomic<Node*> root_{nullptr};
};

}  // namespace kiln::base
