// One function of a program as C++.
#pragma once

#include <algorithm>
#include <string>

#include "program.hpp"

namespace programs {

/// Its statements, without what stands around them.
[[nodiscard]] std::string text_of(const Program& program, const Function& function);

/// Whether anything in it is an expression or statement of that kind.
template <class Is>
bool any(const Expression& e, const Is& is) {
  return is(e) || std::ranges::any_of(e.of, [&](const Expression& each) { return any(each, is); });
}
template <class Is>
bool any(const Block& block, const Is& is) {
  return std::ranges::any_of(block, [&](const Statement& s) {
    return is(s) || std::ranges::any_of(s.of, [&](const Expression& e) { return any(e, is); }) ||
           std::ranges::any_of(s.blocks, [&](const Block& each) { return any(each, is); });
  });
}

}  // namespace programs
