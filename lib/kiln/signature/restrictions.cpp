#include "signature/restrictions.hpp"
#include "kiln/error.hpp"

#include <algorithm>
#include <string>

namespace kiln::signature {
namespace {

// Reads "float32, float64" and gives whether another variable follows: ", U: …".
bool read_choices(Cursor& cursor, TypeVariable& variable) {
  while (true) {
    cursor.skip_blanks();
    const std::size_t at = cursor.position();
    const std::string_view name = cursor.name();
    if (name.empty()) cursor.fail("expected a dtype" + cursor.found());
    DType choice{};
    try {
      choice = dtype_from_name(name);
    } catch (const TypeError& error) {
      cursor.fail_at(at, error.what());
    }
    if (std::find(variable.choices.begin(), variable.choices.end(), choice) != variable.choices.end()) {
      cursor.fail_at(at, "\"" + std::string(name) + "\" is listed twice");
    }
    variable.choices.push_back(choice);
    if (!cursor.accept(',')) return false;
    Cursor ahead = cursor;
    if (!ahead.name().empty() && ahead.accept(':')) return true;
  }
}

}  // namespace

void read_restrictions(Cursor& cursor, std::vector<TypeVariable>& variables) {
  Cursor ahead = cursor;
  if (ahead.name() != "where") return;
  cursor = ahead;
  bool more = true;
  while (more) {
    cursor.skip_blanks();
    const std::size_t at = cursor.position();
    const std::string_view name = cursor.name();
    if (name.empty()) cursor.fail("expected a type variable after \"where\"" + cursor.found());
    const auto found =
        std::find_if(variables.begin(), variables.end(), [&](const TypeVariable& variable) { return variable.name == name; });
    if (found == variables.end()) {
      cursor.fail_at(at, "\"" + std::string(name) + "\" is restricted but not used as a type");
    }
    if (!found->choices.empty()) cursor.fail_at(at, "\"" + std::string(name) + "\" is restricted twice");
    cursor.expect(':', "after the type variable");
    more = read_choices(cursor, *found);
  }
}

}  // namespace kiln::signature
