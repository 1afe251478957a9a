// Definitions as text: a function's definition as canonical JSON, and a function from such a text. The text is what a manifest
// has for the function, without what is compiled of it (docs/manifest.md has the format).
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "kiln/export.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/kernel.hpp"
#include "kiln/reduction.hpp"
#include "kiln/ufunc.hpp"

namespace kiln {

/// Returns the definition of a function as canonical JSON: sorted, indented, members with their default omitted. The text of
/// define(definition_text(f)) is the same, byte by byte. Texts and bytes are part of it; folders and files are paths.
///
/// Throws TypeError for what no text can hold: a ufunc of fuse(), a reduction of two ufuncs, a `.compile.cache`, and a header
/// whose name is not UTF-8.
[[nodiscard]] KILN_API std::string definition_text(const Ufunc& function);
[[nodiscard]] KILN_API std::string definition_text(const Gufunc& function);
[[nodiscard]] KILN_API std::string definition_text(const Reduction& function);
[[nodiscard]] KILN_API std::string definition_text(const RawKernel& function);

/// A function of any kind.
using AnyFunction = std::variant<Ufunc, Gufunc, Reduction, RawKernel>;

/// Makes a function from the JSON text of a definition; `name` stands for the text in messages. Parses only. Relative folders
/// and files start at the process's working directory.
///
/// Throws CacheError, with the JSON path, for a text that is not a definition, and where the function's maker would throw:
/// `definition: /signatures/0: unknown dtype "float31": did you mean "float32"?`.
[[nodiscard]] KILN_API AnyFunction define(std::string_view text, const std::string& name = "definition");

}  // namespace kiln
