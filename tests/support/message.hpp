// The text of an error, for tests of what messages say.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <typeinfo>

namespace kiln::test {

/// Returns the text of the Exception that `call` throws, "no error" if it throws none, and the type's trouble if it throws
/// another.
template <class Exception, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Exception& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("an exception of another type: ") + error.what();
  }
  return "no error";
}

/// The same for any exception of kiln's. The type is told by its name, so that tests of messages do not depend on
/// kiln/error.hpp.
template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const std::exception& error) {
    if (std::string_view(typeid(error).name()).starts_with("N4kiln")) return error.what();
    return std::string("an exception of another type: ") + error.what();
  }
  return "no error";
}

}  // namespace kiln::test
