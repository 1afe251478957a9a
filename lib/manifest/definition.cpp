#include "manifest/definition.hpp"

#include "kiln/error.hpp"
#include "ufunc/impl.hpp"

namespace kiln::manifest {

std::string read_text(const Node& node) {
  std::string text = node.text();
  if (text.empty()) node.fail("an empty text");
  return text;
}

std::string read_name(const Node& node) {
  std::string name = node.word();
  try {
    detail::check_name(name);
  } catch (const SignatureError& error) {
    node.fail(error.what());
  }
  return name;
}

}  // namespace kiln::manifest
