// Arithmetic of programs, by C++'s rules and kiln's: one operation at a time.
#pragma once

#include "program.hpp"

namespace programs {

/// As a value of the type has it: integers modulo its width.
[[nodiscard]] Value integer(Type type, std::uint64_t number);
[[nodiscard]] Value real(Type type, double number);
/// What memory of the type `to` has for a value of the type `from`: rounded once.
[[nodiscard]] Value assigned(Type to, Type from, const Value& value);
/// The element of an array before anything is stored in it.
[[nodiscard]] Value initial(const Variable& array, std::size_t at);
[[nodiscard]] Value cast(Type to, Type from, Value value);
/// The operation of an expression on numbers of its type.
[[nodiscard]] Value floating(const Expression& e, double a, double b);
[[nodiscard]] Value whole(const Expression& e, std::int64_t a, std::int64_t b);
[[nodiscard]] bool compares(Op op, Type type, const Value& a, const Value& b);

}  // namespace programs
