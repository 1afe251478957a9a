#include "manifest/reduction_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kinds/variant_text.hpp"

namespace kiln::manifest {
namespace {

using codegen::Mapping;
using ufunc::Processors;

constexpr int kMaxRank = 64;  // more axes than an array may have after merging

constexpr std::array kMappings{Mapping::thread, Mapping::warp, Mapping::block, Mapping::columns};

Mapping usual_mapping(bool reorderable) {
  return reorderable ? Mapping::block : Mapping::thread;
}

}  // namespace

void read_reduction_layout(const Node& node, std::string_view what, bool reorderable, std::span<const DType> inputs,
                           kinds::ReductionClass& how) {
  how.mapping = usual_mapping(reorderable);
  if (const auto mapping = node.find("mapping")) {
    const std::string word = mapping->word();
    const auto found =
        std::find_if(kMappings.begin(), kMappings.end(), [&](Mapping each) { return codegen::mapping_name(each) == word; });
    if (found == kMappings.end()) mapping->fail("expected \"thread\", \"warp\", \"block\" or \"columns\"");
    if (!reorderable && *found != Mapping::thread) {
      mapping->fail(
          fmt::format("{} has no identity and is not \"reorderable\": its order counts, and one \"thread\" reduces", what));
    }
    how.mapping = *found;
  }
  if (const auto rank = node.find("kept_rank")) how.kept_rank = static_cast<std::uint8_t>(rank->integer(1, kMaxRank));
  if (const auto rank = node.find("reduced_rank")) how.reduced_rank = static_cast<std::uint8_t>(rank->integer(1, kMaxRank));
  // Where nothing is read in packs both mean the same kernel.
  if (const auto flag = node.find("aligned")) how.packs = flag->flag() || kinds::pack_width(how, inputs) == 1;
  if (const auto flag = node.find("wide_index")) how.wide_index = flag->flag();
}

void write_reduction_layout(const kinds::ReductionClass& layout, bool reorderable, Json& json) {
  if (layout.mapping != usual_mapping(reorderable)) json["mapping"] = codegen::mapping_name(layout.mapping);
  if (layout.kept_rank != 1) json["kept_rank"] = static_cast<int>(layout.kept_rank);
  if (layout.reduced_rank != 1) json["reduced_rank"] = static_cast<int>(layout.reduced_rank);
  if (!layout.packs) json["aligned"] = false;
  if (layout.wide_index) json["wide_index"] = true;
}

Processors read_processors(const Node& node) {
  const auto only = node.find("for");
  if (!only) return Processors::all;
  const std::string word = only->word();
  if (word != "cpu" && word != "gpu") only->fail("expected \"cpu\" or \"gpu\"; leave it out for both");
  return word == "cpu" ? Processors::cpu : Processors::gpu;
}

void write_processors(Processors processors, Json& json) {
  if (processors != Processors::all) json["for"] = processors == Processors::cpu ? "cpu" : "gpu";
}

}  // namespace kiln::manifest
