#include "manifest/gufunc_variant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "backend/backend.hpp"
#include "backend/kernel_abi.hpp"
#include "gufunc/plain_spec.hpp"
#include "gufunc/tuning.hpp"
#include "kiln/error.hpp"
#include "kinds/gufunc/items_text.hpp"
#include "kinds/gufunc/operands_text.hpp"
#include "kinds/gufunc/packed_text.hpp"
#include "manifest/reduction_layout.hpp"
#include "manifest/ufunc_variant.hpp"

namespace kiln::manifest {
namespace {

using codegen::Access;
using codegen::CoreOperandSpec;
using codegen::GufuncSpec;
using detail::GufuncImpl;
using ufunc::Processors;

constexpr int kWarp = 32;
constexpr const char* kWays =
    "write contiguous, strided, \"along\" and the axis whose elements are contiguous, or scalar; then the "
    "dtype in memory where it is not the loop's";

CoreOperandSpec& operand_of(GufuncSpec& spec, std::size_t operand) {
  return operand < spec.inputs.size() ? spec.inputs[operand] : spec.outputs[operand - spec.inputs.size()];
}
const CoreOperandSpec& operand_of(const GufuncSpec& spec, std::size_t operand) {
  return operand < spec.inputs.size() ? spec.inputs[operand] : spec.outputs[operand - spec.inputs.size()];
}
std::size_t count_of(const GufuncSpec& spec) {
  return spec.inputs.size() + spec.outputs.size();
}

/// Cuts the first word off.
std::string_view next_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

/// "along 0 float16".
void read_operand(const Node& node, bool output, CoreOperandSpec& operand) {
  const std::string text = node.word();
  std::string_view rest = text;
  const std::string_view way = next_word(rest);
  const int rank = static_cast<int>(operand.dimensions.size());
  if (way == "scalar") {
    if (output || rank > 0) node.fail("only an input of no core dimensions is a scalar");
    if (!rest.empty()) node.fail("a scalar has its loop's dtype: leave the dtype out");
    operand.element.access = Access::scalar;
    return;
  }
  if (way == "strided" || way == "along") {
    if (rank == 0) node.fail(fmt::format("an operand of no core dimensions is contiguous or scalar, not {}", way));
    operand.packed = false;
    operand.unit = -1;
  } else if (way != "contiguous") {
    node.fail(fmt::format("unknown way \"{}\": {}", way.substr(0, 40), kWays));
  }
  if (way == "along") {
    const std::string_view axis = next_word(rest);
    const auto [end, error] = std::from_chars(axis.data(), axis.data() + axis.size(), operand.unit);
    if (axis.empty() || error != std::errc() || end != axis.data() + axis.size() || operand.unit < 0 || operand.unit >= rank) {
      node.fail(fmt::format("\"along\" is followed by an axis of the core, 0 to {}", rank - 1));
    }
  }
  if (rest.empty()) return;
  try {
    operand.element.storage = dtype_from_name(rest);
  } catch (const TypeError& error) {
    node.fail(error.what());
  }
}

std::string operand_text(const CoreOperandSpec& operand) {
  if (operand.element.access == Access::scalar) return "scalar";
  std::string text = operand.packed ? "contiguous" : operand.unit < 0 ? "strided" : fmt::format("along {}", operand.unit);
  if (operand.element.storage != operand.element.compute) text += " " + std::string(name(operand.element.storage));
  return text;
}

void read_sizes(const Node& node, const signature::Layout& layout, GufuncSpec& spec) {
  for (const auto& [name, size] : node.members()) {
    const auto dimension = layout.find(name);
    if (!dimension) size.fail(fmt::format("\"{}\" is no core dimension of {}", name, layout.text));
    if (layout.dimensions[*dimension].size) size.fail(fmt::format("{} fixes this size", layout.text));
    spec.dimensions[*dimension].size = size.integer(0, std::numeric_limits<int>::max());
  }
}

void read_order(const Node& node, GufuncSpec& spec) {
  std::vector<codegen::EachSpec> order;
  for (const Node& each : node.list()) {
    const std::string name = each.word();
    const auto found = std::find_if(spec.each.begin(), spec.each.end(), [&](const auto& e) { return e.name == name; });
    const bool again = std::any_of(order.begin(), order.end(), [&](const auto& e) { return e.name == name; });
    if (found == spec.each.end() || again) each.fail(again ? "named twice" : "no index of \"each\" has that name");
    order.push_back(*found);
  }
  if (order.size() != spec.each.size()) node.fail(fmt::format("name all {} indices of \"each\"", spec.each.size()));
  spec.each = std::move(order);
}

[[noreturn]] void fail_as_large(const Node& node) {
  node.fail(fmt::format("a rank of 0 is of items of at most {} elements, {} where items are innermost in memory",
                        gufunc::tuning::kTinyCore, gufunc::tuning::kTinyCoreAcross));
}

/// Whether the items are those that calls compute several of at once.
void check_tiny(const Node& node, const GufuncSpec& spec) {
  for (const codegen::CoreDimensionSpec& dimension : spec.dimensions) {
    if (!dimension.size)
      node.fail(fmt::format("a rank of 0 is of items of known sizes: give \"{}\" in \"sizes\"", dimension.name));
  }
  if (spec.masked) node.fail("a rank of 0 is of calls without a mask");
  if (spec.team > 0) node.fail("a rank of 0 is of items that no team shares");
  for (std::size_t k = 0; k < count_of(spec); ++k) {
    std::int64_t elements = 1;
    for (const std::size_t dimension : operand_of(spec, k).dimensions) {
      elements *= *spec.dimensions[dimension].size;
      if (elements > gufunc::tuning::kTinyCoreAcross) fail_as_large(node);
    }
  }
}

/// And whether their cores lie as they do there.
void check_tiny_cores(const Node& node, const GufuncSpec& spec) {
  for (std::size_t k = 0; k < count_of(spec); ++k) {
    const CoreOperandSpec& operand = operand_of(spec, k);
    if (codegen::item_stride(spec, operand) == 1) continue;
    if (codegen::core_elements(spec, operand) > gufunc::tuning::kTinyCore) fail_as_large(node);
    if (!operand.packed)
      node.fail("a rank of 0 is of contiguous cores, or of items that are innermost in memory (item_strides of 1)");
  }
}

void read_item_strides(const Node& node, GufuncSpec& spec) {
  const bool vectors = codegen::takes_items(spec) || spec.brought > 0;
  if (spec.loop_rank != 0 && !vectors)
    node.fail("strides of items are of a rank of 0, of lanes that are items, or of packed items");
  const std::vector<Node> strides = node.list();
  if (strides.size() != count_of(spec)) {
    node.fail(fmt::format("the loop has {} operands (inputs, then outputs), {} given", count_of(spec), strides.size()));
  }
  for (std::size_t k = 0; k < strides.size(); ++k) {
    CoreOperandSpec& operand = operand_of(spec, k);
    if (vectors) {
      const bool shared = !strides[k].json().is_null();
      if (shared && k >= spec.inputs.size()) strides[k].fail("items have no output in common: write null");
      if (shared) operand.item_stride = strides[k].integer(0, 0);
      continue;
    }
    if (strides[k].json().is_null()) {
      const std::size_t size = itemsize(operand.element.storage);
      if (size != 4 && size != 8) strides[k].fail("items of any stride have elements of 4 or 8 bytes");
      operand.item_stride = codegen::kAnyStride;
      continue;
    }
    const std::int64_t stride = strides[k].integer(0, gufunc::tuning::kMostItemStride);
    if (stride != codegen::core_elements(spec, operand)) operand.item_stride = stride;
  }
}

/// Whether the items are those that calls compute as vectors.
void check_item_lanes(const Node& node, const GufuncSpec& spec) {
  bool suits = !spec.masked && spec.team == 0;
  for (std::size_t k = 0; k < count_of(spec); ++k) {
    const codegen::OperandSpec& element = operand_of(spec, k).element;
    suits = suits && codegen::has_lanes(element.compute) && element.storage == element.compute;
  }
  if (!suits)
    node.fail(
        "without \"each\", or with \"folded\", lanes are items, of real numbers of 4 or 8 bytes and stored so, without "
        "\"where\"");
}

/// Items that are packed into a buffer at once.
void read_brought(const Node& node, Processors processors, GufuncSpec& spec) {
  spec.brought = node.integer(0, codegen::kMostItemsAtOnce);
  if (spec.brought == 0) return;
  if (spec.brought != 4 && spec.brought != 8 && spec.brought != 16) node.fail("4, 8 or 16 items are packed at once");
  if (processors != Processors::cpu) node.fail("items are packed on a CPU: write \"for\": \"cpu\"");
  if (spec.loop_rank == 0 || codegen::takes_items(spec) || spec.masked || spec.team > 0) {
    node.fail("packed items go one at a time to the body: without a rank of 0, lanes that are items, \"where\" and teams");
  }
}

/// Once it is known which inputs all items share, and stay where they are.
void check_brought(const Node& node, const GufuncSpec& spec) {
  for (std::size_t k = 0; k < count_of(spec); ++k) {
    const CoreOperandSpec& operand = operand_of(spec, k);
    const std::size_t size = itemsize(operand.element.storage);
    if (codegen::is_brought(spec, operand) && size != 4 && size != 8)
      node.fail("items that are packed have elements of 4 or 8 bytes");
  }
}

}  // namespace

GufuncVariant plain_variant(const GufuncImpl& gufunc, ufunc::Loop loop) {
  GufuncVariant variant;
  variant.spec = gufunc::plain_spec(gufunc, loop);
  variant.loop = std::move(loop);
  return variant;
}

GufuncVariant read_variant(const Node& node, const GufuncImpl& gufunc) {
  node.check_members({"loop", "operands", "sizes", "order", "rank", "wide_index", "lanes", "folded", "brought", "team",
                      "team_bytes", "where", "item_strides", "for"});
  GufuncVariant variant = plain_variant(gufunc, read_loop(node.at("loop"), gufunc.signatures()));
  GufuncSpec& spec = variant.spec;
  if (const auto list = node.find("operands")) {
    const std::vector<Node> operands = list->list();
    if (operands.size() != count_of(spec)) {
      list->fail(fmt::format("the loop has {} operands (inputs, then outputs), {} given", count_of(spec), operands.size()));
    }
    for (std::size_t k = 0; k < operands.size(); ++k) read_operand(operands[k], k >= spec.inputs.size(), operand_of(spec, k));
  }
  if (const auto sizes = node.find("sizes")) read_sizes(*sizes, gufunc.layout(), spec);
  if (const auto order = node.find("order")) read_order(*order, spec);
  const int most = backend::kMaxKernelRank - static_cast<int>(spec.each.size());
  if (const auto rank = node.find("rank")) spec.loop_rank = rank->integer(0, most);
  if (const auto flag = node.find("wide_index")) spec.wide_index = flag->flag();
  if (const auto flag = node.find("where")) spec.masked = flag->flag();
  variant.processors = read_processors(node);
  if (const auto rank = node.find("rank"); rank && spec.loop_rank == 0 && variant.processors != Processors::cpu) {
    rank->fail("a rank of 0, of contiguous items, is a CPU's: write \"for\": \"cpu\"");
  }
  if (spec.loop_rank == 0) check_tiny(node, spec);
  const auto item_strides = node.find("item_strides");
  if (spec.loop_rank == 0) {
    if (item_strides) read_item_strides(*item_strides, spec);
    check_tiny_cores(node, spec);
  }
  for (const char* member : {"team", "team_bytes"}) {
    if (const auto team = node.find(member); team && spec.team == 0) team->fail("teams are of a definition with a \"group\"");
  }
  if (const auto lanes = node.find("team")) {
    spec.team = lanes->integer(kWarp, backend::kGpuBlock);
    if (spec.team % kWarp != 0) lanes->fail("a team has a multiple of 32 threads");
  }
  if (const auto bytes = node.find("team_bytes")) {
    spec.team_bytes = bytes->integer(0, static_cast<int>(gufunc::tuning::kTeamBytes));
  }
  if (const auto flag = node.find("folded")) {
    spec.folded = flag->flag();
    if (spec.folded && spec.each.empty()) flag->fail("there is no \"each\" whose indices could be loops");
    if (spec.folded && !(node.find("lanes") && node.at("lanes").flag())) flag->fail("it is a way of \"lanes\": set that, too");
  }
  if (const auto flag = node.find("lanes")) {
    spec.lanes = flag->flag();
    if (spec.lanes && spec.loop_rank == 0) flag->fail("a rank of 0 computes several items at once by itself: leave lanes out");
    if (spec.lanes && (spec.each.empty() || spec.folded)) check_item_lanes(*flag, spec);
    if (spec.lanes && variant.processors != Processors::cpu) flag->fail("lanes are a CPU's: write \"for\": \"cpu\"");
  }
  if (const auto items = node.find("brought")) read_brought(*items, variant.processors, spec);
  if (item_strides && spec.loop_rank != 0) read_item_strides(*item_strides, spec);
  if (spec.brought > 0) check_brought(node.at("brought"), spec);
  return variant;
}

Json variant_json(const GufuncImpl& gufunc, const GufuncVariant& variant) {
  const GufuncSpec& spec = variant.spec;
  const GufuncSpec plain = gufunc::plain_spec(gufunc, variant.loop);
  Json json{{"loop", loop_text(variant.loop)}};
  Json operands = Json::array();
  bool contiguous = true;
  for (std::size_t k = 0; k < count_of(spec); ++k) {
    operands.push_back(operand_text(operand_of(spec, k)));
    contiguous &= operands.back() == "contiguous";
  }
  if (!contiguous) json["operands"] = std::move(operands);
  for (std::size_t d = 0; d < spec.dimensions.size(); ++d) {
    const auto& dimension = spec.dimensions[d];
    if (dimension.size && !plain.dimensions[d].size) json["sizes"][dimension.name] = *dimension.size;
  }
  const auto same = [](const codegen::EachSpec& a, const codegen::EachSpec& b) { return a.name == b.name; };
  if (!std::equal(spec.each.begin(), spec.each.end(), plain.each.begin(), plain.each.end(), same)) {
    for (const codegen::EachSpec& each : spec.each) json["order"].push_back(each.name);
  }
  if (spec.loop_rank != 1) json["rank"] = spec.loop_rank;
  bool beside = true;
  for (std::size_t k = 0; k < count_of(spec); ++k) beside = beside && operand_of(spec, k).item_stride == -1;
  if (!beside) {
    for (std::size_t k = 0; k < count_of(spec); ++k) {
      const CoreOperandSpec& operand = operand_of(spec, k);
      const bool any = codegen::is_staged(operand) || (spec.loop_rank != 0 && operand.item_stride != 0);
      json["item_strides"].push_back(any ? Json(nullptr) : Json(codegen::item_stride(spec, operand)));
    }
  }
  if (spec.wide_index) json["wide_index"] = true;
  if (spec.lanes) json["lanes"] = true;
  if (spec.folded) json["folded"] = true;
  if (spec.brought > 0) json["brought"] = spec.brought;
  if (spec.team != plain.team) json["team"] = spec.team;
  if (spec.team_bytes != plain.team_bytes) json["team_bytes"] = spec.team_bytes;
  if (spec.masked) json["where"] = true;
  write_processors(variant.processors, json);
  return json;
}

}  // namespace kiln::manifest
