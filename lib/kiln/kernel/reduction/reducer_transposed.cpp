// Few outputs whose elements alternate in memory, by a kernel that folds elements which are neighbours.
#include <algorithm>

#include "device/cpu/copy.hpp"
#include "kernel/reduction/reducer.hpp"

namespace kiln::kinds {

void Reducer::transposed_leaf(std::int64_t rows, char* to) {
  for (std::int64_t row = 0; row < rows;) {
    const std::int64_t now = std::min(rows - row, run_ - run_at_);
    for (int k = 0; k < kernel_.inputs; ++k) {
      if (is_scalar(k)) continue;
      const auto i = static_cast<std::size_t>(k);
      const std::int64_t size = kernel_.itemsize[k];
      const std::int64_t stride = reduced_stride(k);
      if (!is_index(k)) {
        gather(buffer_[i] + row * size, at_[i] + run_at_ * stride, {columns_, kept_stride(k), now, stride, rows * size}, size);
        continue;
      }
      const std::int64_t first = number_at(at_[i]) + run_at_ * stride;
      auto* const list = reinterpret_cast<std::int64_t*>(buffer_[i]);
      for (std::int64_t c = 0; c < columns_; ++c) {
        for (std::int64_t r = 0; r < now; ++r) list[c * rows + row + r] = first + c * kept_stride(k) + r * stride;
      }
    }
    row += now;
    advance(now);
  }
  for (std::int64_t c = 0; c < columns_; ++c) {
    for (int k = 0; k < kernel_.inputs; ++k) {
      const auto i = static_cast<std::size_t>(k);
      char* const from = buffer_[i] + c * rows * kernel_.itemsize[k];
      addresses_[i] = is_scalar(k) ? at_[i] : from;
      if (!is_index(k)) continue;
      const auto* const list = reinterpret_cast<const std::int64_t*>(from);
      numbers_[0] = {list[0], list};
      addresses_[i] = numbers_.data();
    }
    kernel_.fold(addresses_.data(), rows, to + c * kernel_.state_size, true);
  }
}

}  // namespace kiln::kinds
