#include "c/text.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

#include "c/argument_error.hpp"
#include "kiln/version.hpp"

namespace kiln::c {

void fail_null(const char* parameter) {
  throw ArgumentError(fmt::format("{} is NULL", parameter), parameter);
}

std::string string_of(const char* text, std::size_t length, const char* parameter) {
  if (text == nullptr) fail_null(parameter);
  if (length == KILN_NUL) return text;
  if (length > std::size_t{PTRDIFF_MAX}) {
    throw ArgumentError(
        fmt::format("{}: a length of {} bytes; KILN_NUL stands for a string that a NUL ends", parameter, length), parameter);
  }
  std::string copy(text, length);
  if (const std::size_t nul = copy.find('\0'); nul != std::string::npos) {
    fail_signature(fmt::format("{} has a NUL inside", parameter), copy.substr(0, nul), nul);
  }
  return copy;
}

}  // namespace kiln::c

uint32_t kiln_version(void) noexcept {
  return KILN_VERSION_MAJOR * 1000000 + KILN_VERSION_MINOR * 1000 + KILN_VERSION_PATCH;
}

const char* kiln_text_data(const kiln_text* text, size_t* length) noexcept {
  const bool valid = text != nullptr && text->tag.load(std::memory_order_relaxed) == kiln_text::kTag;
  if (length != nullptr) *length = valid ? text->bytes.size() : 0;
  return valid ? text->bytes.c_str() : "";
}

void kiln_text_release(kiln_text* text) noexcept {
  kiln::c::release(text);
}
