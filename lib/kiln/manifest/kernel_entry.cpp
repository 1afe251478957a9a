#include "manifest/kernel_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "kernel/raw/text.hpp"
#include "kiln/error.hpp"
#include "manifest/definition.hpp"
#include "raw/impl.hpp"
#include "types/value_text.hpp"

namespace kiln::manifest {
namespace {

using detail::RawKernelImpl;
using kinds::RawForm;
using SharedRawKernel = std::shared_ptr<const RawKernelImpl>;

constexpr std::array kForms{RawForm::items, RawForm::blocks, RawForm::single};

/// {"T": "float32"}: a dtype for each type variable.
raw::Binding read_types(const Node& node, const SharedRawKernel& impl) {
  const auto& variables = impl->signature().variables;
  const auto given = node.members();
  for (const auto& member : given) {
    const auto known =
        std::find_if(variables.begin(), variables.end(), [&](const auto& each) { return each.name == member.first; });
    if (known == variables.end()) member.second.fail("the signature has no type variable of that name");
  }
  raw::Binding binding;
  for (const signature::TypeVariable& variable : variables) {
    const auto found = std::find_if(given.begin(), given.end(), [&](const auto& each) { return each.first == variable.name; });
    if (found == given.end()) {
      node.fail(fmt::format("nothing says what \"{0}\" is: write {{\"{0}\": \"float32\"}}", variable.name));
    }
    binding.push_back(found->second.locate([&] { return dtype_from_name(found->second.word()); }));
    const auto& choices = variable.choices;
    if (!choices.empty() && std::find(choices.begin(), choices.end(), binding.back()) == choices.end()) {
      found->second.fail(
          fmt::format("\"{}\" may not be {} in \"{}\"", variable.name, name(binding.back()), impl->signature().text));
    }
  }
  return binding;
}

RawForm read_form(const Node& node, const SharedRawKernel& impl) {
  const std::string word = node.word();
  const auto* const found =
      std::find_if(kForms.begin(), kForms.end(), [&](RawForm form) { return kinds::form_name(form) == word; });
  if (found == kForms.end()) {
    node.fail("expected \"items\" (.size), \"blocks\" (.grid and .block), or \"single\" (blocks of one thread)");
  }
  if (impl->cooperates() && *found == RawForm::items)
    node.fail("its threads share memory or wait for one another; items do not");
  return *found;
}

/// ["x"]: the parameters that are views of arrays which are not contiguous along their last dimension.
raw::Strided read_strided(const Node& node, const SharedRawKernel& impl) {
  raw::Strided strided = 0;
  const auto& parameters = impl->signature().parameters;
  for (const Node& each : node.list()) {
    const std::string name = each.word();
    const auto found =
        std::find_if(parameters.begin(), parameters.end(), [&](const auto& known) { return known.name == name; });
    if (found == parameters.end()) each.fail("the signature has no parameter of that name");
    if (found->dimensions == 0) each.fail("the parameter is no view: only those declared with \"[:]\" have strides");
    const raw::Strided bit = raw::Strided{1} << (found - parameters.begin());
    if ((strided & bit) != 0) each.fail("the same parameter is there twice");
    strided |= bit;
  }
  if (strided == 0) node.fail("an empty list: leave it out where all arrays are contiguous");
  return strided;
}

/// The names of what read_strided() gives.
std::vector<std::string> names_of(raw::Strided strided, const SharedRawKernel& impl) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < impl->signature().parameters.size(); ++i) {
    if ((strided >> i & 1) != 0) names.push_back(impl->signature().parameters[i].name);
  }
  return names;
}

/// {"n": "5"}: a value for each constant.
raw::Constants read_constants(const Node& node, const SharedRawKernel& impl, const raw::Binding& binding) {
  const auto& parameters = impl->signature().parameters;
  const auto given = node.members();
  for (const auto& member : given) {
    const bool known =
        std::ranges::any_of(parameters, [&](const auto& each) { return each.constant && each.name == member.first; });
    if (!known) member.second.fail("the signature has no \"constant\" parameter of that name");
  }
  using Value = kinds::RawLaunch::Argument;
  std::vector<Value> values(parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].constant) continue;
    const auto found =
        std::find_if(given.begin(), given.end(), [&](const auto& each) { return each.first == parameters[i].name; });
    if (found == given.end()) node.fail(fmt::format("\"{}\" has no value: give one for each constant", parameters[i].name));
    const DType dtype = impl->dtype_of(parameters[i], binding);
    if (!read_value(found->second.word(), dtype, values[i].value.data())) {
      found->second.fail(fmt::format("no value of {}: write 5, 0.5, inf, true or (1,2) as its dtype is", name(dtype)));
    }
  }
  return impl->constants_of(binding, [&](std::size_t i) { return values[i].value.data(); });
}

/// Host arrays are contiguous on a GPU, which gets a copy.
struct StridedViews {
  raw::Strided strided = 0;
  raw::Strided strided_host = 0;
};

void add_units(const SharedRawKernel& impl, const raw::Binding& binding, const raw::Constants& constants,
               const StridedViews& views, RawForm form, const std::string& where, Entry& entry) {
  Unit unit;
  unit.kernel = impl->name();
  unit.signature = impl->text_of(binding, constants);
  unit.where = where;
  unit.requests = [impl, binding, constants, views, form](DeviceKind kind) {
    const raw::Strided strided = views.strided | (kind == DeviceKind::cpu ? views.strided_host : 0);
    std::vector<program::Request> requests;
    const auto add = [&](const raw::Constants& values) {
      requests.push_back(impl->request(binding, values, {strided, form}, kind));
      if (form == RawForm::single) requests.push_back(impl->request(binding, values, {strided, RawForm::blocks}, kind));
    };
    add(constants);
    if (!constants.values.empty()) add(impl->plain().constants);
    return requests;
  };
  entry.units.push_back(std::move(unit));
}

}  // namespace

Json read_kernel_call(const Node& node, const SharedRawKernel& impl, Others others, Entry& entry) {
  std::vector<std::string_view> members(others);
  members.insert(members.end(), {"types", "launch", "constants", "strided", "strided_host"});
  node.check_members(members);
  raw::Binding binding;
  if (const auto types = node.find("types")) {
    binding = read_types(*types, impl);
  } else if (!impl->signature().variables.empty()) {
    node.fail("the signature has type variables: say what they are with \"types\"");
  }
  const RawForm form = read_form(node.at("launch"), impl);
  StridedViews views;
  if (const auto given = node.find("strided")) views.strided = read_strided(*given, impl);
  if (const auto given = node.find("strided_host")) views.strided_host = read_strided(*given, impl);
  if ((views.strided & views.strided_host) != 0) node.fail("a parameter is in both \"strided\" and \"strided_host\"");
  raw::Constants constants;
  if (const auto given = node.find("constants")) constants = read_constants(*given, impl, binding);
  add_units(impl, binding, constants, views, form, node.path(), entry);
  return kernel_call_json({.definition = impl->definition(),
                           .types = impl->types_of(binding),
                           .constants = constants.values,
                           .strided = names_of(views.strided, impl),
                           .strided_host = names_of(views.strided_host, impl),
                           .form = form});
}

void add_usual_units(const Node& node, const SharedRawKernel& impl, Entry& entry) {
  for (const raw::Binding& binding : impl->fixed_bindings()) {
    add_units(impl, binding, {}, {}, impl->usual_form(), node.path(), entry);
  }
}

namespace {

/// Each once, in order.
std::vector<raw::Binding> read_bindings(const Node& node, const SharedRawKernel& impl) {
  std::vector<raw::Binding> bindings;
  if (const auto types = node.find("types")) {
    for (const Node& each : types->list()) {
      bindings.push_back(read_types(each, impl));
      if (std::find(bindings.begin(), bindings.end() - 1, bindings.back()) != bindings.end() - 1) {
        each.fail("the same dtypes are there twice");
      }
    }
    if (bindings.empty()) types->fail("an empty list: leave it out, or write [{\"T\": \"float32\"}]");
    return bindings;
  }
  try {
    return impl->fixed_bindings();
  } catch (const TypeError& error) {
    node.fail(fmt::format("{}, or write \"types\": [{{…: \"float32\"}}]", error.what()));
  }
}

}  // namespace

Made<RawKernelImpl> read_kernel_definition(const Node& node, const std::string& folder, Others uses) {
  check_members<RawKernelDefinition>(node, {"kind"}, uses);
  RawKernelDefinition definition;
  read_members(node, definition);
  return make_located(node, node.at("signature"), std::move(definition), "body", folder, detail::make_raw_kernel);
}

Entry read_kernel(const Node& node, const std::string& folder) {
  const Made<RawKernelImpl> made = read_kernel_definition(node, folder, {"types", "launch", "calls"});
  const SharedRawKernel& impl = made.impl;
  Entry entry{made.json, {}};
  if (const auto calls = node.find("calls")) {
    read_calls(node, *calls, {"types", "launch"}, "the launch that the body tells", entry.json,
               [&](const Node& each) { return read_kernel_call(each, impl, {}, entry); });
    return entry;
  }
  std::vector<RawForm> forms;
  if (const auto launch = node.find("launch")) {
    for (const Node& each : launch->list()) {
      forms.push_back(read_form(each, impl));
      if (std::find(forms.begin(), forms.end() - 1, forms.back()) != forms.end() - 1)
        each.fail("the same launch is there twice");
      entry.json["launch"].push_back(std::string(kinds::form_name(forms.back())));
    }
    if (forms.empty()) launch->fail("an empty list: leave it out for the launch that the body tells");
  } else {
    forms.push_back(impl->usual_form());
  }
  for (const raw::Binding& binding : read_bindings(node, impl)) {
    for (const RawForm form : forms) add_units(impl, binding, {}, {}, form, node.path(), entry);
  }
  if (const auto types = node.find("types")) entry.json["types"] = types->json();
  return entry;
}

Json kernel_call_json(const ufunc::RawUse& use) {
  Json json{{"launch", kinds::form_name(use.form)}};
  for (const std::string& parameter : use.strided) json["strided"].push_back(parameter);
  for (const std::string& parameter : use.strided_host) json["strided_host"].push_back(parameter);
  for (const auto& [variable, dtype] : use.types) json["types"][variable] = name(dtype);
  for (const auto& [parameter, value] : use.constants) json["constants"][parameter] = value;
  return json;
}

}  // namespace kiln::manifest
