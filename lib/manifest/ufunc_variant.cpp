#include "manifest/ufunc_variant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "backend/backend.hpp"
#include "kiln/error.hpp"
#include "manifest/reduction_layout.hpp"

namespace kiln::manifest {
namespace {

using codegen::Access;
using codegen::Masking;
using ufunc::LayoutClass;
using ufunc::Loop;
using ufunc::Processors;

struct AccessName {
  Access access;
  std::string_view name;
};
constexpr std::array kAccessNames{AccessName{Access::contiguous, "contiguous"}, AccessName{Access::broadcast, "broadcast"},
                                  AccessName{Access::strided, "strided"}, AccessName{Access::scalar, "scalar"}};

std::string_view access_name(Access access) {
  return std::find_if(kAccessNames.begin(), kAccessNames.end(), [&](const AccessName& each) { return each.access == access; })
      ->name;
}

struct Operand {
  Access access = Access::contiguous;
  std::optional<DType> storage;  // where it is not the loop's
};

/// "strided float16".
Operand read_operand(const Node& node, bool output) {
  const std::string text = node.word();
  const std::size_t blank = text.find(' ');
  const std::string_view how = std::string_view(text).substr(0, blank);
  const auto named =
      std::find_if(kAccessNames.begin(), kAccessNames.end(), [&](const AccessName& each) { return each.name == how; });
  if (named == kAccessNames.end()) {
    node.fail(
        fmt::format("unknown access \"{}\": write contiguous, broadcast, strided or scalar, then the dtype in memory where it "
                    "is not the loop's",
                    how.substr(0, 40)));
  }
  Operand operand{named->access, std::nullopt};
  if (output && operand.access != Access::contiguous && operand.access != Access::strided) {
    node.fail(fmt::format("an output is contiguous or strided, not {}", how));
  }
  if (blank == std::string::npos) return operand;
  if (operand.access == Access::scalar) node.fail("a scalar has its loop's dtype: leave the dtype out");
  try {
    operand.storage = dtype_from_name(std::string_view(text).substr(blank + 1));
  } catch (const TypeError& error) {
    node.fail(error.what());
  }
  return operand;
}

std::size_t first_output(const UfuncVariant& variant) {
  return variant.loop.inputs.size() + (variant.layout.masking == Masking::none ? 0 : 1);
}

void read_operands(const Node& node, UfuncVariant& variant) {
  const std::vector<Node> operands = node.list();
  if (operands.size() != variant.storage.size()) {
    node.fail(fmt::format("the loop has {} operands (inputs, {}then outputs), {} given", variant.storage.size(),
                          variant.layout.masking == Masking::none ? "" : "the mask, ", operands.size()));
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Operand operand = read_operand(operands[i], i >= first_output(variant));
    const bool mask = i == variant.loop.inputs.size() && first_output(variant) > i;
    if (mask && (operand.access == Access::scalar || operand.storage)) {
      operands[i].fail("a mask is a bool array: write contiguous, broadcast or strided");
    }
    variant.layout.set_access(i, operand.access);
    if (operand.storage) variant.storage[i] = *operand.storage;
  }
}

void check_large(const Node& node, const UfuncVariant& variant) {
  bool contiguous = variant.layout.rank == 1;
  for (std::size_t i = first_output(variant); i < variant.storage.size(); ++i) {
    contiguous &= variant.layout.access_of(i) == Access::contiguous;
  }
  if (!contiguous) node.fail("only outputs that are contiguous, in a loop of rank 1, can be large");
  if (variant.layout.masking == Masking::keep) node.fail("outputs that keep values cannot be large");
}

}  // namespace

std::string loop_text(const Loop& loop) {
  std::string text;
  for (const DType dtype : loop.inputs) text += (text.empty() ? "" : ", ") + std::string(name(dtype));
  text += " -> ";
  for (std::size_t i = 0; i < loop.outputs.size(); ++i) text += (i == 0 ? "" : ", ") + std::string(name(loop.outputs[i]));
  return text;
}

Loop read_loop(const Node& node, std::span<const signature::TypeSignature> signatures) {
  const std::string text = node.word();
  const std::size_t nin = signatures.front().inputs.size();
  try {
    const std::vector<DType> dtypes = ufunc::parse_loop(text, nin, signatures.front().outputs.size());
    if (std::optional<Loop> loop = ufunc::find_loop(signatures, dtypes)) return *std::move(loop);
  } catch (const SignatureError& error) {
    node.fail(error.what());
  }
  std::string known;
  for (const signature::TypeSignature& signature : signatures) known += (known.empty() ? "" : "; ") + signature.text;
  node.fail(fmt::format("there is no loop \"{}\"; the signatures are {}", text, known));
}

UfuncVariant read_variant(const Node& node, std::span<const signature::TypeSignature> signatures) {
  node.check_members({"loop", "operands", "rank", "aligned", "wide_index", "in_place", "large", "where", "for"});
  UfuncVariant variant;
  variant.loop = read_loop(node.at("loop"), signatures);
  if (const auto where = node.find("where")) {
    const std::string word = where->word();
    if (word != "zero" && word != "keep") where->fail("expected \"zero\" or \"keep\"; leave it out for calls without a mask");
    variant.layout.masking = word == "zero" ? Masking::zero : Masking::keep;
  }
  variant.storage = ufunc::dtypes_of(variant.loop, variant.layout.masking);
  if (const auto operands = node.find("operands")) read_operands(*operands, variant);
  if (const auto rank = node.find("rank")) {
    variant.layout.rank = static_cast<std::uint8_t>(rank->integer(1, backend::kMaxKernelRank));
  }
  if (const auto flag = node.find("aligned")) variant.layout.packs = flag->flag();
  if (const auto flag = node.find("wide_index")) variant.layout.wide_index = flag->flag();
  if (const auto flag = node.find("in_place")) variant.layout.in_place = flag->flag();
  if (const auto flag = node.find("large")) {
    variant.layout.large = flag->flag();
    if (variant.layout.large) check_large(*flag, variant);
  }
  variant.processors = read_processors(node);
  return variant;
}

Json variant_json(const Loop& loop, std::span<const DType> storage, const LayoutClass& layout, Processors processors) {
  Json json{{"loop", loop_text(loop)}};
  const std::vector<DType> own = ufunc::dtypes_of(loop, layout.masking);
  Json operands = Json::array();
  bool plain = true;
  for (std::size_t i = 0; i < storage.size(); ++i) {
    const bool cast = storage[i] != own[i];
    plain &= !cast && layout.access_of(i) == Access::contiguous;
    operands.push_back(std::string(access_name(layout.access_of(i))) + (cast ? " " + std::string(name(storage[i])) : ""));
  }
  if (!plain) json["operands"] = std::move(operands);
  if (layout.rank != 1) json["rank"] = static_cast<int>(layout.rank);
  if (!layout.packs) json["aligned"] = false;
  if (layout.wide_index) json["wide_index"] = true;
  if (layout.in_place) json["in_place"] = true;
  if (layout.large) json["large"] = true;
  if (layout.masking != Masking::none) json["where"] = layout.masking == Masking::zero ? "zero" : "keep";
  write_processors(processors, json);
  return json;
}

}  // namespace kiln::manifest
