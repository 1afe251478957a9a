// The members of an accumulator, read from their declarations. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kiln/dtype.hpp"

namespace kiln::reduce {

struct Member {
  std::string type;
  std::string name;
};

/// "float64 n, mean; T best;" as a list. Nothing where the text declares more than plain members, such as arrays, initializers
/// or functions.
[[nodiscard]] std::optional<std::vector<Member>> members_of(std::string_view text);

/// The dtype of a member's type; nothing where it is none. `variables` are types, too.
[[nodiscard]] std::optional<DType> dtype_of(const std::string& type, std::span<const std::pair<std::string, DType>> variables);

/// sizeof of a struct of them on any target; nothing where a type is none that kiln has a name for. `variables` are types, too.
[[nodiscard]] std::optional<int> size_of(std::span<const Member> members,
                                         std::span<const std::pair<std::string, DType>> variables);

}  // namespace kiln::reduce
