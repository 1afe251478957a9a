// The library's messages name what mends a call as C++ writes it: these are the words of `kiln eval` for that.
#pragma once

#include <string>
#include <string_view>

#include "kiln/error.hpp"
#include "kiln/explain.hpp"

namespace kiln::tool {

/// The message of a kiln::Error with the names of `kiln eval`'s options for those of the library: ".where" is "--where". Advice
/// that only a program can follow goes. What stands in quotes, and below the first line, stays: it is the user's.
[[nodiscard]] std::string in_option_words(std::string_view message);
/// An error in other words, of the same kind.
class Reworded : public Error {
 public:
  explicit Reworded(const Error& error) : Error(in_option_words(error.what())), topic_(&explain(error)) {}
  [[nodiscard]] const ErrorTopic& topic() const noexcept { return *topic_; }

 private:
  const ErrorTopic* topic_;
};

/// The same of what each diagnostic says.
[[nodiscard]] CompileError in_option_words(const CompileError& error);

}  // namespace kiln::tool
