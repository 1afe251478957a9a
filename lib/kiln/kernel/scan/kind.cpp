// The kind as a SpecOfKind, and its kernels in words.
#include <memory>

#include "kernel/held_spec.hpp"
#include "kernel/scan/text.hpp"
#include "kernel/variant_words.hpp"

namespace kiln::kinds {

std::string words_of(const ScanSpec& spec, DeviceKind device) {
  Words words("accumulate");
  add_input(words, spec.input, "input");
  add_output(words, {.storage = spec.output, .compute = spec.input.compute}, "output");
  words.add_if(!spec.reorderable && device != DeviceKind::cpu, "in order");
  words.add_if(spec.layout.looks_back, "chunks look back");
  return std::move(words).text();
}

std::shared_ptr<const SpecOfKind> hold(ScanSpec spec) {
  return std::make_shared<const HeldSpec<ScanSpec>>(spec);
}

}  // namespace kiln::kinds
