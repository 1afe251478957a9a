// What a Gufunc handle points to: the parsed definition, and the kernels that were compiled for it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "base/table.hpp"
#include "call/variant_table.hpp"
#include "device/backend.hpp"
#include "gufunc/core_shape.hpp"
#include "kernel/gufunc/launch.hpp"
#include "kernel/gufunc/spec.hpp"
#include "kiln/gufunc.hpp"
#include "program/program.hpp"
#include "signature/layout.hpp"
#include "signature/signature.hpp"
#include "signature/size_rules.hpp"
#include "source/operand.hpp"
#include "ufunc/impl.hpp"
#include "ufunc/loops.hpp"
#include "ufunc/plan.hpp"

namespace kiln::gufunc {

/// How the operands of a call lie: extents and strides of each, what the call says of axes, and the device.
struct CallLayout {
  static constexpr std::size_t kMost = 128;
  std::uint32_t count = 0;  ///< 0: too many to be remembered
  std::array<std::int64_t, kMost> numbers;
  friend bool operator==(const CallLayout& a, const CallLayout& b) noexcept {
    return a.count == b.count && std::memcmp(a.numbers.data(), b.numbers.data(), a.count * sizeof(std::int64_t)) == 0;
  }
  [[nodiscard]] std::uint64_t hash() const noexcept {
    return base::hash64({reinterpret_cast<const char*>(numbers.data()), count * sizeof(std::int64_t)});
  }
};

/// A compiled kernel, and what it was compiled for.
struct Kernel {
  std::shared_ptr<backend::Module> module;
  kinds::GufuncSpec spec;
};

/// What a call with a layout launches, but for addresses and scalars.
struct Prepared {
  std::shared_ptr<backend::Module> module;
  std::shared_ptr<const kinds::GufuncNumbers> numbers;
  std::vector<std::int64_t> offsets;  ///< of each operand, to be added to its address
  std::vector<Shape> outputs;
};

/// The loop that a combination of argument types runs, and what was made for it.
struct Plan {
  ufunc::Loop loop;
  std::atomic<int> specialized{0};                             ///< kernels with core sizes as constants, which are bounded
  call::VariantTable<kinds::GufuncSpec, Kernel> kernels = {};  ///< by what was wanted
  base::Table<CallLayout, Prepared> prepared = {};
  std::atomic<int> remembered{0};                          ///< of `prepared`, which are bounded
  call::Reported reported = {};                            ///< to the recorder
  base::Table<call::ConstantKey, Plan> of_constants = {};  ///< of the same loop, with values of its constants
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

/// The memory that a team shares.
class SharedMemory {
 public:
  SharedMemory() = default;
  /// Parses .shared. SignatureError, with the position, where it cannot be read, or a type is none of the loops'.
  SharedMemory(const GufuncDefinition& definition, const signature::Layout& layout,
               const std::vector<signature::TypeSignature>& signatures);

  /// Bytes of its arrays for a team of so many lanes, each rounded up to 16; nothing where they are not declared, and a text
  /// may share all there is. ShapeError, which begins with `name`, for a count below 0.
  [[nodiscard]] std::optional<std::int64_t> bytes(const ufunc::Loop& loop, std::span<const std::int64_t> sizes, int lanes,
                                                  std::string_view name) const;
  /// Whether a text may have KILN_SHARED variables.
  [[nodiscard]] bool has_variables() const noexcept { return has_variables_; }

 private:
  signature::Layout names_;  ///< the layout's, and "lanes"
  std::vector<signature::SharedArray> arrays_;
  bool any_amount_ = false;
  bool has_variables_ = false;
};

}  // namespace kiln::gufunc

namespace kiln::detail {

class GufuncImpl final : public call::Callee {
 public:
  /// Parses; throws SignatureError and CompileError as guvectorize() does.
  explicit GufuncImpl(GufuncDefinition definition);
  GufuncImpl(const GufuncImpl&) = delete;
  GufuncImpl& operator=(const GufuncImpl&) = delete;

  [[nodiscard]] const GufuncDefinition& definition() const noexcept { return definition_; }
  [[nodiscard]] const std::string& name() const noexcept { return definition_.name; }
  [[nodiscard]] const signature::Layout& layout() const noexcept { return layout_; }
  [[nodiscard]] const std::vector<gufunc::Each>& each() const noexcept { return each_; }
  [[nodiscard]] const gufunc::Group& group() const noexcept { return group_; }
  [[nodiscard]] const gufunc::SharedMemory& shared_memory() const noexcept { return shared_memory_; }
  [[nodiscard]] std::size_t nin() const noexcept { return layout_.inputs.size(); }
  [[nodiscard]] std::size_t nout() const noexcept { return layout_.outputs.size(); }
  [[nodiscard]] const std::vector<signature::TypeSignature>& signatures() const noexcept { return signatures_; }
  [[nodiscard]] gufunc::CoreDefinition core() const noexcept { return {definition_.name, parameters_, layout_, rules_}; }
  [[nodiscard]] std::string what() const override { return definition_.name; }
  [[nodiscard]] std::string operand_name(std::size_t operand) const override;
  [[nodiscard]] std::string forms() const override { return "its layout is " + layout_.text; }
  /// In debug mode: kernels go item by item, as the text says, and check themselves.
  [[nodiscard]] bool debugs() const noexcept { return debugs_; }
  /// Whether a text may have the address of an operand's element.
  [[nodiscard]] bool takes_addresses() const noexcept { return takes_addresses_; }
  /// Whether a text may bind a reference to one.
  [[nodiscard]] bool binds_references() const noexcept { return binds_references_; }
  /// Whether the body has it as a view although it has no core dimensions.
  [[nodiscard]] bool as_view(std::size_t operand) const;

  /// What was compiled for calls.
  [[nodiscard]] base::Table<ufunc::PlanKey, gufunc::Plan>& plans() const noexcept { return plans_; }
  /// What the loop's kernels are made of.
  [[nodiscard]] codegen::UserText text_of(const ufunc::Loop& loop) const;
  /// A kernel of the loop for a kind of device.
  [[nodiscard]] program::Request request(const ufunc::Loop& loop, const kinds::GufuncSpec& spec, DeviceKind kind) const;

  /// What is suspicious in its texts, found when it was made and when kernels were compiled.
  [[nodiscard]] program::Warnings& warnings() const noexcept { return warnings_; }
  /// Of kernels for values of constants.
  [[nodiscard]] call::ConstantLimit& constant_limit() const noexcept { return constant_limit_; }

 private:
  void check_names() const;
  [[nodiscard]] codegen::Operands named_operands() const;

  GufuncDefinition definition_;
  codegen::Operands operands_;
  signature::Layout layout_;
  signature::SizeRules rules_;
  std::vector<signature::TypeSignature> signatures_;
  std::vector<gufunc::Each> each_;
  gufunc::Group group_;
  gufunc::SharedMemory shared_memory_;
  bool debugs_ = false;
  bool takes_addresses_ = false;
  bool binds_references_ = false;
  std::vector<std::string> parameters_;  // names of inputs, then outputs
  mutable base::Table<ufunc::PlanKey, gufunc::Plan> plans_;
  mutable program::Warnings warnings_;
  mutable call::ConstantLimit constant_limit_;
};

}  // namespace kiln::detail
