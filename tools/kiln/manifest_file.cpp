#include "manifest_file.hpp"

#include "kernel_text.hpp"
#include "operand.hpp"

namespace kiln::tool {

Manifest read_manifest(const std::string& path) {
  return is_standard_stream(path) ? Manifest::parse(read_text_file(path), "standard input") : Manifest::read(path);
}

}  // namespace kiln::tool
