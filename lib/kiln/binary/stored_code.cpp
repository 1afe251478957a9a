#include "binary/stored_code.hpp"

#include "kiln/error.hpp"

namespace kiln::backend {

std::string_view short_name(std::string_view target) noexcept {
  return target.substr(0, target.find(' '));
}

void refuse_damaged(const StoredCode& code, const std::string& why) {
  throw IoError("the machine code of \"" + code.name + "\" for " + std::string(short_name(code.target)) +
                " is damaged: " + why);
}

}  // namespace kiln::backend
