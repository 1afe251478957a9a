// What the texts of a reduction see beside elements: raw inputs, numbers for all elements, and the axes of the call.
#include <algorithm>

#include "kiln/error.hpp"
#include "reduce/call.hpp"
#include "ufunc/raw_operands.hpp"

namespace kiln::reduce {

void Call::check_given() const {
  for (std::size_t k = 0; k < operands_.nin(); ++k) {
    if (operands_.is_raw(k) && operands_.rep(k) == nullptr) ufunc::fail_no_array(operands_, k);
  }
}

void Call::check_beside() const {
  const codegen::Stages& texts = *target_.texts();
  for (std::size_t k = 0; k < operands_.nin(); ++k) {
    if (operands_.is_raw(k)) {
      ufunc::check_raw(operands_, k, plan_->loop.text, (target_.addressed() >> k & 1U) != 0);
      continue;
    }
    const bool post = (texts.post_inputs >> k & 1U) != 0;
    if ((!post && (texts.identity_inputs >> k & 1U) == 0) || operands_.is_scalar(k) || operands_.rep(k)->size == 1) continue;
    throw ShapeError(target_.what() + ": " + operands_.name_of(k) + " of shape " + to_string(operands_.rep(k)->shape) +
                     " has an element for each element that is reduced, and the " + (post ? "post map" : "identity") +
                     " reads it where there is none; give a number, an array of one element, or declare it raw");
  }
  if (texts.asks_place(&codegen::Stages::Places::in_ind) && whole_.size() > kinds::RawAxesList::kMaxRank) {
    throw ShapeError(target_.what() + ": the inputs have " + std::to_string(whole_.size()) +
                     " dimensions, and _in_ind has at most " + std::to_string(kinds::RawAxesList::kMaxRank));
  }
}

// As the structure that lib/kiln/kernel/reduction/beside_text.cpp writes.
std::vector<std::int64_t> Call::beside() const {
  std::vector<std::int64_t> numbers;
  const auto add_axes = [&](std::span<const std::int64_t> shape, std::span<const std::int64_t> strides) {
    const std::size_t rank = std::max<std::size_t>(shape.size(), 1);
    const std::size_t first = numbers.size();
    numbers.resize(first + 2 * rank);
    numbers[first] = 1;  // of no dimension
    std::ranges::copy(shape, numbers.begin() + static_cast<std::ptrdiff_t>(first));
    std::ranges::copy(strides, numbers.begin() + static_cast<std::ptrdiff_t>(first + rank));
  };
  for (std::size_t k = 0; k < operands_.nin(); ++k) {
    if (operands_.is_raw(k)) add_axes(operands_.rep(k)->shape, operands_.rep(k)->strides);
  }
  const codegen::Stages* const texts = target_.texts();
  if (texts == nullptr || !texts->asks_sizes()) return numbers;
  numbers.push_back(outputs_);
  numbers.push_back(outputs_ * elements_);
  std::vector<std::int64_t> reduced;
  std::vector<std::int64_t> kept;
  for (std::size_t d = 0; d < whole_.size(); ++d) (reduced_[d] != 0 ? reduced : kept).push_back(whole_[d]);
  // Those that are reduced come first, as in CuPy.
  std::vector<std::int64_t> all = reduced;
  all.insert(all.end(), kept.begin(), kept.end());
  if (texts->asks_place(&codegen::Stages::Places::in_ind)) add_axes(all, {});
  if (texts->asks_place(&codegen::Stages::Places::out_ind)) add_axes(kept, {});
  return numbers;
}

}  // namespace kiln::reduce
