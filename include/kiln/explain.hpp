// Explanations of errors: causes and remedies, by short codes. `kiln explain` prints them, and docs/errors.md lists them.
#pragma once

#include <exception>
#include <span>
#include <string_view>

#include "kiln/export.hpp"

namespace kiln {

/// A kind of error.
struct ErrorTopic {
  std::string_view code;       ///< short name: "broadcast"
  std::string_view exception;  ///< class of the exceptions: "ShapeError"
  std::string_view title;      ///< the error in a few words
  std::string_view cause;      ///< the condition that it is thrown on
  std::string_view remedy;     ///< advice on how to avoid it
  std::string_view example;    ///< a message
};

/// Returns all kinds of errors, by code. Thread-safe, like all functions here.
[[nodiscard]] KILN_API std::span<const ErrorTopic> error_topics() noexcept;

/// Returns the kind of error of a code. Throws TypeError, with the nearest code, for an unknown one.
[[nodiscard]] KILN_API const ErrorTopic& explain(std::string_view code);

/// Returns the kind of an exception: "internal" for exceptions that are not kiln's.
[[nodiscard]] KILN_API const ErrorTopic& explain(const std::exception& error) noexcept;

}  // namespace kiln
