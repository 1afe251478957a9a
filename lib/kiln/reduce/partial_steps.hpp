// A reduction in two steps: parts of the elements to states, which are arrays, and states to the results.
#pragma once

#include <memory>
#include <vector>

#include "kiln/dtype.hpp"
#include "reduce/impl.hpp"
#include "reduce/target.hpp"

namespace kiln::reduce {

/// The states are of any windows of the elements: Target::is_part(). `merge` makes states of states.
struct PartialSteps {
  std::shared_ptr<const Target> part;   ///< of the same inputs; a state has an output for each of `states`
  std::shared_ptr<const Target> merge;  ///< of the states, to the same outputs
  std::shared_ptr<const Target> finish;
  std::vector<DType> states;
};

/// The dtype of the accumulators of a method's loop.
[[nodiscard]] DType state_of(const detail::UfuncImpl& ufunc, const ufunc::Loop& loop);

/// Whether arrays can hold the accumulators of a loop.
[[nodiscard]] bool has_partial_steps(const detail::ReductionImpl& reduction, const ufunc::Loop& loop);

/// For a loop of a method or a reduction. TypeError, which begins with its name, where a member of the accumulator is none that
/// an array can hold.
[[nodiscard]] PartialSteps in_partial_steps(const std::shared_ptr<const detail::UfuncImpl>& ufunc, const ufunc::Loop& loop);
[[nodiscard]] PartialSteps in_partial_steps(const std::shared_ptr<const detail::ReductionImpl>& reduction,
                                            const ufunc::Loop& loop);

}  // namespace kiln::reduce
