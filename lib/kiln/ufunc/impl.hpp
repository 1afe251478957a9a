// What a Ufunc handle points to: the parsed definition and the table of what was compiled for it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/backend.hpp"
#include "kernel/reduction/plan.hpp"
#include "kernel/spec.hpp"
#include "kiln/ufunc.hpp"
#include "program/options.hpp"
#include "program/program.hpp"
#include "signature/signature.hpp"
#include "ufunc/layout_class.hpp"
#include "ufunc/loop_source.hpp"
#include "ufunc/loops.hpp"
#include "ufunc/method_variant.hpp"
#include "ufunc/plan.hpp"

namespace kiln::cupy {
struct ElementwiseDefinition;
}  // namespace kiln::cupy

namespace kiln::detail {

class UfuncImpl final : public call::Callee {
 public:
  using Plan = ufunc::Plan<ufunc::LayoutClass>;
  using ScanPlan = ufunc::Plan<kinds::ScanLayout>;
  using AtPlan = ufunc::Plan<kinds::ScatterLayout>;

  /// With a source, the signatures say no more than the operands' number and names.
  UfuncImpl(UfuncDefinition definition, std::vector<signature::TypeSignature> signatures,
            std::unique_ptr<const ufunc::LoopSource> source = nullptr,
            std::shared_ptr<const cupy::ElementwiseDefinition> cupy = nullptr);

  [[nodiscard]] const UfuncDefinition& definition() const noexcept { return definition_; }
  /// The definition that has the loop: another one where the loop was made for its dtypes.
  [[nodiscard]] const UfuncDefinition& definition_of(const ufunc::Loop& loop) const noexcept {
    return loop.definition != nullptr ? *loop.definition : definition_;
  }
  /// The loop for these arguments, from the signatures or the source. Throws as ufunc::choose_loop() does.
  [[nodiscard]] ufunc::Loop choose(const ufunc::LoopRequest& request) const {
    return source_ != nullptr ? source_->choose(request) : ufunc::choose_loop(request);
  }
  /// The loop of a call; TypeError also where a result does not cast to the dtype of its given array.
  [[nodiscard]] ufunc::Loop choose(const call::Operands& operands, const ufunc::LoopOptions& options) const;
  /// Null for a ufunc whose loops are its signatures.
  [[nodiscard]] const ufunc::LoopSource* source() const noexcept { return source_.get(); }
  [[nodiscard]] const std::string& name() const noexcept { return definition_.name; }
  [[nodiscard]] std::size_t nin() const noexcept { return signatures_.front().inputs.size(); }
  [[nodiscard]] std::size_t nout() const noexcept { return signatures_.front().outputs.size(); }
  [[nodiscard]] const std::vector<signature::TypeSignature>& signatures() const noexcept { return signatures_; }
  [[nodiscard]] bool reorderable() const noexcept { return definition_.reorderable || !definition_.identity.empty(); }
  [[nodiscard]] std::string what() const override { return definition_.name; }
  [[nodiscard]] std::string operand_name(std::size_t operand) const override;
  [[nodiscard]] std::string forms() const override { return "its loops are " + ufunc::texts_of(signatures_); }
  /// Returns the definition in CuPy's notation that it is of; null for others.
  [[nodiscard]] const cupy::ElementwiseDefinition* cupy() const noexcept { return cupy_.get(); }
  /// Returns a bit for each raw operand of which the body takes an element's address.
  [[nodiscard]] std::uint64_t addressed() const noexcept { return addressed_; }
  /// What the body asks of the place of its element.
  [[nodiscard]] const kinds::AskedPlace& place() const noexcept { return place_; }
  /// Returns true if kernels on the CPU find races among raw outputs.
  [[nodiscard]] bool finds_races() const noexcept { return finds_races_; }
  /// Returns true if an element's result depends on more than its elements: some operand is raw, or the body asks for its
  /// place.
  [[nodiscard]] bool by_elements() const noexcept { return raw_operands_ != 0 || place_.any(); }
  /// Throws TypeError for a method that needs a function of elements alone.
  void check_of_elements(const char* method) const;
  /// Whether the body waits for arithmetic rather than for memory, as far as its text tells.
  [[nodiscard]] bool arithmetic_bound() const noexcept { return arithmetic_bound_; }

  /// What was compiled for calls, for reduce and reduceat, for accumulate, and for at.
  [[nodiscard]] ufunc::Plans<ufunc::LayoutClass>& plans() const noexcept { return plans_; }
  [[nodiscard]] ufunc::PackedKernels& packed_kernels() const noexcept { return packed_kernels_; }
  [[nodiscard]] ufunc::Plans<kinds::ReductionClass>& reductions() const noexcept { return reductions_; }
  [[nodiscard]] ufunc::Plans<kinds::ScanLayout>& scans() const noexcept { return scans_; }
  [[nodiscard]] ufunc::Plans<kinds::ScatterLayout>& scatters() const noexcept { return scatters_; }
  /// The variant, compiled and loaded at the first call; where nobody can compile it, another that is right for the call.
  const ufunc::Variant<ufunc::LayoutClass>& variant(Plan& plan, const ufunc::LayoutClass& layout,
                                                    const call::Operands& operands, const ufunc::Tiling& tiling) const;
  /// An elementwise kernel with that many accesses of a thread in flight, in the place of the cost model's number.
  [[nodiscard]] std::shared_ptr<backend::Module> with_accesses(const ufunc::Loop& loop, kinds::ElementwiseSpec spec,
                                                               int accesses, backend::Backend& backend) const;
  /// The kernel of accumulate; where nobody can compile it, another that is right for the call.
  const ufunc::Variant<kinds::ScanLayout>& variant(ScanPlan& plan, const ufunc::MethodVariant& variant,
                                                   const Device& device) const;
  /// The kernel of at; where nobody can compile it, another that is right for the call.
  const ufunc::Variant<kinds::ScatterLayout>& variant(AtPlan& plan, const ufunc::MethodVariant& variant,
                                                      const Device& device) const;
  /// The kernel of accumulate or at.
  [[nodiscard]] kinds::KernelSpec specialize(const ufunc::Loop& loop, const ufunc::MethodVariant& variant,
                                             DeviceKind kind) const;
  /// The kernel of a loop, or of a method, for a kind of device.
  [[nodiscard]] program::Request request(const ufunc::Loop& loop, const kinds::KernelSpec& spec, DeviceKind kind) const;

  /// What is suspicious in its texts, found when it was made and when kernels were compiled.
  [[nodiscard]] program::Warnings& warnings() const noexcept { return warnings_; }
  /// Of kernels for values of constants.
  [[nodiscard]] call::ConstantLimit& constant_limit() const noexcept { return constant_limit_; }
  /// What the loop's kernel is made of.
  [[nodiscard]] codegen::UserText text_of(const ufunc::Loop& loop) const;

 private:
  UfuncDefinition definition_;
  std::vector<signature::TypeSignature> signatures_;
  std::unique_ptr<const ufunc::LoopSource> source_;
  std::shared_ptr<const cupy::ElementwiseDefinition> cupy_;
  bool arithmetic_bound_;
  kinds::AskedPlace place_;
  std::uint64_t addressed_ = 0;
  bool finds_races_ = false;
  mutable ufunc::Plans<ufunc::LayoutClass> plans_;
  mutable ufunc::PackedKernels packed_kernels_;
  mutable ufunc::Plans<kinds::ReductionClass> reductions_;
  mutable ufunc::Plans<kinds::ScanLayout> scans_;
  mutable ufunc::Plans<kinds::ScatterLayout> scatters_;
  mutable program::Warnings warnings_;
  mutable call::ConstantLimit constant_limit_;
};

/// The inputs that are qualified in the signature.
[[nodiscard]] call::ConstantInputs constants_of(const signature::TypeSignature& signature) noexcept;
/// SignatureError where the loops differ in the number or the names of their operands, or one has a constant that the first has
/// not.
void check_names(const std::string& kernel, const std::vector<signature::TypeSignature>& signatures);
/// What vectorize() makes a handle to.
std::shared_ptr<const UfuncImpl> make_ufunc(UfuncDefinition definition);
/// The same of a definition in CuPy's notation, as which it is written and recorded.
std::shared_ptr<const UfuncImpl> make_ufunc(UfuncDefinition definition,
                                            std::shared_ptr<const cupy::ElementwiseDefinition> cupy);
/// SignatureError for a kernel's name that is no C++ identifier, or a reserved one.
void check_name(const std::string& name);

}  // namespace kiln::detail
