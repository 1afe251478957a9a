// The embedded headers as a map.
#include "source/embedded.hpp"

#include <map>
#include <string>

#include "source/user_text.hpp"

namespace kiln::codegen {

const std::map<std::string, std::string>& embedded_headers() {
  // Never destroyed: kernels may be built from destructors of other statics.
  static const auto& headers = *new std::map<std::string, std::string>([] {  // NOLINT(cppcoreguidelines-owning-memory)
    std::map<std::string, std::string> map;
    for (const EmbeddedHeader& header : embedded_texts()) {
      map.emplace(header.name, header.text);
    }
    return map;
  }());
  return headers;
}

bool is_embedded(const std::string& name, const std::string& text) {
  const auto known = embedded_headers().find(name);
  return known != embedded_headers().end() && known->second == text;
}

}  // namespace kiln::codegen
