// What an error of kiln's says.
#pragma once

#include <string>

#include "kiln/error.hpp"

namespace kiln::test {

/// The text of the Error that `call` throws; "no error" where it throws none.
template <class Call>
std::string message(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace kiln::test
