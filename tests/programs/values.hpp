// Values of programs in memory and for people.
#pragma once

#include <kiln/array.hpp>
#include <random>
#include <string>
#include <vector>

#include "program.hpp"

namespace programs {

using Random = std::mt19937_64;

[[nodiscard]] kiln::DType dtype(Type type);
/// The type is one of memory.
void write(Type type, const Value& value, char* to);
[[nodiscard]] Value read(Type type, const char* from);
/// Any NaN is like any other.
[[nodiscard]] bool same(Type type, const Value& a, const Value& b);
[[nodiscard]] std::string print(Type type, const Value& value);
/// An input's value: small ones and the ends of a type's range are likely.
[[nodiscard]] Value any_value(Type type, Random& random);
/// The first `size` values, and zeros behind them up to `length`.
[[nodiscard]] kiln::Array array(Type type, const std::vector<Value>& values, std::size_t size, std::size_t length = 0);

}  // namespace programs
