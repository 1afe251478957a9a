#include "manifest/definition.hpp"

namespace kiln::manifest {

std::string read_text(const Node& node) {
  std::string text = node.text();
  if (text.empty()) node.fail("an empty text");
  return text;
}

std::string read_name(const Node& node) {
  std::string name = read_text(node);
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) node.fail("a control character; names appear in messages");
  }
  return name;
}

}  // namespace kiln::manifest
