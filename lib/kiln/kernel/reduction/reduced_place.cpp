#include "kernel/reduction/reduced_place.hpp"

namespace kiln::kinds {

ReducedPlace::ReducedPlace(const CpuReduction& kernel, const ReductionLaunch& launch)
    : kernel_(kernel), launch_(launch), run_(launch.reduced.empty() ? 1 : launch.reduced.back()) {}

std::int64_t ReducedPlace::kept_stride(int operand) const {
  return launch_.kept.empty() || is_scalar(operand)
             ? 0
             : launch_.operands[static_cast<std::size_t>(operand)].strides[launch_.kept.size() - 1];
}

std::int64_t ReducedPlace::reduced_stride(int operand) const {
  const std::size_t rank = launch_.kept.size() + launch_.reduced.size();
  return launch_.reduced.empty() || is_scalar(operand) ? 0
                                                       : launch_.operands[static_cast<std::size_t>(operand)].strides[rank - 1];
}

void ReducedPlace::place(std::int64_t row, std::int64_t column) {
  const std::size_t kept = launch_.kept.size();
  const auto operands = static_cast<std::size_t>(kernel_.inputs) + static_cast<std::size_t>(kernel_.outputs);
  for (std::size_t k = 0; k < operands; ++k) {
    tile_[k] = static_cast<char*>(launch_.operands[k].data) + column * kept_stride(static_cast<int>(k));
  }
  for (std::size_t d = kept > 0 ? kept - 1 : 0; d-- > 0;) {
    const std::int64_t at = row % launch_.kept[d];
    row /= launch_.kept[d];
    for (std::size_t k = 0; k < operands; ++k) {
      if (!launch_.operands[k].scalar) tile_[k] += at * launch_.operands[k].strides[d];
    }
  }
}

void ReducedPlace::seek(std::int64_t element) {
  const std::size_t kept = launch_.kept.size();
  const std::size_t rank = launch_.reduced.size();
  for (int k = 0; k < kernel_.inputs; ++k) at_[static_cast<std::size_t>(k)] = tile_[static_cast<std::size_t>(k)];
  run_at_ = 0;
  if (rank == 0) return;
  run_at_ = element % run_;
  std::int64_t row = element / run_;
  for (std::size_t d = rank - 1; d-- > 0;) {
    index_[d] = row % launch_.reduced[d];
    row /= launch_.reduced[d];
    for (int k = 0; k < kernel_.inputs; ++k) {
      const auto i = static_cast<std::size_t>(k);
      if (!is_scalar(k)) at_[i] += index_[d] * launch_.operands[i].strides[kept + d];
    }
  }
}

void ReducedPlace::advance(std::int64_t count) {
  run_at_ += count;
  if (run_at_ < run_) return;
  const std::int64_t rows = run_at_ / run_;
  run_at_ = 0;
  const std::size_t kept = launch_.kept.size();
  const std::size_t rank = launch_.reduced.size();
  if (rank < 2) return;
  std::int64_t step = rows;
  for (std::size_t d = rank - 1; d-- > 0;) {
    index_[d] += step;
    for (int k = 0; k < kernel_.inputs; ++k) {
      const auto i = static_cast<std::size_t>(k);
      if (!is_scalar(k)) at_[i] += step * launch_.operands[i].strides[kept + d];
    }
    if (index_[d] < launch_.reduced[d] || d == 0) return;
    for (int k = 0; k < kernel_.inputs; ++k) {
      const auto i = static_cast<std::size_t>(k);
      if (!is_scalar(k)) at_[i] -= index_[d] * launch_.operands[i].strides[kept + d];
    }
    index_[d] = 0;
    step = 1;
  }
}

}  // namespace kiln::kinds
