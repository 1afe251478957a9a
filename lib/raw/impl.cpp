#include "raw/impl.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "codegen/body_tokens.hpp"
#include "codegen/doubtful.hpp"
#include "codegen/operand_use.hpp"
#include "kiln/error.hpp"
#include "program/single_names.hpp"
#include "ufunc/impl.hpp"

namespace kiln::raw {

namespace {

constexpr std::array<std::string_view, 6> kShared{"barrier",      "KILN_SHARED", "KILN_DYNAMIC_SHARED",
                                                  "KILN_BARRIER", "__shared__",  "__syncthreads"};
constexpr std::array<std::string_view, 8> kPlaces{"thread",    "block",    "block_size", "grid_size",
                                                  "threadIdx", "blockIdx", "blockDim",   "gridDim"};

bool names_any(const RawKernelDefinition& definition, std::span<const std::string_view> names) {
  return codegen::names_any(definition.body, names) || codegen::names_any(definition.compile.functions, names) ||
         codegen::names_any(definition.compile.preamble, names);
}

bool asks_for_grid(const codegen::UserText& text) {
  return codegen::calls_kilns(text, "grid") || codegen::calls_kilns(text, "gridsize");
}

}  // namespace
}  // namespace kiln::raw

namespace kiln::detail {

using kinds::RawForm;

RawKernelImpl::RawKernelImpl(RawKernelDefinition definition, signature::KernelSignature signature,
                             const codegen::UserText& text)
    : definition_(std::move(definition)),
      signature_(std::move(signature)),
      cooperates_(raw::names_any(definition_, raw::kShared)),
      finds_races_(text.debug.race),
      usual_form_(cooperates_ || raw::names_any(definition_, raw::kPlaces) || raw::asks_for_grid(text) ? RawForm::blocks
                                                                                                       : RawForm::items) {}

std::vector<std::pair<std::string, DType>> RawKernelImpl::types_of(std::span<const DType> binding) const {
  std::vector<std::pair<std::string, DType>> types;
  for (std::size_t i = 0; i < binding.size(); ++i) types.emplace_back(signature_.variables[i].name, binding[i]);
  return types;
}

std::vector<raw::Binding> RawKernelImpl::fixed_bindings() const {
  std::vector<raw::Binding> all{{}};
  for (const signature::TypeVariable& variable : signature_.variables) {
    if (variable.choices.empty()) {
      throw TypeError(name() + ": nothing says what \"" + variable.name + "\" is; restrict it in the signature: \"… where " +
                      variable.name + ": float32, float64\"");
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

const raw::Variant& RawKernelImpl::variant(const raw::Key& key, std::span<const DType> binding) const {
  if (const raw::Variant* const known = variants_.find(key)) return *known;
  backend::Backend& backend = backend::backend_for(key.device);
  // A kernel that is told more strides, or takes blocks of any size, is right as well.
  std::vector<raw::Strided> strided{key.strided};
  for (std::size_t i = 0; i < signature_.parameters.size(); ++i) {
    const raw::Strided bit = raw::Strided{1} << i;
    if (signature_.parameters[i].dimensions == 0 || (key.strided & bit) != 0 || strided.size() > kMostStandIns) continue;
    for (std::size_t known = strided.size(), k = 0; k < known; ++k) strided.push_back(strided[k] | bit);
  }
  std::ranges::stable_sort(strided, {}, [](raw::Strided set) { return std::popcount(set); });
  std::vector<std::pair<raw::Strided, RawForm>> right;
  for (const raw::Strided set : strided) {
    right.emplace_back(set, key.form);
    if (key.form == RawForm::single) right.emplace_back(set, RawForm::blocks);
  }
  program::Loaded loaded = program::load_any(
      right.size(), [&](std::size_t i) { return request(binding, right[i].first, right[i].second, backend.kind()); }, backend);
  return variants_.add(key, std::move(loaded.module));
}

program::Request RawKernelImpl::request(std::span<const DType> binding, raw::Strided strided, RawForm form,
                                        DeviceKind kind) const {
  codegen::UserText text;
  text.name = definition_.name;
  text.body = definition_.body;
  program::add_options(text, definition_.compile);
  text.debug.on |= finds_races(kind);
  text.type_variables = types_of(binding);
  kinds::RawSpec spec{.form = form_for(form, kind), .finds_races = finds_races(kind)};
  spec.shares = cooperates_ && kind == DeviceKind::cpu && spec.form == RawForm::blocks && !spec.finds_races;
  for (const signature::KernelParameter& parameter : signature_.parameters) {
    text.input_names.push_back(parameter.name);
    spec.parameters.push_back({.dtype = dtype_of(parameter, binding),
                               .array = parameter.array,
                               .constant = parameter.constant,
                               .dimensions = parameter.dimensions,
                               .strided = (strided >> spec.parameters.size() & 1) != 0});
  }
  return program::make_request(definition_.compile, text, std::move(spec), kind, signature::bound_text(signature_, binding),
                               "kernel", warnings_);
}

std::shared_ptr<const RawKernelImpl> make_raw_kernel(RawKernelDefinition definition) {
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
  std::vector<codegen::ArrayUse> parameters;
  for (const signature::KernelParameter& each : signature.parameters) {
    text.input_names.push_back(each.name);
    parameters.push_back({.name = each.name,
                          .type = type_text(signature, each),
                          .array = each.array,
                          .constant = each.constant,
                          .dimensions = each.dimensions});
  }
  codegen::check_arrays(text, parameters);
  const std::vector<Diagnostic> doubtful = codegen::doubtful_code(text, program::single_names(signature));
  auto made = std::make_shared<RawKernelImpl>(std::move(definition), std::move(signature), text);
  made->warnings().add(doubtful);
  return made;
}

}  // namespace kiln::detail
