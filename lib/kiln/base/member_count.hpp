// The number of members of an aggregate, at compile time. A table of its members that misses one does not compile.
#pragma once

#include <cstddef>

namespace kiln::base {

/// Converts to a value of any type; never evaluated.
struct AnyValue {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor): it stands for an initializer
};

/// Members of an aggregate without bases and arrays.
template <class Aggregate, class... Values>
consteval std::size_t member_count() {
  if constexpr (requires { Aggregate{Values{}..., AnyValue{}}; }) {
    return member_count<Aggregate, Values..., AnyValue>();
  } else {
    return sizeof...(Values);
  }
}

}  // namespace kiln::base
