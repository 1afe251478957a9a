// Reading .each and .group.
#include <algorithm>
#include <charconv>

#include "device/kernel_abi.hpp"
#include "gufunc/impl.hpp"
#include "kiln/error.hpp"
#include "signature/cursor.hpp"
#include "signature/reserved.hpp"

namespace kiln::gufunc {

namespace {

/// How often an output has the dimension, at most: (n)->(n,n) has an index for rows and one for columns.
std::int64_t most_in_an_output(const signature::Layout& layout, std::size_t dimension) {
  std::int64_t most = 0;
  for (const auto& output : layout.outputs) {
    most = std::max<std::int64_t>(most, std::count(output.begin(), output.end(), dimension));
  }
  return most;
}

}  // namespace

std::vector<Each> parse_each(std::string_view text, const signature::Layout& layout) {
  std::vector<Each> all;
  signature::Cursor cursor(text);
  cursor.skip_blanks();
  if (cursor.at_end()) return all;
  do {
    cursor.skip_blanks();
    const std::size_t at = cursor.position();
    Each each{.name = std::string(cursor.name()), .position = at};
    if (each.name.empty()) cursor.fail("expected the name of an index, as in \"i:m\"" + cursor.found());
    if (const char* why = signature::why_reserved(each.name)) {
      cursor.fail_at(at, "\"" + each.name + "\" cannot be an index's name: it is " + why);
    }
    cursor.expect(':', "between an index and its core dimension");
    cursor.skip_blanks();
    const std::size_t dimension_at = cursor.position();
    std::string_view dimension = cursor.name();
    if (dimension.empty()) {
      const std::string_view rest = cursor.rest();
      const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
      dimension = rest.substr(0, digits);
      cursor.advance(digits);
      while (dimension.size() > 1 && dimension.front() == '0') dimension.remove_prefix(1);
    }
    if (dimension.empty()) cursor.fail("expected a core dimension after ':'" + cursor.found());
    const auto found = layout.find(dimension);
    if (!found) {
      cursor.fail_at(dimension_at, "\"" + std::string(dimension) + "\" is no core dimension of the layout " + layout.text);
    }
    each.dimension = *found;
    std::int64_t before = 0;
    for (const Each& other : all) {
      if (other.name == each.name) cursor.fail_at(at, "the index \"" + each.name + "\" is named twice");
      before += other.dimension == each.dimension ? 1 : 0;
    }
    if (before > 0 && before >= most_in_an_output(layout, each.dimension)) {
      cursor.fail_at(dimension_at, "the core dimension \"" + std::string(dimension) + "\" has " + std::to_string(before + 1) +
                                       " indices, and no output has it as often");
    }
    all.push_back(std::move(each));
  } while (cursor.accept(','));
  cursor.skip_blanks();
  if (!cursor.at_end()) cursor.fail("expected ',' or the end of .each" + cursor.found());
  return all;
}

Group parse_group(const std::string& text) {
  constexpr int kWarp = 32;
  if (text.empty()) return {};
  if (text == "block") return {.teams = true};
  int lanes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), lanes);
  if (error == std::errc() && end == text.data() + text.size() && lanes >= kWarp && lanes <= backend::kGpuBlock &&
      lanes % kWarp == 0) {
    return {.teams = true, .lanes = lanes};
  }
  throw SignatureError("a group is \"block\" or a multiple of 32 up to 256, the number of threads that share an item", text, 0);
}

}  // namespace kiln::gufunc
