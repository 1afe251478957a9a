#include "manifest/reduction_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "kiln/error.hpp"
#include "kinds/variant_text.hpp"
#include "manifest/definition.hpp"
#include "manifest/reduction_layout.hpp"
#include "manifest/ufunc_loops.hpp"
#include "manifest/ufunc_variant.hpp"
#include "reduce/impl.hpp"

namespace kiln::manifest {
namespace {

using codegen::Access;
using detail::ReductionImpl;
using reduce::ReductionClass;
using ufunc::Loop;
using ufunc::Processors;
using SharedReduction = std::shared_ptr<const ReductionImpl>;

struct ReachName {
  Access access;
  std::string_view name;
};
constexpr std::array kReaches{ReachName{Access::contiguous, "array"}, ReachName{Access::broadcast, "broadcast"},
                              ReachName{Access::scalar, "scalar"}};

struct Part {
  const char* member;
  std::string ReductionDefinition::* text;
};
constexpr std::array kParts{Part{"accumulator", &ReductionDefinition::accumulator}, Part{"map", &ReductionDefinition::map},
                            Part{"reduce", &ReductionDefinition::reduce}, Part{"post", &ReductionDefinition::post},
                            Part{"identity", &ReductionDefinition::identity}};

SharedReduction make_impl(const Node& node, ReductionDefinition definition, bool leads, const std::string& folder) {
  resolve_folders(definition.compile, folder);
  return make_located(node, node, definition.name, "reduce", [&] { return detail::make_reduction(definition, leads); });
}

struct Variant {
  std::vector<DType> storage;  // inputs, then outputs
  std::size_t inputs;
  ReductionClass how;
  friend bool operator==(const Variant&, const Variant&) = default;
};

Variant usual_variant(const Loop& loop, bool reorderable) {
  return {ufunc::dtypes_of(loop), loop.inputs.size(), reduce::usual_class(!reorderable)};
}

/// "broadcast float16": how an operand is reached, and its dtype in memory where it is not the loop's.
void read_operand(const Node& node, std::size_t operand, Variant& variant) {
  const std::string text = node.word();
  const std::size_t blank = text.find(' ');
  const std::string_view how = std::string_view(text).substr(0, blank);
  const auto named = std::find_if(kReaches.begin(), kReaches.end(), [&](const ReachName& each) { return each.name == how; });
  if (named == kReaches.end()) {
    node.fail(fmt::format(
        "unknown access \"{}\": write array, broadcast or scalar, then the dtype in memory where it is not the loop's",
        how.substr(0, 40)));
  }
  if (operand < variant.inputs) {
    variant.how.set_access(operand, named->access);
  } else if (named->access != Access::contiguous) {
    node.fail(fmt::format("an output is an array, not {}", how));
  }
  if (blank == std::string::npos) return;
  if (named->access == Access::scalar) node.fail("a scalar has its loop's dtype: leave the dtype out");
  try {
    variant.storage[operand] = dtype_from_name(std::string_view(text).substr(blank + 1));
  } catch (const TypeError& error) {
    node.fail(error.what());
  }
}

/// The units of a reduction, each of its CPU's kernels once: there one does for many layouts.
class Units {
 public:
  Units(SharedReduction impl, std::vector<Unit>& units) : impl_(std::move(impl)), units_(units) {}

  void add(const Loop& loop, const Variant& variant, Processors processors, const std::string& where) {
    const auto concerns = [&](Processors each) { return (static_cast<int>(processors) & static_cast<int>(each)) != 0; };
    std::pair on_cpu{loop.text, variant};
    on_cpu.second.how = variant.how.on_cpu();
    if (concerns(Processors::cpu) && std::find(on_cpu_.begin(), on_cpu_.end(), on_cpu) == on_cpu_.end()) {
      add_unit(loop, variant, Processors::cpu, where, "reduction");
      on_cpu_.push_back(std::move(on_cpu));
    }
    if (!concerns(Processors::gpu)) return;
    add_unit(loop, variant, Processors::gpu, where, fmt::format("reduction ({})", codegen::mapping_name(variant.how.mapping)));
  }

 private:
  void add_unit(const Loop& loop, const Variant& variant, Processors processors, const std::string& where, std::string name) {
    Unit unit;
    unit.kernel = impl_->name();
    unit.signature = loop.text;
    unit.variant = std::move(name);
    unit.where = where;
    unit.processors = processors;
    unit.requests = [impl = impl_, loop, variant](DeviceKind kind) {
      return std::vector{impl->request(loop, variant.storage, variant.how, kind)};
    };
    units_.push_back(std::move(unit));
  }

  SharedReduction impl_;
  std::vector<Unit>& units_;
  std::vector<std::pair<std::string, Variant>> on_cpu_;
};

/// Adds an element of "variants", and gives its canonical JSON.
Json read_reduction_variant(const Node& node, const ReductionImpl& impl, Units& units) {
  node.check_members({"loop", "operands", "where", "mapping", "kept_rank", "reduced_rank", "aligned", "wide_index", "for"});
  const Loop loop = read_loop(node.at("loop"), impl.loops().signatures());
  Variant variant = usual_variant(loop, impl.reorderable());
  if (const auto where = node.find("where")) {
    variant.how.masked = where->flag();
    if (variant.how.masked && !impl.has_identity() && !impl.takes_initial()) {
      where->fail("a mask wants an \"identity\", for where no element counts");
    }
  }
  if (const auto list = node.find("operands")) {
    const std::vector<Node> operands = list->list();
    if (operands.size() != variant.storage.size()) {
      list->fail(
          fmt::format("the loop has {} operands (inputs, then outputs), {} given", variant.storage.size(), operands.size()));
    }
    for (std::size_t k = 0; k < operands.size(); ++k) read_operand(operands[k], k, variant);
  }
  read_reduction_layout(node, "the reduction", impl.reorderable(), std::span(variant.storage).first(variant.inputs),
                        variant.how);
  const Processors processors = read_processors(node);
  units.add(loop, variant, processors, node.path());
  return reduction_variant_json(loop, variant.storage, variant.how, processors, impl.reorderable());
}

}  // namespace

Entry read_reduction(const Node& node, const std::string& folder) {
  node.check_members({"kind",     "name",        "signatures",     "accumulator", "map",       "reduce",  "post",
                      "identity", "reorderable", "identity_leads", "preamble",    "functions", "headers", "include_dirs",
                      "defines",  "contract",    "fast_math",      "types",       "loops",     "variants"});
  ReductionDefinition definition;
  definition.name = read_name(node.at("name"));
  definition.signatures = read_signatures(node.at("signatures"));
  for (const Part& part : kParts) {
    if (const auto text = node.find(part.member)) definition.*part.text = read_text(*text);
  }
  if (definition.reduce.empty()) static_cast<void>(node.at("reduce"));
  if (const auto flag = node.find("reorderable")) definition.reorderable = flag->flag();
  bool leads = false;
  if (const auto flag = node.find("identity_leads")) {
    leads = flag->flag();
    if (leads && definition.identity.empty()) flag->fail("there is no \"identity\" that could stand in front of the elements");
  }
  read_options(node, definition.compile);
  Entry entry;
  entry.json = reduction_json(definition, leads);
  const SharedReduction impl = make_impl(node, std::move(definition), leads, folder);
  Units units(impl, entry.units);
  if (const auto variants = node.find("variants")) {
    read_variants(node, *variants, {"types", "loops"}, "the usual variant of every loop", entry.json,
                  [&](const Node& each) { return read_reduction_variant(each, *impl, units); });
    return entry;
  }
  for (const Loop& loop : read_loops(node, impl->loops().signatures())) {
    if (node.has("loops")) entry.json["loops"].push_back(loop_text(loop));
    units.add(loop, usual_variant(loop, impl->reorderable()), Processors::all, node.path());
  }
  if (const auto types = node.find("types")) entry.json["types"] = types->json();
  return entry;
}

Json reduction_json(const ReductionDefinition& definition, bool leads) {
  Json json{{"kind", "reduction"}, {"name", definition.name}, {"signatures", definition.signatures}};
  for (const Part& part : kParts) {
    const std::string& text = definition.*part.text;
    if (!text.empty()) json[part.member] = text_json(text);
  }
  if (definition.reorderable) json["reorderable"] = true;
  if (leads) json["identity_leads"] = true;
  write_options(definition.compile, json);
  return json;
}

Json reduction_variant_json(const Loop& loop, std::span<const DType> storage, const ReductionClass& how, Processors processors,
                            bool reorderable) {
  Json json{{"loop", loop_text(loop)}};
  const std::vector<DType> own = ufunc::dtypes_of(loop);
  Json operands = Json::array();
  bool plain = true;
  for (std::size_t k = 0; k < storage.size(); ++k) {
    const Access access = k < loop.inputs.size() ? how.access_of(k) : Access::contiguous;
    const bool cast = storage[k] != own[k];
    plain &= !cast && access == Access::contiguous;
    const auto named =
        std::find_if(kReaches.begin(), kReaches.end(), [&](const ReachName& each) { return each.access == access; });
    operands.push_back(std::string(named->name) + (cast ? " " + std::string(name(storage[k])) : ""));
  }
  if (!plain) json["operands"] = std::move(operands);
  if (how.masked) json["where"] = true;
  write_reduction_layout(how, reorderable, json);
  write_processors(processors, json);
  return json;
}

}  // namespace kiln::manifest
