// What a Partial handle points to: the accumulators of a part of what is reduced, and how they go on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/function_ref.hpp"
#include "kiln/partial.hpp"
#include "reduce/partial_steps.hpp"

namespace kiln::reduce {

/// A node of the balanced tree over elements [0, size): 2ⁿ of them from `from` on, or as many as there are up to `size`.
struct Node {
  std::int64_t from;
  int level;  ///< n

  [[nodiscard]] std::int64_t count(std::int64_t size) const noexcept;
  friend bool operator==(const Node&, const Node&) = default;
};

/// The largest nodes that [begin, end) is made of, in order.
[[nodiscard]] std::vector<Node> nodes_of(std::int64_t begin, std::int64_t end, std::int64_t size);

/// Adds the node after the last of a list, and joins what belongs together: join(k) makes one of the nodes k and k + 1, which
/// become the node k.
void add_node(std::vector<Node>& nodes, const Node& node, std::int64_t size, base::FunctionRef<void(std::size_t)> join);

/// The function of accumulators, one loop of it.
struct PartialFunction {
  std::string name;
  ufunc::Loop loop;
  PartialSteps steps;
  std::string digest;  ///< of the texts, dtypes and options that accumulators depend on; not of files

  PartialFunction(const std::shared_ptr<const detail::UfuncImpl>& ufunc, ufunc::Loop chosen);
  PartialFunction(const std::shared_ptr<const detail::ReductionImpl>& reduction, ufunc::Loop chosen);
};

}  // namespace kiln::reduce

namespace kiln::detail {

class PartialImpl {
 public:
  std::shared_ptr<const reduce::PartialFunction> function;
  Shape kept;              ///< extents of the axes that are not reduced
  std::vector<bool> axes;  ///< of the inputs: whether each is reduced
  std::int64_t inner = 1;  ///< elements of an index of the cut axis
  std::int64_t begin = 0;  ///< elements, as in all that follows
  std::int64_t end = 0;
  std::int64_t size = 0;
  std::vector<Array> states;  ///< (nodes, kept…)
  /// Of a masked part without an identity that elements may be combined with: whether any element counts. Else empty.
  Array any;
  std::optional<Device> device = std::nullopt;

  [[nodiscard]] std::vector<reduce::Node> nodes() const { return reduce::nodes_of(begin, end, size); }
};

}  // namespace kiln::detail

namespace kiln::reduce {

/// Where a reduction's accumulators are arrays: PartialFunction, which a reduction keeps. TypeError elsewhere.
[[nodiscard]] std::shared_ptr<const PartialFunction> partial_function(const std::shared_ptr<const detail::UfuncImpl>& impl,
                                                                      const ufunc::Loop& loop);
[[nodiscard]] std::shared_ptr<const PartialFunction> partial_function(const std::shared_ptr<const detail::ReductionImpl>& impl,
                                                                      const ufunc::Loop& loop);

/// Elements of the whole array, of which a part has `extent` indices of the cut axis with `inner` elements each. ShapeError,
/// which begins with `what`, for a part that does not lie within it.
[[nodiscard]] std::int64_t size_of(const std::string& what, std::int64_t extent, std::int64_t inner,
                                   const PartialOptions& options);

/// Fills the accumulators of a part whose other members are set. `numbers`: those that maps get. `whole`: what the inputs
/// broadcast to. The options' .out and .windows are not used. `on_host`: the accumulators are host arrays, wherever they are
/// computed.
void compute(detail::PartialImpl& part, std::span<const Arg> args, const Options& view, const Numbers& numbers,
             const Shape& whole, bool on_host);

/// The accumulators of a part and the one that follows it, and the results of all; Partial has their errors.
[[nodiscard]] std::shared_ptr<const detail::PartialImpl> combined(const std::shared_ptr<const detail::PartialImpl>& a,
                                                                  const std::shared_ptr<const detail::PartialImpl>& b);
[[nodiscard]] std::vector<Array> finished(const detail::PartialImpl& partial, const FinishOptions& given);

/// The dtypes of a loop, as bytes have them.
struct LoopOfBytes {
  std::vector<DType> inputs;
  std::vector<DType> outputs;

  /// "float32, float32 -> float64".
  [[nodiscard]] std::string text() const;
};

[[nodiscard]] std::string bytes_of(const detail::PartialImpl& partial);
/// TypeError, which begins with `name`, for others. `function_for` gives the function of a loop.
[[nodiscard]] std::shared_ptr<const detail::PartialImpl> partial_of(
    const std::string& name, std::string_view bytes,
    base::FunctionRef<std::shared_ptr<const PartialFunction>(const LoopOfBytes&)> function_for);

}  // namespace kiln::reduce
