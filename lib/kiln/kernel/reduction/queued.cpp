#include "kernel/reduction/queued.hpp"

#include <cstring>

namespace kiln::kinds {

QueuedReduction::QueuedReduction(const ReductionLaunch& from)
    : operands(from.operands.begin(), from.operands.end()), launch(from) {
  const std::size_t rank = from.kept.size() + from.reduced.size();
  const std::size_t stretches = from.segments != nullptr ? from.segments->begins.size() : 0;
  numbers.reserve((operands.size() + 1) * rank + stretches);  // no growth below: addresses are taken
  numbers.insert(numbers.end(), from.kept.begin(), from.kept.end());
  numbers.insert(numbers.end(), from.reduced.begin(), from.reduced.end());
  values.reserve(operands.size());  // nor here
  for (LaunchOperand& operand : operands) {
    if (operand.scalar) {
      if (operand.strides == nullptr) {
        if (operand.itemsize > sizeof(Value)) {
          beside.resize(operand.itemsize / sizeof(std::int64_t));
          std::memcpy(beside.data(), operand.data, operand.itemsize);
          operand.data = beside.data();
          continue;
        }
        values.emplace_back();
        std::memcpy(values.back().bytes.data(), operand.data, sizeof(Value));
        operand.data = values.back().bytes.data();
      }
      continue;
    }
    const std::size_t first = numbers.size();
    numbers.insert(numbers.end(), operand.strides, operand.strides + rank);
    operand.strides = numbers.data() + first;
  }
  launch.operands = operands;
  launch.kept = {numbers.data(), from.kept.size()};
  launch.reduced = {numbers.data() + from.kept.size(), from.reduced.size()};
  if (from.segments != nullptr) {
    const std::size_t first = numbers.size();
    numbers.insert(numbers.end(), from.segments->begins.begin(), from.segments->begins.end());
    segments = {{numbers.data() + first, stretches}, from.segments->extent, from.segments->step};
    launch.segments = &segments;
  }
  if (from.initial != nullptr) {
    std::memcpy(initial.data(), from.initial, initial.size());
    launch.initial = initial.data();
  }
}

}  // namespace kiln::kinds
