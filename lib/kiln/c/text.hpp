// Strings and bytes across the C interface.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "c/handle.hpp"
#include "kiln/c/kiln.h"

struct kiln_text : kiln::c::Handle {
  static constexpr kiln::c::Tag kTag = kiln::c::Tag::text;
  explicit kiln_text(std::string text) : Handle(kTag), bytes(std::move(text)) {}
  std::string bytes;
};

namespace kiln::c {

/// Returns a copy of a caller's string. Throws ArgumentError for NULL and an impossible length, SignatureError for a NUL
/// inside.
[[nodiscard]] std::string string_of(const char* text, std::size_t length, const char* parameter);
/// Returns a copy of a string that a NUL ends. Throws ArgumentError for NULL.
[[nodiscard]] inline std::string string_of(const char* text, const char* parameter) {
  return string_of(text, KILN_NUL, parameter);
}

/// Throws ArgumentError if a pointer to an output is NULL. Returns it, set to `value`.
template <class T>
T& output(T* pointer, const char* parameter, T value = T{});

[[noreturn]] void fail_null(const char* parameter);

template <class T>
T& output(T* pointer, const char* parameter, T value) {
  if (pointer == nullptr) fail_null(parameter);
  return *pointer = value;
}

}  // namespace kiln::c
