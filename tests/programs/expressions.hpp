// Expressions of random programs.
#pragma once

#include <optional>
#include <random>
#include <vector>

#include "program.hpp"

namespace programs {

/// Picks that mean the same on every machine: the standard's distributions do not.
class Picks {
 public:
  explicit Picks(std::uint64_t seed) : random_(seed) {}
  /// Below `count`.
  int below(int count) { return static_cast<int>(random_() >> 33U) % count; }
  int between(int first, int last) { return first + below(last - first + 1); }
  bool one_in(int count) { return below(count) == 0; }
  bool percent(int of_hundred) { return below(100) < of_hundred; }
  template <class T>
  const T& of(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(below(static_cast<int>(list.size())))];
  }

  /// Another number each time.
  int distinct() { return ++distinct_; }

 private:
  std::mt19937_64 random_;
  int distinct_ = 64;
};

/// An expression of any operation but a literal.
[[nodiscard]] Expression made(Op op, Type type, std::vector<Expression> of, int index = 0);
[[nodiscard]] Expression literal(Type type, std::int64_t number);

/// Makes expressions of what a function can see. Picks come in a certain order: none stands beside another among the arguments
/// of one call, which are evaluated in any order.
class Expressions {
 protected:
  Expressions(Picks& picks, Program& program, Function& function, const std::vector<Type>& types)
      : picks_(picks), program_(program), function_(function), types_(types) {}

  [[nodiscard]] bool is_body() const { return &function_ == &program_.functions.back(); }
  [[nodiscard]] bool has_views() const { return is_body() && program_.kind != Program::Kind::elementwise; }
  [[nodiscard]] const Variable& variable(int index) const { return program_.variable(function_, index); }
  /// Scalars of a type; with those that count loops, or without.
  [[nodiscard]] std::vector<int> scalars(Type type, bool counters) const;
  /// Counters of loops that may be read here.
  [[nodiscard]] std::vector<int> counters() const;
  [[nodiscard]] std::vector<int> views(std::optional<Type> type) const;
  /// Which element of a view, and what it is counted from.
  struct Access {
    Place place;
    Expression index;
  };
  Access any_access(int depth);
  /// Arrays, with the constant ones or without.
  [[nodiscard]] std::vector<int> arrays(bool tables) const;
  /// One of the program's; int32 where it has floats alone.
  Type integer_type();
  Expression leaf(Type type);
  Expression condition(int depth);
  Expression expression(Type type, int depth);
  /// Of all variables.
  Expression sum_of_all(Type type);

  static constexpr int kAll = 1000000;
  Picks& picks_;
  Program& program_;
  Function& function_;
  const std::vector<Type>& types_;
  std::vector<int> counters_;  ///< variables that count loops
  /// A walk around: its counter, and what that begins with.
  struct Walk {
    int counter;
    int first;
  };
  std::vector<Walk> walks_;
  int visible_ = kAll;        ///< scalars in front of this one may be read
  int visible_views_ = kAll;  ///< views likewise

 private:
  Op one_of(const std::vector<Op>& ops) { return picks_.of(ops); }
  Expression any_literal(Type type);
  std::optional<Expression> access(Type type, int depth);
  std::optional<Expression> view(Type type, int depth);
  std::vector<Expression> arguments(const Function& callee, int depth);
  std::optional<Expression> call(Type type, int depth);
  std::optional<Expression> call_through(Type type, int depth);
};

}  // namespace programs
