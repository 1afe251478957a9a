// What a RawKernel handle points to: the parsed definition and the table of what was compiled for it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autotune/tuned.hpp"
#include "base/table.hpp"
#include "call/constants.hpp"
#include "call/operands.hpp"
#include "call/variant_table.hpp"
#include "device/backend.hpp"
#include "kernel/raw/launch.hpp"
#include "kernel/raw/spec.hpp"
#include "kiln/kernel.hpp"
#include "program/options.hpp"
#include "program/program.hpp"
#include "raw/cuda_definition.hpp"
#include "raw/module_constants.hpp"
#include "signature/kernel_signature.hpp"
#include "source/cuda_words.hpp"

namespace kiln::raw {

/// A dtype for each type variable, in order.
using Binding = std::vector<DType>;

/// Which arguments are views whose elements are not contiguous along their last dimension, a bit each.
using Strided = std::uint32_t;
static_assert(kinds::kMaxRawArguments <= 32);

/// What of a call decides its compiled form.
struct TypedForm {
  std::array<std::uint8_t, kinds::kMaxRawArguments> types = {};
  Strided strided = 0;
  kinds::RawForm form = kinds::RawForm::blocks;

  friend bool operator==(const TypedForm&, const TypedForm&) = default;
  [[nodiscard]] std::uint64_t hash() const noexcept {
    return base::KeyHash()
        .add(std::uint64_t{strided} << 8 | static_cast<std::uint64_t>(form))
        .add_bytes(types.data(), types.size())
        .value();
  }
};
using Key = call::VariantKey<TypedForm>;
struct Variant {
  std::shared_ptr<backend::Module> module;
  std::unique_ptr<autotune::Tuned> tuned = nullptr;  ///< of items on a GPU
  mutable std::atomic<unsigned> recorded{0};         ///< forms of launches that were reported to the recorder, a bit each
};

/// Values of the parameters that are part of the kernel. None: the plain kernel, which takes them as arguments.
struct Constants {
  std::vector<std::pair<std::string, std::string>> values = {};  ///< name and value_text() of each
  std::vector<std::string> texts = {};                           ///< C++ text of each parameter; empty of the others
};

/// What was compiled for them.
struct Specialization {
  Constants constants = {};
  mutable call::VariantTable<TypedForm, Variant> variants = {};
};

/// What stands before the function in the body that calls it.
inline constexpr std::string_view kCall = "::kiln::cuda::call<";

/// What a kernel of a source in CUDA's language is of. None: it is a raw kernel of its own.
struct KernelSource {
  std::shared_ptr<const CudaDefinition> definition = nullptr;
  std::string expression = {};                        ///< the kernel's name, with its template's arguments
  std::vector<std::size_t> structures = {};           ///< parameters that are structures by value
  std::shared_ptr<ModuleConstants> values = nullptr;  ///< of its __constant__ variables
};

/// The value of a parameter in its dtype.
using ValueOf = std::function<const void*(std::size_t parameter)>;

}  // namespace kiln::raw

namespace kiln::detail {

class RawKernelImpl final : public call::Callee {
 public:
  /// `text`: the definition's.
  RawKernelImpl(RawKernelDefinition definition, signature::KernelSignature signature, codegen::Operands operands,
                const codegen::UserText& text, raw::KernelSource source);
  RawKernelImpl(const RawKernelImpl&) = delete;
  RawKernelImpl& operator=(const RawKernelImpl&) = delete;

  [[nodiscard]] const RawKernelDefinition& definition() const noexcept { return definition_; }
  [[nodiscard]] const signature::KernelSignature& signature() const noexcept { return signature_; }
  [[nodiscard]] const std::string& name() const noexcept { return definition_.name; }
  [[nodiscard]] std::string what() const override { return definition_.name; }
  [[nodiscard]] std::string operand_name(std::size_t operand) const override {
    return "argument " + std::to_string(operand) + " (" + signature_.parameters[operand].name + ")";
  }
  [[nodiscard]] std::string forms() const override { return "its signature is " + signature_.text; }
  /// A bit for each parameter whose array the kernel may write.
  [[nodiscard]] std::uint64_t written() const noexcept { return written_; }

  /// Its threads share memory or wait for one another, as far as its texts tell.
  [[nodiscard]] bool cooperates() const noexcept { return cooperates_; }
  /// The form in which it is launched, as far as its texts tell.
  [[nodiscard]] kinds::RawForm usual_form() const noexcept { return usual_form_; }
  /// Its races are found on the CPU, where threads of a block then wait for one another.
  [[nodiscard]] bool finds_races(DeviceKind kind) const noexcept { return kind == DeviceKind::cpu && finds_races_; }
  /// The form of the kernel that such a launch runs there: GPUs tell blocks of one thread from no others, nor does who finds
  /// races, nor CUDA's language.
  [[nodiscard]] kinds::RawForm form_for(kinds::RawForm form, DeviceKind kind) const noexcept {
    const bool alone = kind == DeviceKind::cpu && !finds_races(kind) && !cuda_.any;
    return form == kinds::RawForm::single && !alone ? kinds::RawForm::blocks : form;
  }

  [[nodiscard]] DType dtype_of(const signature::KernelParameter& parameter, std::span<const DType> binding) const {
    return parameter.type.dtype ? *parameter.type.dtype : binding[parameter.type.variable];
  }
  [[nodiscard]] std::vector<std::pair<std::string, DType>> types_of(std::span<const DType> binding) const;
  /// Every combination of dtypes that the restrictions of the type variables allow; TypeError for a variable without one.
  [[nodiscard]] std::vector<raw::Binding> fixed_bindings() const;

  [[nodiscard]] raw::Constants constants_of(std::span<const DType> binding, const raw::ValueOf& value) const;
  /// For the launches with these values on a device; the plain one where there are too many values, of which warnings() tells.
  [[nodiscard]] const raw::Specialization& specialization(std::span<const DType> binding, const raw::ValueOf& value,
                                                          const Device& device) const;
  /// For kernels without constants.
  [[nodiscard]] const raw::Specialization& plain() const noexcept { return plain_; }

  /// The variant, compiled and loaded at the first launch.
  [[nodiscard]] const raw::Variant& variant(const raw::Specialization& of, const raw::Key& key,
                                            std::span<const DType> binding) const;
  /// The kernel that a launch in that form runs on a kind of device.
  struct Form {
    raw::Strided strided = 0;
    kinds::RawForm form;
  };
  void add_cuda(codegen::UserText& text, kinds::RawSpec& spec, DeviceKind kind) const;
  [[nodiscard]] program::Request request(std::span<const DType> binding, const raw::Constants& constants, const Form& form,
                                         DeviceKind kind) const;
  /// The signature with its dtypes, and the values of constants.
  [[nodiscard]] std::string text_of(std::span<const DType> binding, const raw::Constants& constants) const;

  /// Values of its __constant__ variables; null: they have those of the text.
  [[nodiscard]] const raw::ModuleConstants* values() const noexcept { return source_.values.get(); }
  /// Returns the source in CUDA's language that it is a kernel of, as which it is written and recorded.
  [[nodiscard]] const raw::KernelSource& source() const noexcept { return source_; }

  /// What is suspicious in its texts, found when it was made and when kernels were compiled.
  [[nodiscard]] program::Warnings& warnings() const noexcept { return warnings_; }

 private:
  RawKernelDefinition definition_;
  signature::KernelSignature signature_;
  codegen::Operands operands_;
  raw::KernelSource source_;
  codegen::CudaWords cuda_;
  std::string bounds_;                       // of __launch_bounds__
  std::vector<std::string> constant_names_;  // of variables whose values the host gives
  bool cooperates_;
  bool finds_races_;
  kinds::RawForm usual_form_;
  std::uint64_t written_ = 0;
  raw::Specialization plain_;
  mutable base::Table<call::ConstantKey, raw::Specialization> of_constants_;
  mutable call::ConstantLimit constant_limit_;
  mutable program::Warnings warnings_;
};

/// What kernel() makes a handle to.
std::shared_ptr<const RawKernelImpl> make_raw_kernel(RawKernelDefinition definition);
/// The same of a kernel of a source in CUDA's language, whose values it shares with the source's other kernels.
std::shared_ptr<const RawKernelImpl> make_kernel_of_source(RawKernelDefinition definition, raw::KernelSource source);

}  // namespace kiln::detail
