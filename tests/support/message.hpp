// The text of an error, for tests of what messages say.
#pragma once

#include <exception>
#include <string>

#include "kiln/error.hpp"

namespace kiln::test {

/// Returns the text of the Exception that `call` throws, "no error" if it throws none, and the type's trouble if it throws
/// another.
template <class Exception = Error, class Call>
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

}  // namespace kiln::test
