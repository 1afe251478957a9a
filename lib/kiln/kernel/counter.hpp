// Counting through a shape in C order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kiln::kinds {

using Numbers = std::span<const std::int64_t>;

inline std::int64_t product(Numbers numbers) {
  std::int64_t all = 1;
  for (const std::int64_t number : numbers) all *= number;
  return all;
}

class Counter {
 public:
  explicit Counter(Numbers shape) : shape_(shape), index_(shape.size(), 0) {}
  /// The index with that number.
  Counter(Numbers shape, std::int64_t number) : Counter(shape) {
    for (std::size_t d = shape.size(); d-- > 0;) {
      index_[d] = number % shape[d];
      number /= shape[d];
    }
  }

  [[nodiscard]] std::int64_t offset(Numbers strides) const {
    std::int64_t sum = 0;
    for (std::size_t d = 0; d < index_.size(); ++d) sum += index_[d] * strides[d];
    return sum;
  }
  /// False after the last one.
  bool next() {
    for (std::size_t d = shape_.size(); d-- > 0;) {
      if (++index_[d] < shape_[d]) return true;
      index_[d] = 0;
    }
    return false;
  }

 private:
  Numbers shape_;
  std::vector<std::int64_t> index_;
};

/// Calls run(counter) for each index of these dimensions: one launch each, where there are more dimensions than a kernel takes.
/// Counter::offset() takes strides of these and any further dimensions.
template <class Run>
void for_each_outer(Numbers shape, const Run& run) {
  Counter counter(shape);
  do {
    run(counter);
  } while (counter.next());
}

}  // namespace kiln::kinds
