#include "raw/impl.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "autotune/tuner.hpp"
#include "kiln/error.hpp"
#include "program/single_names.hpp"
#include "registry/registry.hpp"
#include "source/body_tokens.hpp"
#include "source/cuda_kernels.hpp"
#include "source/literal.hpp"
#include "source/literal_index.hpp"
#include "source/suspicious.hpp"
#include "types/reason.hpp"
#include "types/value_text.hpp"
#include "ufunc/impl.hpp"

namespace kiln::raw {

namespace {

constexpr std::array<std::string_view, 4> kShared{"barrier", "KILN_SHARED", "KILN_DYNAMIC_SHARED", "KILN_BARRIER"};
constexpr std::array<std::string_view, 8> kPlaces{"thread",    "block",    "block_size", "grid_size",
                                                  "threadIdx", "blockIdx", "blockDim",   "gridDim"};

bool names_any(const RawKernelDefinition& definition, std::span<const std::string_view> names) {
  return codegen::names_any(definition.body, names) || codegen::names_any(definition.compile.functions, names) ||
         codegen::names_any(definition.compile.preamble, names);
}

codegen::CudaWords cuda_words(const RawKernelDefinition& definition) {
  std::vector<std::string_view> texts{definition.body, definition.compile.functions, definition.compile.preamble};
  for (const auto& [name, text] : definition.compile.headers) texts.push_back(text);
  return codegen::cuda_words_of(texts);
}

/// What its functions are, where they are whole kernels.
std::optional<codegen::CudaSource> cuda_source(const RawKernelDefinition& definition, const codegen::CudaWords& words) {
  if (!words.source) return std::nullopt;
  return codegen::CudaSource(definition.name + ".functions", definition.compile.functions);
}

/// Of the kernel that the body calls.
std::string launch_bounds(const codegen::CudaSource& source, const std::string& body) {
  for (const codegen::CudaKernel& kernel : source.kernels()) {
    const std::string call = "::kiln::user::" + kernel.name;
    const std::size_t at = body.find(call);
    if (at == std::string::npos) continue;
    const char next = body[at + call.size()];
    if (next == '<' || next == '>') return kernel.bounds;
  }
  return {};
}

/// Whether its threads share memory or wait for one another.
bool cooperates(const RawKernelDefinition& definition, const codegen::UserText& text) {
  return names_any(definition, kShared) || codegen::calls_kilns(text, "sync") || codegen::calls_kilns(text, "shared", "<");
}

bool asks_for_grid(const codegen::UserText& text) {
  return codegen::calls_kilns(text, "grid") || codegen::calls_kilns(text, "gridsize");
}

codegen::Operands operands_of(const signature::KernelSignature& signature) {
  using Form = codegen::Operand::Form;
  std::vector<codegen::Operand> operands;
  for (const signature::KernelParameter& each : signature.parameters) {
    operands.push_back({.name = each.name,
                        .form = !each.array            ? Form::number
                                : each.dimensions == 0 ? Form::pointer
                                                       : Form::view,
                        .extents = std::vector<std::string>(static_cast<std::size_t>(each.dimensions)),
                        .writable = !each.array || !each.read_only,
                        .type = type_text(signature, each)});
  }
  return std::make_shared<const std::vector<codegen::Operand>>(std::move(operands));
}

}  // namespace
}  // namespace kiln::raw

namespace kiln::detail {

using kinds::RawForm;

/// What sources often have for types of their own.
constexpr std::array<std::string_view, 1> kAbsolute{"abs"};

RawKernelImpl::RawKernelImpl(RawKernelDefinition definition, signature::KernelSignature signature, codegen::Operands operands,
                             const codegen::UserText& text, raw::KernelSource source)
    : definition_(std::move(definition)),
      signature_(std::move(signature)),
      operands_(std::move(operands)),
      source_(std::move(source)),
      cuda_(raw::cuda_words(definition_)),
      cooperates_(cuda_.shares || raw::cooperates(definition_, text)),
      finds_races_(text.debug.race),
      usual_form_(cooperates_ || cuda_.source || raw::names_any(definition_, raw::kPlaces) || raw::asks_for_grid(text)
                      ? RawForm::blocks
                      : RawForm::items) {
  if (const auto text_of_kernels = raw::cuda_source(definition_, cuda_)) {
    bounds_ = raw::launch_bounds(*text_of_kernels, definition_.body);
    constant_names_ = text_of_kernels->constants();
  }
  for (std::size_t i = 0; i < signature_.parameters.size(); ++i) {
    const signature::KernelParameter& parameter = signature_.parameters[i];
    constants_ |= call::ConstantInputs{parameter.constant} << i;
    written_ |= std::uint64_t{parameter.array && !parameter.read_only} << i;
  }
}

raw::Constants RawKernelImpl::constants_of(std::span<const DType> binding, const raw::ValueOf& value) const {
  raw::Constants constants;
  for (std::size_t i = 0; i < signature_.parameters.size(); ++i) {
    const signature::KernelParameter& parameter = signature_.parameters[i];
    std::string& text = constants.texts.emplace_back();
    if (!parameter.constant) continue;
    const DType dtype = dtype_of(parameter, binding);
    text = codegen::literal(dtype, value(i));
    constants.values.emplace_back(parameter.name, value_text(dtype, value(i)));
  }
  return constants;
}

const raw::Specialization& RawKernelImpl::specialization(std::span<const DType> binding, const raw::ValueOf& value,
                                                         const Device& device) const {
  call::ConstantKey key(device);
  for (std::size_t i = 0; i < signature_.parameters.size(); ++i) {
    if (signature_.parameters[i].constant) key.add(dtype_of(signature_.parameters[i], binding), value(i));
  }
  const int most = definition_.compile.constant_variants;
  const raw::Specialization* const found =
      constant_limit_.find_or_make(of_constants_, key, most, [&] { return constants_of(binding, value); });
  if (found != nullptr) return *found;
  if (constant_limit_.is_first_refusal(device)) {
    std::string names;
    for (std::size_t i = 0; i < signature_.parameters.size(); ++i) {
      if (!signature_.parameters[i].constant) continue;
      names += (names.empty() ? "" : " or ") + operand_name(i);
    }
    const Diagnostic warning = call::limit_warning(name(), names, device, most);
    warnings_.add({&warning, 1});
  }
  return plain_;
}

std::string RawKernelImpl::text_of(std::span<const DType> binding, const raw::Constants& constants) const {
  std::string text = signature::bound_text(signature_, binding);
  const char* before = " with ";
  for (const auto& [parameter, value] : constants.values) {
    text += std::exchange(before, ", ") + parameter + " = " + value;
  }
  return text;
}

std::vector<std::pair<std::string, DType>> RawKernelImpl::types_of(std::span<const DType> binding) const {
  std::vector<std::pair<std::string, DType>> types;
  for (std::size_t i = 0; i < binding.size(); ++i) types.emplace_back(signature_.variables[i].name, binding[i]);
  return types;
}

std::vector<raw::Binding> RawKernelImpl::fixed_bindings() const {
  std::vector<raw::Binding> all{{}};
  for (std::size_t v = 0; v < signature_.variables.size(); ++v) {
    const signature::TypeVariable& variable = signature_.variables[v];
    // What structures of a source in CUDA's language are to the host.
    const bool bytes = cuda_.source && variable.choices.empty() &&
                       std::ranges::all_of(signature_.parameters, [&](const signature::KernelParameter& each) {
                         return each.type.dtype || each.type.variable != v || each.array;
                       });
    if (bytes) {
      for (raw::Binding& binding : all) binding.push_back(DType::uint8);
      continue;
    }
    if (variable.choices.empty()) {
      throw Because<TypeError>(Reason::undecided, name() + ": nothing says what \"" + variable.name +
                                                      "\" is; restrict it in the signature: \"… where " + variable.name +
                                                      ": float32, float64\"");
    }
    std::vector<raw::Binding> longer;
    for (const raw::Binding& binding : all) {
      for (const DType choice : variable.choices) {
        longer.push_back(binding);
        longer.back().push_back(choice);
      }
    }
    all = std::move(longer);
  }
  return all;
}

namespace {

/// Kernels for other strides that are looked for where nobody compiles the one that is wanted.
constexpr std::size_t kMostStandIns = 64;

}  // namespace

const raw::Variant& RawKernelImpl::variant(const raw::Specialization& of, const raw::Key& key,
                                           std::span<const DType> binding) const {
  if (const raw::Variant* const known = of.variants.find(key)) return *known;
  backend::Backend& backend = backend::backend_for(key.device);
  // A kernel that takes more strides, or takes blocks of any size, is right as well.
  std::vector<raw::Strided> strided{key.spec.strided};
  for (std::size_t i = 0; i < signature_.parameters.size(); ++i) {
    const raw::Strided bit = raw::Strided{1} << i;
    if (signature_.parameters[i].dimensions == 0 || (key.spec.strided & bit) != 0 || strided.size() > kMostStandIns) continue;
    for (std::size_t known = strided.size(), k = 0; k < known; ++k) strided.push_back(strided[k] | bit);
  }
  std::ranges::stable_sort(strided, {}, [](raw::Strided set) { return std::popcount(set); });
  std::vector<Form> right;
  for (const raw::Strided set : strided) {
    right.push_back({set, key.spec.form});
    if (key.spec.form == RawForm::single) right.push_back({set, RawForm::blocks});
  }
  // So is one that takes the constants as arguments.
  const bool plain_too = !of.constants.values.empty();
  program::Loaded loaded = program::load_any(
      right.size() * (plain_too ? 2 : 1),
      [&](std::size_t i) {
        const bool plain = i >= right.size();
        return request(binding, plain ? plain_.constants : of.constants, right[plain ? i - right.size() : i], backend.kind());
      },
      backend);
  std::unique_ptr<autotune::Tuned> tuned;
  if (key.spec.form == RawForm::items && backend.kind() != DeviceKind::cpu) {
    tuned = std::make_unique<autotune::Tuned>();
    const auto load = [&](int /*accesses*/) { return loaded.module; };
    autotune::read({.backend = backend, .module = loaded.module, .cache = definition_.compile.cache, .load = load}, *tuned);
  }
  return of.variants.add(key, std::move(loaded.module), std::move(tuned));
}

void RawKernelImpl::add_cuda(codegen::UserText& text, kinds::RawSpec& spec, DeviceKind kind) const {
  if (!cuda_.any) return;
  if (kind == DeviceKind::cpu) {
    spec.places = true;
    spec.warps = cuda_.warps && spec.shares;
    for (std::string* const part : {&text.body, &text.functions, &text.preamble})
      *part = codegen::with_dynamic_memory(std::move(*part));
    text.headers.emplace_back("kiln/raw/cuda_cpu.hpp");
  }
  if (cuda_.votes && kind != DeviceKind::cuda) text.headers.emplace_back("kiln/raw/block_votes.hpp");
  if (cuda_.source) {
    text.headers.emplace_back("kiln/raw/cuda_source.hpp");
    if (codegen::names_any(text.functions, kAbsolute)) text.headers.emplace_back("kiln/core/cuda_absolute.hpp");
    spec.bounds = bounds_;
    spec.structures = source_.structures;
    if (!spec.structures.empty())
      spec.called = definition_.body.substr(raw::kCall.size(), definition_.body.rfind(">(") - raw::kCall.size());
    if (kind == DeviceKind::cpu) spec.constants = constant_names_;
    text.functions = codegen::with_kernels_as_functions(std::move(text.functions));
    codegen::check_no_assembly(text, kind);
  }
  if (cuda_.warps) {
    if (spec.finds_races) {
      throw TypeError(name() +
                      ": races among functions of a warp are not found on the CPU; find them on an emulated GPU: "
                      "Device::emulated(\"sm_90\")");
    }
    if (kind == DeviceKind::cpu) text.headers.emplace_back("kiln/raw/warps_cpu.hpp");
    if (kind == DeviceKind::hip) text.headers.emplace_back("kiln/raw/warps_hip.hpp");
    text.headers.emplace_back(cuda_.groups ? "kiln/raw/groups.hpp" : "kiln/raw/warps.hpp");
  }
}

program::Request RawKernelImpl::request(std::span<const DType> binding, const raw::Constants& constants, const Form& form,
                                        DeviceKind kind) const {
  codegen::UserText text;
  text.name = definition_.name;
  text.body = definition_.body;
  program::add_options(text, definition_.compile);
  text.debug.on |= finds_races(kind);
  text.operands = operands_;
  text.type_variables = types_of(binding);
  text.constants = constants.texts;
  kinds::RawSpec spec{.form = form_for(form.form, kind), .finds_races = finds_races(kind)};
  spec.shares = cooperates_ && kind == DeviceKind::cpu && spec.form == RawForm::blocks && !spec.finds_races;
  add_cuda(text, spec, kind);
  for (const signature::KernelParameter& parameter : signature_.parameters) {
    text.input_names.push_back(parameter.name);
    spec.parameters.push_back({.dtype = dtype_of(parameter, binding),
                               .array = parameter.array,
                               .read_only = parameter.read_only,
                               .dimensions = parameter.dimensions,
                               .strided = (form.strided >> spec.parameters.size() & 1) != 0});
  }
  return program::make_request(definition_.compile, text, std::move(spec), kind, text_of(binding, constants), "kernel",
                               warnings_);
}

std::shared_ptr<const RawKernelImpl> make_raw_kernel(RawKernelDefinition definition) {
  return make_kernel_of_source(std::move(definition), {});
}

std::shared_ptr<const RawKernelImpl> make_kernel_of_source(RawKernelDefinition definition, raw::KernelSource source) {
  if (definition.name.empty()) definition.name = "kernel";
  check_name(definition.name);
  if (definition.signature.empty()) {
    throw SignatureError(definition.name + ": no signature given; write one like \"void(float32[:] x, int64 n)\"", "", 0);
  }
  signature::KernelSignature signature = signature::parse_raw(definition.signature);
  program::check_options(definition.name, definition.compile);
  codegen::check_text(definition.name, definition.body);
  codegen::UserText text{.name = definition.name, .body = definition.body};
  program::add_options(text, definition.compile);
  for (const signature::TypeVariable& variable : signature.variables) text.type_variables.emplace_back(variable.name, DType{});
  for (const signature::KernelParameter& each : signature.parameters) text.input_names.push_back(each.name);
  codegen::Operands operands = raw::operands_of(signature);
  codegen::check_literal_indices(text, *operands);
  const std::vector<Diagnostic> suspicious = codegen::suspicious_code(text, program::single_names(signature));
  auto made = std::make_shared<RawKernelImpl>(std::move(definition), std::move(signature), std::move(operands), text,
                                              std::move(source));
  made->warnings().add(suspicious);
  return made;
}

}  // namespace kiln::detail
