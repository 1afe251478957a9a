// The transforms of kiln::fft by name.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "c/call_options.hpp"
#include "kiln/array.hpp"
#include "kiln/fft.hpp"

namespace kiln::c {

/// A transform of one, two or any number of axes.
struct Transform {
  const char* name;  ///< "fft.rfft2"
  Array (*one)(const Array&, const fft::Options&) = nullptr;
  Array (*two)(const Array&, const fft::Options2&) = nullptr;
  Array (*any)(const Array&, const fft::OptionsN&) = nullptr;
};

/// Returns the transform of that name; none for any other.
[[nodiscard]] std::optional<Transform> find_transform(std::string_view name);

/// Transforms the array. `out` may be an empty handle. Throws ArgumentError for options that do not fit.
[[nodiscard]] Array run(const Transform& transform, const Array& a, const Array& out, const Options& options);

}  // namespace kiln::c
