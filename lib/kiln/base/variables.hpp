// The environment variables that kiln reads: one table. `kiln environment`, docs/environment.md and the manual pages are made
// of it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::base {

struct Variable {
  std::string_view name;
  std::string_view values;     ///< what it may be
  std::string_view otherwise;  ///< what holds where it is not set, or empty
  std::string_view effect;     ///< a short sentence, and further ones
  std::string_view page;       ///< where docs/ has more, "cache.md#bundles"; empty: nowhere
};
struct VariableGroup {
  std::string_view subject;
  std::span<const Variable> variables;
};
[[nodiscard]] std::span<const VariableGroup> variable_groups() noexcept;

/// Returns the variable of kiln's whose name is near, with or without KILN_; empty where none is.
[[nodiscard]] std::string_view near_variable(std::string_view name);

struct Misspelled {
  std::string name;
  std::string_view meant;
};
/// Returns the variables of this process that begin with KILN_, that kiln does not read, and whose names are near to one that
/// it reads. Others are somebody else's. Safe beside readers of the environment, not beside setenv.
[[nodiscard]] std::vector<Misspelled> misspelled_variables();
/// Reports each of them by tell_line, once in a process.
void tell_misspelled_variables() noexcept;

}  // namespace kiln::base
