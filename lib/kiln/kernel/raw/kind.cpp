// The kind as a SpecOfKind, and its kernels in words.
#include <memory>

#include "kernel/held_spec.hpp"
#include "kernel/raw/text.hpp"
#include "kernel/variant_words.hpp"

namespace kiln::kinds {

std::string words_of(const RawSpec& spec, DeviceKind) {
  Words words(form_name(spec.form));
  for (std::size_t i = 0; i < spec.parameters.size(); ++i) {
    words.add_if(spec.parameters[i].strided, fmt::format("strided (argument {})", i));
  }
  words.add_if(spec.shares, "shared");
  words.add_if(spec.finds_races, "race");
  return std::move(words).text();
}

std::shared_ptr<const SpecOfKind> hold(RawSpec spec) {
  return std::make_shared<const HeldSpec<RawSpec>>(std::move(spec));
}

std::string_view form_name(RawForm form) noexcept {
  constexpr std::string_view kNames[] = {"items", "blocks", "single"};
  return kNames[static_cast<std::size_t>(form)];
}

}  // namespace kiln::kinds
