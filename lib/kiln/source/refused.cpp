#include "source/refused.hpp"

#include <algorithm>
#include <charconv>

#include "source/user_text.hpp"

namespace kiln::codegen {

std::optional<std::string> reason_of_refusal(std::string_view text) {
  constexpr std::string_view kDeclared = "(declared at line ";
  constexpr std::string_view kMark = "KILN_REFUSED(\"";
  const std::size_t declared = text.find(kDeclared);
  if (declared == std::string_view::npos || text.find("it is a deleted function") == std::string_view::npos)
    return std::nullopt;
  std::string_view place = text.substr(declared + kDeclared.size());
  place = place.substr(0, place.find(')'));
  const std::size_t of = place.find(" of ");
  if (of == std::string_view::npos) return std::nullopt;
  int line = 0;
  std::from_chars(place.data(), place.data() + of, line);
  const auto header = embedded_headers().find(std::string(place.substr(of + 4)));
  if (header == embedded_headers().end()) return std::nullopt;
  std::string_view rest = header->second;
  while (--line > 0) rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  const std::size_t mark = rest.find(kMark);
  if (mark == std::string_view::npos || mark > rest.find(';')) return std::nullopt;
  rest.remove_prefix(mark + kMark.size());
  return std::string(rest.substr(0, rest.find("\");")));
}

}  // namespace kiln::codegen
