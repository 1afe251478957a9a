#include "manifest/ufunc_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "kiln/error.hpp"
#include "manifest/definition.hpp"
#include "manifest/method_variant.hpp"
#include "manifest/ufunc_loops.hpp"
#include "manifest/ufunc_variant.hpp"
#include "signature/signature.hpp"
#include "ufunc/impl.hpp"

namespace kiln::manifest {
namespace {

using detail::UfuncImpl;

UfuncDefinition read_short(const Node& node) {
  for (const char* other : {"name", "signatures", "body", "expression"}) {
    if (const auto found = node.find(other)) found->fail("\"kernel\" says it already: leave one of them out");
  }
  const Node text = node.at("kernel");
  UfuncDefinition definition;
  try {
    definition = parse_kernel(read_text(text));
  } catch (const SignatureError& error) {
    text.fail(error.what());
  }
  return definition;
}

UfuncDefinition read_long(const Node& node) {
  UfuncDefinition definition;
  definition.name = read_name(node.at("name"));
  definition.signatures = read_signatures(node.at("signatures"));
  const auto body = node.find("body");
  const auto expression = node.find("expression");
  if (body.has_value() == expression.has_value()) {
    node.fail(body ? "give a \"body\" or an \"expression\", not both" : "neither a \"body\" nor an \"expression\" given");
  }
  (body ? definition.body : definition.expression) = read_text(body ? *body : *expression);
  return definition;
}

void read_method_options(const Node& node, UfuncDefinition& definition) {
  if (const auto identity = node.find("identity")) definition.identity = read_text(*identity);
  if (const auto flag = node.find("reorderable")) definition.reorderable = flag->flag();
  if (const auto flag = node.find("widens_integers")) definition.widens_integers = flag->flag();
}

std::shared_ptr<const UfuncImpl> make_impl(const Node& node, UfuncDefinition definition, const std::string& folder) {
  resolve_folders(definition.compile, folder);
  const char* const body = node.has("kernel") ? "kernel" : definition.expression.empty() ? "body" : "expression";
  return make_located(node, node, definition.name, body, [&] { return detail::make_ufunc(definition); });
}

Unit make_unit(const std::shared_ptr<const UfuncImpl>& impl, UfuncVariant variant, std::string where) {
  Unit unit;
  unit.kernel = impl->name();
  unit.signature = variant.loop.text;
  unit.variant = ufunc::variant_name(variant.layout, variant.storage.size());
  unit.where = std::move(where);
  unit.processors = variant.processors;
  unit.requests = [impl, variant = std::move(variant)](DeviceKind kind) {
    const codegen::KernelSpec spec = impl->specialize(variant.loop, variant.storage, variant.layout, kind);
    return std::vector{impl->request(variant.loop, spec, kind)};
  };
  return unit;
}

/// The words of "methods": without any the call alone.
std::vector<Node> read_methods(const Node& node, Entry& entry) {
  const auto given = node.find("methods");
  if (!given) return {};
  std::vector<Node> methods = given->list();
  if (methods.empty()) given->fail("an empty list: leave it out for calls alone");
  for (const Node& each : methods) {
    const Json word = each.word();
    if (entry.json.contains("methods") &&
        std::find(entry.json["methods"].begin(), entry.json["methods"].end(), word) != entry.json["methods"].end()) {
      each.fail("the same method is there twice");
    }
    entry.json["methods"].push_back(word);
  }
  return methods;
}

/// The outer product of two contiguous arrays: the call whose first operand stands still along the second's.
UfuncVariant outer_variant(const Node& node, const UfuncImpl& impl, UfuncVariant variant) {
  if (impl.nin() != 2 || impl.nout() != 1) {
    node.fail(fmt::format("outer wants a ufunc of two inputs and one output, and {} has {} and {}", impl.name(), impl.nin(),
                          impl.nout()));
  }
  variant.layout.set_access(0, codegen::Access::broadcast);
  variant.layout.rank = 2;
  return variant;
}

}  // namespace

Entry read_ufunc(const Node& node, const std::string& folder) {
  node.check_members({"kind",      "kernel",    "name",         "signatures", "body",     "expression",  "preamble",
                      "functions", "headers",   "include_dirs", "defines",    "identity", "reorderable", "widens_integers",
                      "contract",  "fast_math", "types",        "loops",      "methods",  "variants"});
  if (const auto kind = node.find("kind"); kind && kind->word() != "ufunc")
    kind->fail("\"kernel\" in one string is a \"ufunc\"");
  UfuncDefinition definition = node.has("kernel") ? read_short(node) : read_long(node);
  read_options(node, definition.compile);
  read_method_options(node, definition);
  Entry entry;
  entry.json = ufunc_json(definition);
  const std::shared_ptr<const UfuncImpl> impl = make_impl(node, std::move(definition), folder);
  if (const auto variants = node.find("variants")) {
    MethodUnits methods(impl, entry.units);
    read_variants(node, *variants, {"types", "loops", "methods"}, "the contiguous variant of every loop", entry.json,
                  [&](const Node& each) {
                    if (each.has("method")) return methods.read(each);
                    UfuncVariant variant = read_variant(each, impl->signatures());
                    Json json = variant_json(variant.loop, variant.storage, variant.layout, variant.processors);
                    entry.units.push_back(make_unit(impl, std::move(variant), each.path()));
                    return json;
                  });
    return entry;
  }
  const std::vector<Node> methods = read_methods(node, entry);
  MethodUnits method_units(impl, entry.units);
  for (ufunc::Loop& loop : read_loops(node, impl->signatures())) {
    UfuncVariant variant;
    variant.storage = ufunc::dtypes_of(loop);
    variant.loop = std::move(loop);
    if (node.has("loops")) entry.json["loops"].push_back(loop_text(variant.loop));
    for (const Node& method : methods) {
      const std::string word = method.word();
      if (word == "call") {
        entry.units.push_back(make_unit(impl, variant, node.path()));
      } else if (word == "outer") {
        entry.units.push_back(make_unit(impl, outer_variant(method, *impl, variant), node.path()));
      } else {
        method_units.add_usual(method, variant.loop, node.path());
      }
    }
    if (methods.empty()) entry.units.push_back(make_unit(impl, std::move(variant), node.path()));
  }
  if (const auto types = node.find("types")) entry.json["types"] = types->json();
  return entry;
}

Json ufunc_json(const UfuncDefinition& definition) {
  Json json{{"kind", "ufunc"}, {"name", definition.name}, {"signatures", definition.signatures}};
  const auto text = [&](const char* member, const std::string& value) {
    if (!value.empty()) json[member] = text_json(value);
  };
  text("body", definition.body);
  text("expression", definition.expression);
  text("identity", definition.identity);
  if (definition.reorderable) json["reorderable"] = true;
  if (definition.widens_integers) json["widens_integers"] = true;
  write_options(definition.compile, json);
  return json;
}

}  // namespace kiln::manifest
