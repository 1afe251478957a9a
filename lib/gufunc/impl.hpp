// What a Gufunc handle points to: the parsed definition, and the kernels that were compiled for it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "codegen/operand_use.hpp"
#include "codegen/spec.hpp"
#include "gufunc/core_shape.hpp"
#include "kiln/gufunc.hpp"
#include "program/program.hpp"
#include "signature/layout.hpp"
#include "signature/signature.hpp"
#include "signature/size_rules.hpp"
#include "ufunc/impl.hpp"
#include "ufunc/loops.hpp"

namespace kiln::gufunc {

/// A compiled kernel and what it was made for.
struct Kernel {
  /// The loop, dtypes in memory, how cores lie, constants, the device: see Call::kernel_key().
  using Key = std::string;
  Key key;
  std::shared_ptr<backend::Module> module;
  Kernel* next = nullptr;
};

/// The loop that a combination of argument types runs.
struct TypePlan {
  /// Dtypes and weakness of the inputs, dtypes of given outputs, casting, forced dtype and signature.
  using Key = std::string;
  Key key;
  ufunc::Loop loop;
  mutable std::atomic<bool> refuses_indices{false};  ///< the body does not compile with several indices of .each at once
  mutable std::atomic<bool> refuses_items{false};    ///< or with several items
  mutable std::atomic<int> specialized{0};           ///< kernels with core sizes as constants, which are bounded
  std::atomic<Kernel*> kernels{nullptr};
  TypePlan* next = nullptr;
};

/// One entry of .each.
struct Each {
  std::string name;
  std::size_t dimension = 0;  ///< of the layout
  std::size_t position = 0;   ///< of the name in the text
};

/// "i:m, j:p". SignatureError, with the position, where it cannot be read, names no core dimension, or names a dimension or an
/// index twice.
[[nodiscard]] std::vector<Each> parse_each(std::string_view text, const signature::Layout& layout);

/// What .group says. `lanes` of 0 are chosen by the size of the cores.
struct Group {
  bool teams = false;
  int lanes = 0;
};
/// SignatureError where it is neither empty, "block" nor a number of lanes that a team may have.
[[nodiscard]] Group parse_group(const std::string& text);

}  // namespace kiln::gufunc

namespace kiln::detail {

class GufuncImpl {
 public:
  /// Parses; throws SignatureError and CompileError as guvectorize() does.
  explicit GufuncImpl(GufuncDefinition definition);
  ~GufuncImpl();
  GufuncImpl(const GufuncImpl&) = delete;
  GufuncImpl& operator=(const GufuncImpl&) = delete;

  [[nodiscard]] const GufuncDefinition& definition() const noexcept { return definition_; }
  [[nodiscard]] const std::string& name() const noexcept { return definition_.name; }
  [[nodiscard]] const signature::Layout& layout() const noexcept { return layout_; }
  [[nodiscard]] const std::vector<gufunc::Each>& each() const noexcept { return each_; }
  [[nodiscard]] const gufunc::Group& group() const noexcept { return group_; }
  [[nodiscard]] std::size_t nin() const noexcept { return layout_.inputs.size(); }
  [[nodiscard]] std::size_t nout() const noexcept { return layout_.outputs.size(); }
  [[nodiscard]] const std::vector<signature::TypeSignature>& signatures() const noexcept { return signatures_; }
  [[nodiscard]] gufunc::CoreDefinition core() const noexcept { return {definition_.name, parameters_, layout_, rules_}; }
  /// "input 1 (B)", "output 0 (C)": how messages name an operand.
  [[nodiscard]] std::string operand_name(std::size_t operand) const;
  /// Whether the body's text allows several items at once, of floating-point numbers alone or of `whole` ones, too.
  [[nodiscard]] bool suits_items(bool whole) const noexcept { return only_computes_[whole]; }
  /// Whether it allows several indices of .each at once, and the compiler would not do it by itself.
  [[nodiscard]] bool suits_lanes(bool whole) const noexcept { return has_loop_[whole]; }
  /// How many loops lie around each other: those of the body in those over indices of .each.
  [[nodiscard]] std::size_t levels() const noexcept { return levels_; }
  /// Whether the body computes so much that vectors are worth whatever it takes to make them (codegen::is_dear); a division or
  /// a root of complex numbers is enough.
  [[nodiscard]] bool is_dear(bool complex) const noexcept { return complex ? is_dear_complex_ : is_dear_; }
  /// Whether the body may look at where elements lie, so that they must be where they are.
  [[nodiscard]] bool sees_memory() const noexcept { return sees_memory_; }
  /// Whether the body reads and writes whole cores, as far as its text tells.
  [[nodiscard]] bool passes_over() const noexcept { return passes_over_; }
  /// Whether vectors along a core of a few elements are better than those of several items.
  [[nodiscard]] bool computes_along() const noexcept { return computes_along_; }
  /// Whether several items at once are worth that their cores are turned.
  [[nodiscard]] bool suits_turning(bool whole) const noexcept { return suits_turning_[whole]; }
  /// Whether the body has it as a view although it has no core dimensions.
  [[nodiscard]] bool as_view(std::size_t operand) const;

  [[nodiscard]] gufunc::TypePlan* find_plan(const gufunc::TypePlan::Key& key) const noexcept {
    return ufunc::find(plans_, key);
  }
  gufunc::TypePlan& make_plan(const gufunc::TypePlan::Key& key, const ufunc::LoopRequest& request) const;
  /// Compiles and loads a kernel of the plan's loop.
  const gufunc::Kernel& make_kernel(gufunc::TypePlan& plan, const gufunc::Kernel::Key& key, const codegen::GufuncSpec& spec,
                                    backend::Backend& backend) const;
  /// What the loop's kernels are made of.
  [[nodiscard]] codegen::UserText text_of(const ufunc::Loop& loop) const;
  /// A kernel of the loop for a kind of device.
  [[nodiscard]] program::Request request(const ufunc::Loop& loop, const codegen::GufuncSpec& spec, DeviceKind kind) const;

  /// What is doubtful in its texts, found when it was made and when kernels were compiled.
  [[nodiscard]] program::Warnings& warnings() const noexcept { return warnings_; }

 private:
  void check_names() const;
  /// What the body's text is held against.
  [[nodiscard]] std::vector<codegen::ViewUse> uses_of_operands() const;
  /// Names that the body has for core dimensions, indices of .each and lanes of a team.
  [[nodiscard]] std::vector<std::string> names_of_numbers() const;

  GufuncDefinition definition_;
  signature::Layout layout_;
  signature::SizeRules rules_;
  std::vector<signature::TypeSignature> signatures_;
  std::vector<gufunc::Each> each_;
  gufunc::Group group_;
  std::array<bool, 2> only_computes_{};  // of floating-point numbers, of whole ones
  std::array<bool, 2> has_loop_{};
  std::array<bool, 2> suits_turning_{};
  bool computes_along_ = false;
  bool sees_memory_ = true;
  bool passes_over_ = false;
  std::size_t levels_ = 0;
  bool is_dear_ = false;
  bool is_dear_complex_ = false;
  std::vector<std::string> parameters_;  // names of inputs, then outputs
  mutable std::atomic<gufunc::TypePlan*> plans_{nullptr};
  mutable program::Warnings warnings_;
};

}  // namespace kiln::detail
