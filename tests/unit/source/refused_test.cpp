#include "source/refused.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "source/user_text.hpp"

using kiln::codegen::reason_of_refusal;

namespace {

/// NVRTC's error about the function of the header that `words` stand in.
std::string error_about(const std::string& header, const std::string& words) {
  const std::string& text = kiln::codegen::embedded_headers().at(header);
  const std::size_t at = text.find(words);
  REQUIRE(at != std::string::npos);
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  return "function \"kiln::f() [with E=kiln::operands::element_of_x]\" (declared at line " + std::to_string(line) + " of " +
         header + ") cannot be referenced -- it is a deleted function";
}

}  // namespace

TEST_CASE("refused: the header says why") {
  CHECK(reason_of_refusal(error_about("kiln/core/view.hpp", "operator()(index_is_no_integer...)")) ==
        "the index is no integer; cut off its fraction: index(x)");
  CHECK(reason_of_refusal(error_about("kiln/core/view.hpp", "operator()(wrong_number_of_indices...)")) ==
        "the number of indices is not that of the operand's dimensions");
  CHECK(reason_of_refusal(error_about("kiln/core/assertions.hpp", "void print(const char*, const only_in_debug_mode&...)")) ==
        "print() needs .compile = {.debug = {.on = true}}, or KILN_DEBUG=1");
}

TEST_CASE("refused: other errors have no reason of kiln's") {
  CHECK(!reason_of_refusal(error_about("kiln/core/reference.hpp", "operator value() const& = delete")));
  CHECK(!reason_of_refusal(
      "function \"f\" (declared at line 3 of f.functions) cannot be referenced -- it is a deleted function"));
  CHECK(!reason_of_refusal("function \"f\" (declared at line 99999 of kiln/core/view.hpp): it is a deleted function"));
  CHECK(!reason_of_refusal("function \"f\" (declared at line : it is a deleted function"));
  CHECK(!reason_of_refusal("expected a \";\""));
}
