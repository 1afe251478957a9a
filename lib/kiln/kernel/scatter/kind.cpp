// The kind as a SpecOfKind, and its kernels in words.
#include <memory>

#include "kernel/held_spec.hpp"
#include "kernel/scatter/text.hpp"
#include "kernel/variant_words.hpp"

namespace kiln::kinds {

std::string words_of(const ScatterSpec& spec, DeviceKind device) {
  Words words("at");
  add_input(words, spec.target, "array");
  if (spec.value) add_input(words, *spec.value, "value");
  if (device == DeviceKind::cpu) return std::move(words).text();
  const ScatterLayout& layout = spec.layout;
  for (std::size_t i = 0; i < layout.arrays; ++i) words.add("index " + std::string(name(layout.indices[i])));
  words.add_if(layout.any(), "any layout");
  words.add_count(layout.rank, "{} dimensions");
  words.add_if(layout.row_rank == 1, "rows");
  words.add_count(layout.row_rank, "rows of {} dimensions");
  words.add_if(spec.ordered, "in order");
  words.add_if(layout.bins, "bins");
  words.add_if(layout.wide_index, "64-bit index");
  return std::move(words).text();
}

std::shared_ptr<const SpecOfKind> hold(ScatterSpec spec) {
  return std::make_shared<const HeldSpec<ScatterSpec>>(spec);
}

}  // namespace kiln::kinds
