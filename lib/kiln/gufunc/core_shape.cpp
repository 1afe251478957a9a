#include "gufunc/core_shape.hpp"

#include <algorithm>

#include "call/operands.hpp"
#include "gufunc/core_texts.hpp"
#include "kiln/error.hpp"
#include "layout/broadcast.hpp"
#include "types/reason.hpp"

namespace kiln::gufunc {
namespace {

using signature::CoreDimension;

constexpr std::int64_t kUnknown = -1;
constexpr std::int64_t kNone = -1;
constexpr std::size_t kNobody = ~std::size_t{0};

class Shaping {
 public:
  Shaping(const CoreDefinition& definition, const CoreRequest& request)
      : definition_(definition), layout_(definition.layout), request_(request) {}

  CoreShape run() {
    check_options();
    count_core_dimensions();
    find_axes();
    take_input_sizes();
    take_rules();
    take_output_sizes();
    broadcast();
    shape_outputs();
    align_loops();
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::size_t nin() const noexcept { return layout_.inputs.size(); }
  [[nodiscard]] bool is_output(std::size_t operand) const noexcept { return operand >= nin(); }
  /// Null for an output that is yet to be allocated.
  [[nodiscard]] const Shape* shape_of(std::size_t operand) const noexcept {
    if (!is_output(operand)) return request_.inputs[operand];
    return request_.outputs.empty() ? nullptr : request_.outputs[operand - nin()];
  }
  /// Axes of the operand that are no loop dimensions.
  [[nodiscard]] std::size_t core_count(std::size_t operand) const noexcept {
    if (is_output(operand) && request_.keepdims) return kept_;
    const auto& core = layout_.of(operand);
    return static_cast<std::size_t>(std::count_if(core.begin(), core.end(), [&](std::size_t d) { return !dropped_[d]; }));
  }
  [[nodiscard]] std::size_t rank_of(std::size_t operand) const noexcept {
    const Shape* const shape = shape_of(operand);
    return shape != nullptr ? shape->size() : loop_rank_ + core_count(operand);
  }

  // -- texts ----------------------------------------------------------------------------------------------------------------

  [[nodiscard]] std::string what() const { return std::string(definition_.name) + ": "; }
  [[nodiscard]] std::string name_of(std::size_t operand) const { return gufunc::name_of(definition_, operand); }
  /// "input 0 (A) of shape (2, 3)"
  [[nodiscard]] std::string shown(std::size_t operand) const {
    const Shape* const shape = shape_of(operand);
    return shape != nullptr ? name_of(operand) + " of shape " + to_string(*shape) : name_of(operand);
  }

  // -- options that the layout does not take ---------------------------------------------------------------------------------

  void check_options() const {
    if (request_.axis && !request_.axes.empty()) {
      throw TypeError(what() + ".axis and .axes are both given; give .axes alone, it says the same and more");
    }
    if (request_.axis) {
      bool single = layout_.dimensions.size() == 1;
      for (std::size_t i = 0; i < layout_.operands(); ++i) single = single && layout_.of(i).size() <= 1;
      if (!single) {
        throw TypeError(what() + ".axis wants one core dimension that the operands share; " + layout_.text +
                        " has others: give .axes");
      }
    }
    if (!request_.keepdims) return;
    for (std::size_t i = 1; i < layout_.operands(); ++i) {
      const std::size_t wanted = is_output(i) ? 0 : layout_.inputs[0].size();
      if (layout_.of(i).size() == wanted) continue;
      throw TypeError(what() + ".keepdims wants equally many core dimensions on all inputs and none on the outputs; in " +
                      layout_.text + " " + name_of(i) + " has " + std::to_string(layout_.of(i).size()) + " instead of " +
                      std::to_string(wanted));
    }
  }

  // -- number of dimensions
  // ----------------------------------------------------------------------------------------------------

  void count_core_dimensions() {
    dropped_.assign(layout_.dimensions.size(), false);
    kept_ = layout_.inputs[0].size();
    for (std::size_t i = 0; i < layout_.operands(); ++i) {
      const Shape* const shape = shape_of(i);
      if (shape == nullptr) continue;
      const std::size_t rank = shape->size();
      if (rank < core_count(i)) drop_optional(i, rank);
      if (rank < core_count(i)) {
        const bool kept = is_output(i) && request_.keepdims;
        fail(Reason::core, shown(i) + " has " + call::counted(rank, "dimension") + ", " +
                               (kept ? "keepdims leaves" : "its core " + core_text(layout_, i) + " needs") + " " +
                               std::to_string(core_count(i)));
      }
    }
    for (std::size_t i = 0; i < layout_.operands(); ++i) {
      if (shape_of(i) != nullptr) loop_rank_ = std::max(loop_rank_, shape_of(i)->size() - core_count(i));
    }
    if (request_.where != nullptr) loop_rank_ = std::max(loop_rank_, request_.where->size());
  }

  /// From every operand that has them, until this one has few enough. A missing dimension counts as 1, which a fixed size
  /// refuses.
  void drop_optional(std::size_t operand, std::size_t rank) {
    for (const std::size_t d : layout_.of(operand)) {
      const CoreDimension& dimension = layout_.dimensions[d];
      if (!dimension.optional || dropped_[d]) continue;
      if (dimension.size.value_or(1) != 1) {
        fail(Reason::core, shown(operand) + " has " + call::counted(rank, "dimension") + ", its core " +
                               core_text(layout_, operand) + " needs " + std::to_string(core_count(operand)) +
                               ": a missing dimension counts as 1, the layout " + layout_.text + " fixes it at " +
                               dimension.name);
      }
      dropped_[d] = true;
      if (request_.keepdims) {
        kept_ = 0;
        for (std::size_t i = 0; i < nin(); ++i) kept_ = std::max(kept_, core_count(i));
      }
      if (core_count(operand) <= rank) return;
    }
  }

  // -- which axes
  // --------------------------------------------------------------------------------------------------------------

  void find_axes() {
    check_number_of_axes();
    result_.operands.resize(layout_.operands());
    kept_axes_.resize(layout_.outputs.size());
    for (std::size_t i = 0; i < layout_.operands(); ++i) place_axes(i);
  }

  void check_number_of_axes() const {
    const std::size_t given = request_.axes.size();
    if (given == 0 || given == layout_.operands()) return;
    const bool may_omit = std::all_of(layout_.outputs.begin(), layout_.outputs.end(), [](const auto& o) { return o.empty(); });
    if (may_omit && given == nin()) return;
    throw ShapeError(what() + ".axes has " + (given == 1 ? "1 entry" : std::to_string(given) + " entries") +
                     "; give one for each of the " + std::to_string(layout_.operands()) + " inputs and outputs" +
                     (may_omit ? ", or of the " + call::counted(nin(), "input") + " alone" : ""));
  }

  void place_axes(std::size_t operand) {
    const std::size_t rank = rank_of(operand);
    const Dims present = request_.axis && core_count(operand) == 1 ? Dims{checked(operand, *request_.axis, rank)}
                         : operand < request_.axes.size()          ? listed(operand, rank)
                                                                   : last(core_count(operand), rank);
    OperandAxes& axes = result_.operands[operand];
    if (is_output(operand) && request_.keepdims) {
      kept_axes_[operand - nin()] = present;
    } else {
      std::size_t next = 0;
      for (const std::size_t d : layout_.of(operand)) axes.core.push_back(dropped_[d] ? kNone : present[next++]);
    }
    for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(rank); ++axis) {
      if (std::find(present.begin(), present.end(), axis) == present.end()) axes.loop.push_back(axis);
    }
  }

  [[noreturn]] void fail(Reason reason, const std::string& why) const { throw Because<ShapeError>(reason, what() + why); }

  static Dims last(std::size_t count, std::size_t rank) {
    Dims axes;
    for (; count > 0; --count) axes.push_back(static_cast<std::int64_t>(rank - count));
    return axes;
  }

  std::int64_t checked(std::size_t operand, int axis, std::size_t rank) const {
    const auto extent = static_cast<std::int64_t>(rank);
    const std::int64_t from_front = axis < 0 ? axis + extent : axis;
    if (from_front >= 0 && from_front < extent) return from_front;
    fail(Reason::axis, std::string(request_.axis ? ".axis " : ".axes: axis ") + std::to_string(axis) + " does not exist in " +
                           shown(operand) +
                           (shape_of(operand) == nullptr && rank > 0 ? " of " + call::counted(rank, "dimension") : "") +
                           range_of_axes(rank));
  }

  Dims listed(std::size_t operand, std::size_t rank) const {
    const std::vector<int>& entry = request_.axes[operand];
    if (entry.size() != core_count(operand)) {
      fail(Reason::axis, "entry " + std::to_string(operand) + " of .axes has " +
                             (entry.size() == 1 ? "1 axis" : std::to_string(entry.size()) + " axes") + "; give " +
                             std::to_string(core_count(operand)) + " for " + shown(operand) +
                             (is_output(operand) && request_.keepdims ? " with .keepdims"
                                                                      : ", whose core is " + core_text(layout_, operand)));
    }
    Dims axes;
    for (const int axis : entry) {
      const std::int64_t from_front = checked(operand, axis, rank);
      if (std::find(axes.begin(), axes.end(), from_front) != axes.end()) {
        throw ShapeError(what() + "entry " + std::to_string(operand) + " of .axes names axis " + std::to_string(from_front) +
                         " of " + shown(operand) + " twice");
      }
      axes.push_back(from_front);
    }
    return axes;
  }

  // -- core sizes
  // --------------------------------------------------------------------------------------------------------------

  void take_input_sizes() {
    result_.sizes.resize(layout_.dimensions.size());
    decided_by_.assign(layout_.dimensions.size(), kNobody);
    final_.assign(layout_.dimensions.size(), false);
    for (std::size_t d = 0; d < layout_.dimensions.size(); ++d) {
      result_.sizes[d] = dropped_[d] ? 1 : layout_.dimensions[d].size.value_or(kUnknown);
      final_[d] = result_.sizes[d] != kUnknown;
    }
    for (std::size_t i = 0; i < nin(); ++i) take_sizes(i);
    for (std::size_t d = 0; d < layout_.dimensions.size(); ++d) final_[d] = result_.sizes[d] != kUnknown;
    for (std::size_t i = 0; i < nin(); ++i) {
      Dims& core = result_.operands[i].core;
      for (std::size_t k = 0; k < core.size(); ++k) {
        const std::size_t d = layout_.inputs[i][k];
        if (core[k] != kNone && extent_of(i, core[k]) != result_.sizes[d]) core[k] = kNone;  // stretched
      }
    }
  }

  [[nodiscard]] std::int64_t extent_of(std::size_t operand, std::int64_t axis) const noexcept {
    return (*shape_of(operand))[static_cast<std::size_t>(axis)];
  }

  void take_sizes(std::size_t operand) {
    const Dims& core = result_.operands[operand].core;
    for (std::size_t k = 0; k < core.size(); ++k) {
      if (core[k] == kNone) continue;
      const std::size_t d = layout_.of(operand)[k];
      const CoreDimension& dimension = layout_.dimensions[d];
      const std::int64_t extent = extent_of(operand, core[k]);
      std::int64_t& size = result_.sizes[d];
      const bool stretches = layout_.stretches(operand, k);
      if (size == kUnknown || (size == 1 && !final_[d])) {
        size = extent;
        decided_by_[d] = operand;
        final_[d] = !stretches;
      } else if (extent != size && !(stretches && extent == 1)) {
        fail(Reason::core, shown(operand) + " has " + std::to_string(extent) + " along core dimension " + dimension.name +
                               ", " + decision(d) + why_unequal(operand, d, extent, stretches));
      } else {
        final_[d] = final_[d] || !stretches;
      }
    }
  }

  /// "; they must be equal or 1", where some input may have 1.
  [[nodiscard]] std::string why_unequal(std::size_t operand, std::size_t d, std::int64_t extent, bool stretches) const {
    const std::size_t decided_by = decided_by_[d];
    if (stretches)
      return result_.sizes[d] == 1 && decided_by != kNobody ? without_mark(definition_, d, decided_by)
                                                            : "; they must be equal or 1";
    return !is_output(operand) && extent == 1 && has_mark(d) ? without_mark(definition_, d, operand) : "";
  }

  [[nodiscard]] bool has_mark(std::size_t d) const noexcept {
    for (std::size_t i = 0; i < nin(); ++i) {
      for (std::size_t k = 0; k < layout_.inputs[i].size(); ++k) {
        if (layout_.inputs[i][k] == d && layout_.stretches(i, k)) return true;
      }
    }
    return false;
  }

  /// "input 0 (A) of shape (2, 3) has 3"
  [[nodiscard]] std::string decision(std::size_t d) const {
    const std::string size = std::to_string(result_.sizes[d]);
    if (decided_by_[d] != kNobody) return shown(decided_by_[d]) + " has " + size;
    for (const signature::SizeRule& rule : definition_.rules) {
      if (rule.dimension == d) return "the size rule \"" + rule.text + "\" gives " + size;
    }
    return "the layout " + layout_.text + " fixes it at " + size;
  }

  void take_rules() {
    for (const signature::SizeRule& rule : definition_.rules) {
      result_.sizes[rule.dimension] = evaluate(rule, layout_, {result_.sizes.data(), result_.sizes.size()}, definition_.name);
    }
  }

  void take_output_sizes() {
    for (std::size_t i = nin(); i < layout_.operands(); ++i) {
      if (shape_of(i) == nullptr) continue;
      take_sizes(i);
      for (const std::int64_t axis : kept_axes_[i - nin()]) {
        if (extent_of(i, axis) == 1) continue;
        throw ShapeError(what() + shown(i) + " has " + std::to_string(extent_of(i, axis)) + " along axis " +
                         std::to_string(axis) + ", where keepdims leaves 1");
      }
    }
    for (std::size_t i = nin(); i < layout_.operands(); ++i) {
      for (const std::size_t d : layout_.of(i)) {
        if (result_.sizes[d] != kUnknown) continue;
        const std::string& name = layout_.dimensions[d].name;
        fail(Reason::core, "nothing decides core dimension " + name + " of " + name_of(i) +
                               ": give .out, or a size rule in the definition: .sizes = \"" + name + " = …\"");
      }
    }
  }

  // -- loop dimensions
  // ---------------------------------------------------------------------------------------------------------

  [[nodiscard]] Shape loop_shape(std::size_t operand) const {
    Shape loop;
    for (const std::int64_t axis : result_.operands[operand].loop) loop.push_back(extent_of(operand, axis));
    return loop;
  }

  void broadcast() {
    for (std::size_t i = 0; i < layout_.operands(); ++i) {
      if (shape_of(i) != nullptr && !layout::broadcast_into(result_.loop, loop_shape(i))) fail_loop(i);
    }
    if (request_.where != nullptr && !layout::broadcast_into(result_.loop, *request_.where)) fail_loop(layout_.operands());
  }

  /// Names what was looked at up to `last`, which did not fit.
  [[noreturn]] void fail_loop(std::size_t last) const {
    std::string text;
    for (std::size_t i = 0; i < layout_.operands() && i <= last; ++i) {
      if (shape_of(i) == nullptr) continue;
      const Shape loop = loop_shape(i);
      text += (text.empty() ? "" : ", ") + name_of(i) + " " + to_string(loop) +
              (loop == *shape_of(i) ? "" : " of " + to_string(*shape_of(i)));
    }
    if (last == layout_.operands()) text += ", .where " + to_string(*request_.where);
    throw Because<ShapeError>(Reason::broadcast, what() + "loop dimensions do not broadcast: " + text +
                                                     "; extents must be equal or 1, counted from the last loop dimension");
  }

  void shape_outputs() {
    for (std::size_t i = nin(); i < layout_.operands(); ++i) {
      const Shape* const given = shape_of(i);
      const std::size_t rank = result_.loop.size() + core_count(i);
      const auto differs = [&](const std::string& result) {
        fail(Reason::out,
             name_of(i) + " has shape " + to_string(*given) + ", the result has " + result + "; .out is never broadcast");
      };
      if (given != nullptr && given->size() != rank) differs(call::counted(rank, "dimension"));
      Shape shape(rank, 1);
      const OperandAxes& axes = result_.operands[i];
      for (std::size_t k = 0; k < axes.core.size(); ++k) {
        if (axes.core[k] != kNone) shape[static_cast<std::size_t>(axes.core[k])] = result_.sizes[layout_.of(i)[k]];
      }
      for (std::size_t k = 0; k < axes.loop.size(); ++k) shape[static_cast<std::size_t>(axes.loop[k])] = result_.loop[k];
      if (given != nullptr && !(*given == shape)) differs("shape " + to_string(shape));
      result_.output_shapes.push_back(std::move(shape));
    }
  }

  void align_loops() {
    for (std::size_t i = 0; i < layout_.operands(); ++i) {
      const Shape& shape = is_output(i) ? result_.output_shapes[i - nin()] : *shape_of(i);
      result_.operands[i].loop = aligned(result_.operands[i].loop, shape);
    }
    if (request_.where != nullptr)
      result_.where.loop = aligned(last(request_.where->size(), request_.where->size()), *request_.where);
  }

  [[nodiscard]] Dims aligned(const Dims& axes, const Shape& shape) const {
    Dims loop(result_.loop.size(), kNone);
    const std::size_t missing = result_.loop.size() - axes.size();
    for (std::size_t k = 0; k < axes.size(); ++k) {
      if (shape[static_cast<std::size_t>(axes[k])] == result_.loop[missing + k]) loop[missing + k] = axes[k];
    }
    return loop;
  }

  const CoreDefinition& definition_;
  const signature::Layout& layout_;
  const CoreRequest& request_;
  CoreShape result_;
  std::vector<bool> dropped_;            // of each dimension of the layout
  std::vector<std::size_t> decided_by_;  // the operand that a dimension's size was read off
  std::vector<bool> final_;              // of each dimension: a size of 1 is no more taken for one that broadcasts
  std::vector<Dims> kept_axes_;          // of each output: those that keepdims leaves
  std::size_t kept_ = 0;                 // how many keepdims leaves
  std::size_t loop_rank_ = 0;
};

}  // namespace

CoreShape core_shape(const CoreDefinition& definition, const CoreRequest& request) {
  return Shaping(definition, request).run();
}

}  // namespace kiln::gufunc
