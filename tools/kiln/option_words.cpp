#include "option_words.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "kernel_text.hpp"

namespace kiln::tool {
namespace {

struct Wording {
  std::string_view library;
  std::string_view tool;
};

/// Of two that begin alike the longer one comes first.
constexpr Wording kWordings[] = {
    {"convert an argument with astype()", "give an operand of another dtype"},
    {"convert it with astype()", "give an operand of another dtype"},
    {"give its value, which item() of the array returns", "give a number"},
    {".dtype or .signature", "--dtype"},
    {".casting = Casting::", "--casting "},
    {"give .out, or a size rule in the definition: .sizes = ", "give a size rule: --sizes "},
    {"give .initial, or .identity in the definition", "give --initial"},
    {"name one axis, or set .reorderable or .identity in the definition", "name one with --axis"},
    {"it is not among the kernel's headers, and there are no include folders; give its text in "
     ".compile.headers or its folder in .compile.include_dirs",
     "there are no include folders; give its folder with --include-dir"},
    {"it is not among the kernel's headers, nor in the include folders", "it is not in the include folders"},
    {"give its text in .compile.headers or its folder in .compile.include_dirs", "give its folder with --include-dir"},
    {"give its folder in .compile.include_dirs or its text in .compile.headers", "give its folder with --include-dir"},
    {".compile = {.debug = {.on = true}}", "--debug"},
    {"kiln::all_axes", "all"},
    {": reshape it", ""},
    {"give larger .chunk_bytes", "give a larger --chunk"},
    {".compile.link", "--link"},
    {".axes", "--axes"},
    {".axis", "--axis"},
    {".dtype", "--dtype"},
    {".each", "--each"},
    {".group", "--group"},
    {".initial", "--initial"},
    {".keepdims", "--keepdims"},
    {".shared", "--shared"},
    {".sizes", "--sizes"},
    {".timeout", "--timeout"},
    {".where", "--where"},
};

/// Where the text goes on with one of them, as whole words: a file's name may end in ".where".
const Wording* wording_at(std::string_view text, std::size_t at) {
  const auto* const found = std::find_if(std::begin(kWordings), std::end(kWordings), [&](const Wording& each) {
    const std::string_view words = each.library;
    if (!text.substr(at).starts_with(words)) return false;
    const std::size_t end = at + words.size();
    const bool begins = words.front() == ':' || at == 0 || text[at - 1] == ' ' || text[at - 1] == '(';
    return begins && (!in_a_name(words.back()) || end == text.size() || !in_a_name(text[end]));
  });
  return found == std::end(kWordings) ? nullptr : found;
}

}  // namespace

std::string in_option_words(std::string_view message) {
  const std::string_view line = message.substr(0, message.find('\n'));
  std::string text;
  bool quoted = false;
  for (std::size_t at = 0; at < line.size();) {
    if (const Wording* const wording = quoted ? nullptr : wording_at(line, at)) {
      text += wording->tool;
      at += wording->library.size();
      continue;
    }
    quoted ^= line[at] == '"';
    text += line[at++];
  }
  return text + std::string(message.substr(line.size()));
}

CompileError in_option_words(const CompileError& error) {
  std::vector<Diagnostic> diagnostics = error.diagnostics();
  for (Diagnostic& each : diagnostics) each.text = in_option_words(each.text);
  return CompileError({.diagnostics = std::move(diagnostics),
                       .log = error.log(),
                       .source = error.source(),
                       .options = error.options(),
                       .target = error.target(),
                       .compiler = error.compiler(),
                       .context = error.context()});
}

}  // namespace kiln::tool
