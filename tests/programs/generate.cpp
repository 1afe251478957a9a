// Programs of a seed.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <random>
#include <utility>

#include "program.hpp"

namespace programs {
namespace {

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

 private:
  std::mt19937_64 random_;
};

Expression literal(Type type, std::int64_t number) {
  Expression e{.op = Op::literal, .type = type, .value = {}, .of = {}};
  if (is_floating(type)) {
    e.value.real = static_cast<double>(number);
  } else {
    e.value.integer = number;
  }
  return e;
}
Expression made(Op op, Type type, std::vector<Expression> of, int index = 0) {
  return {.op = op, .type = type, .index = index, .value = {}, .of = std::move(of)};
}

/// Writes one function.
class Writer {
 public:
  Writer(Picks& picks, Program& program, Function& function, const std::vector<Type>& types)
      : picks_(picks), program_(program), function_(function), types_(types) {}

  void write(int statements) {
    const int variables = picks_.between(2, 4);
    for (int i = 0; i < variables; ++i) {
      add({.type = picks_.one_in(8) ? Type::boolean : picks_.of(types_), .initial = {}});
    }
    const int arrays = picks_.one_in(2) ? picks_.between(1, 2) : 0;
    for (int i = 0; i < arrays; ++i) {
      add({.type = picks_.of(types_),
           .length = 2 << picks_.below(4),
           .initial = {.integer = picks_.below(9)},
           .filled = picks_.one_in(2)});
    }
    for (int i = 0; std::cmp_less(i, function_.variables.size()); ++i) {
      if (i < function_.parameters || variable(i).length > 0) continue;
      Statement begin = of_kind(Statement::Kind::assign);
      begin.index = visible_ = i;  // of what has a value already
      begin.of = {expression(variable(i).type, 2)};
      function_.block.push_back(std::move(begin));
    }
    visible_ = kAll;
    const Place place{.statements = statements};
    for (Statement& each : block(place)) function_.block.push_back(std::move(each));
    if (!has_loop_) function_.block.push_back(loop(place));
    for (Statement& each : block({.statements = 2, .depth = kDeepest})) function_.block.push_back(std::move(each));
    end();
  }

 private:
  /// What was computed is in the results, as far as possible, or compilers would leave it out.
  void end() {
    const bool several = is_body() && program_.outputs.size() > 1;
    if (!several) {
      function_.end = sum_of_all(function_.result);
      return;
    }
    for (int i = 0; std::cmp_less(i, program_.outputs.size()); ++i) {
      Statement last = of_kind(Statement::Kind::assign);
      last.index = function_.parameters + i;
      last.of = {sum_of_all(program_.outputs[static_cast<std::size_t>(i)])};
      function_.block.push_back(std::move(last));
    }
  }

  Expression sum_of_all(Type type) {
    Expression sum = expression(type, 1);
    for (int i = 0; std::cmp_less(i, function_.variables.size()); ++i) {
      const Type own = variable(i).type;
      if (std::ranges::find(counters_, i) != counters_.end() && picks_.one_in(2)) continue;
      Expression one =
          variable(i).length == 0 ? made(Op::variable, own, {}, i) : made(Op::element, own, {leaf(integer_type())}, i);
      if (is_floating(own)) {
        // One that is no number would hide all others.
        const Expression fits = made(Op::less, Type::boolean, {made(Op::magnitude, own, {one}), literal(own, 1000000)});
        one = made(Op::select, own, {fits, one, literal(own, 3)});
      }
      if (own != type) one = made(Op::cast, type, {one});
      sum = made(Op::add, type, {sum, one});
    }
    return sum;
  }

  static constexpr int kDeepest = 3;
  struct Place {
    int statements;
    int depth = 0;    ///< of loops around
    int nesting = 0;  ///< of statements around
    bool in_loop = false;
    bool stops = false;  ///< whether something around it ends by `break`
  };

  int add(const Variable& variable) {
    function_.variables.push_back(variable);
    return static_cast<int>(function_.variables.size()) - 1;
  }
  [[nodiscard]] const Variable& variable(int index) const { return program_.variable(function_, index); }

  /// Scalars of a type; with those that count loops, or without.
  std::vector<int> scalars(Type type, bool counters) const {
    std::vector<int> found;
    for (int i = 0; std::cmp_less(i, function_.variables.size()); ++i) {
      const bool counts = std::ranges::find(counters_, i) != counters_.end();
      if (variable(i).length == 0 && variable(i).type == type && (counters || !counts) && i < visible_) found.push_back(i);
    }
    return found;
  }
  std::vector<int> arrays(bool tables) const {
    std::vector<int> found;
    for (int i = tables ? -static_cast<int>(program_.tables.size()) : 0;
         std::cmp_less(i, static_cast<int>(function_.variables.size())); ++i) {
      if (variable(i).length > 0) found.push_back(i);
    }
    return found;
  }

  Op one_of(const std::vector<Op>& ops) { return picks_.of(ops); }

  Type integer_type() {
    for (int i = 0; i < 4; ++i) {
      if (const Type type = picks_.of(types_); !is_floating(type)) return type;
    }
    return Type::i32;
  }

  Expression any_literal(Type type) {
    if (type == Type::boolean) return literal(type, picks_.below(2));
    if (is_floating(type)) {
      Expression e = literal(type, 0);
      const int kind = picks_.below(12);
      e.value.real = kind == 0 ? static_cast<double>(INFINITY) : picks_.between(-40, 40) / 4.0;
      return e;
    }
    const int kind = picks_.below(12);
    if (kind == 0 && type == Type::i32) return literal(type, picks_.one_in(2) ? INT32_MIN : INT32_MAX);
    if (kind == 0 && type == Type::i64) return literal(type, picks_.one_in(2) ? INT64_MIN : INT64_MAX);
    if (kind == 0 && type == Type::u32) return literal(type, UINT32_MAX);
    if (type == Type::u8) return literal(type, picks_.below(kind < 8 ? 16 : 256));
    if (type == Type::u32) return literal(type, picks_.below(kind < 8 ? 16 : 1000000));
    return literal(type, kind < 8 ? picks_.between(-3, 12) : picks_.between(-1000000, 1000000));
  }

  Expression leaf(Type type) {
    if (const std::vector<int> found = scalars(type, true); !found.empty() && picks_.percent(75)) {
      return made(Op::variable, type, {}, picks_.of(found));
    }
    // A number of another type, so that what a program computes depends on its inputs.
    const Type other = picks_.of(types_);
    if (const std::vector<int> found = scalars(other, true); other != type && !found.empty() && picks_.percent(60)) {
      return made(Op::cast, type, {made(Op::variable, other, {}, picks_.of(found))});
    }
    return any_literal(type);
  }

  Expression condition(int depth) {
    const int kind = picks_.below(20);
    // Often the same for all items.
    if (kind < 4 && !counters_.empty()) {
      const int counter = picks_.of(counters_);
      const Type type = variable(counter).type;
      const Op op = one_of({Op::less, Op::less, Op::equal, Op::not_equal});
      const Expression low = made(Op::bit_and, type, {made(Op::variable, type, {}, counter), literal(type, 7)});
      return made(op, Type::boolean, {low, literal(type, picks_.between(1, 5))});
    }
    if (depth <= 0 || kind < 2) return leaf(Type::boolean);
    if (kind < 15) {
      const Type type = picks_.of(types_);
      const Op op = one_of({Op::less, Op::less, Op::less_equal, Op::equal, Op::not_equal});
      return made(op, Type::boolean, {expression(type, depth - 1), expression(type, depth - 1)});
    }
    if (kind < 17) return made(Op::cast, Type::boolean, {expression(integer_type(), depth - 1)});
    if (kind == 17) return made(Op::logical_not, Type::boolean, {condition(depth - 1)});
    return made(kind == 18 ? Op::logical_and : Op::logical_or, Type::boolean, {condition(depth - 1), condition(depth - 1)});
  }

  std::optional<Expression> access(Type type, int depth) {
    std::vector<int> found;
    for (const int each : arrays(true)) {
      if (variable(each).type == type) found.push_back(each);
    }
    if (found.empty()) return std::nullopt;
    const int index = picks_.of(found);
    if (picks_.one_in(3)) return made(Op::guarded, type, {expression(integer_type(), depth - 1), leaf(type)}, index);
    return made(Op::element, type, {expression(integer_type(), depth - 1)}, index);
  }

  std::optional<Expression> call(Type type, int depth) {
    std::vector<int> found;
    for (int i = 0; std::cmp_less(i + 1, program_.functions.size()); ++i) {
      const Function& each = program_.functions[static_cast<std::size_t>(i)];
      if (&each == &function_) break;
      if (each.result == type) found.push_back(i);
    }
    if (found.empty()) return std::nullopt;
    const int index = picks_.of(found);
    std::vector<Expression> arguments;
    const Function& callee = program_.functions[static_cast<std::size_t>(index)];
    for (int i = 0; i < callee.parameters; ++i) {
      arguments.push_back(expression(callee.variables[static_cast<std::size_t>(i)].type, depth - 1));
    }
    return made(Op::call, type, std::move(arguments), index);
  }

  Expression expression(Type type, int depth) {
    if (type == Type::boolean) return condition(depth);
    if (depth <= 0 || picks_.one_in(5)) return leaf(type);
    // Each pick is a statement or an element of a list: arguments are evaluated in any order.
    const auto operand = [&] { return expression(type, depth - 1); };
    const auto two = [&](Op op) { return made(op, type, {operand(), operand()}); };
    const int kind = picks_.below(100);
    if (kind < 12) {
      if (std::optional<Expression> e = access(type, depth)) return *std::move(e);
    }
    if (kind < 18 || (kind < 50 && depth > 2)) {
      if (std::optional<Expression> e = call(type, depth)) return *std::move(e);
    }
    if (kind < 26) return made(Op::select, type, {condition(depth - 1), operand(), operand()});
    if (kind < 34) {
      const Type from = picks_.of(types_);
      if (from != type) return made(Op::cast, type, {expression(from, depth - 1)});
    }
    if (kind < 40) return two(one_of({Op::least, Op::greatest}));
    if (kind < 44) return made(Op::negate, type, {operand()});
    if (is_floating(type)) {
      if (kind < 50) return made(Op::square_root, type, {operand()});
      if (kind < 56) return made(Op::magnitude, type, {operand()});
      if (kind < 66) return made(Op::multiply_add, type, {operand(), operand(), operand()});
      return two(one_of({Op::add, Op::subtract, Op::multiply, Op::divide}));
    }
    if (kind < 47) return made(Op::invert, type, {operand()});
    if (kind < 54) {
      const Op op = one_of({Op::shift_left, Op::shift_right});
      return made(op, type, {operand(), expression(integer_type(), depth - 1)});
    }
    if (kind > 85 && (type == Type::i32 || type == Type::i64)) return two(one_of({Op::small_add, Op::small_multiply}));
    return two(one_of({Op::add, Op::add, Op::subtract, Op::subtract, Op::multiply, Op::divide, Op::remainder,
                       Op::checked_divide, Op::checked_remainder, Op::bit_and, Op::bit_or, Op::bit_xor}));
  }

  Block block(const Place& place) {
    Block made;
    for (int left = place.statements; left > 0; --left) {
      if (const int kind = picks_.below(100); kind < 14 && place.stops && place.depth > 0) {
        made.push_back(leaving(place));
      } else {
        made.push_back(statement(place));
      }
    }
    return made;
  }

  static Statement of_kind(Statement::Kind kind) { return {.kind = kind, .of = {}, .blocks = {}}; }

  /// `if (…) break;` and its like.
  Statement leaving(const Place& place) {
    Statement s = of_kind(Statement::Kind::branch);
    s.of = {condition(2)};
    Block way;
    if (picks_.one_in(3)) way.push_back(assignment());
    const int kind = picks_.below(10);
    if (kind < 2) {
      way.push_back(of_kind(Statement::Kind::leave));
      if (is_body() ? program_.outputs.size() == 1 : true) way.back().of = {expression(function_.result, 2)};
    } else {
      way.push_back(of_kind(kind < 6 && place.in_loop ? Statement::Kind::next : Statement::Kind::stop));
    }
    s.blocks = {way, {}};
    return s;
  }
  [[nodiscard]] bool is_body() const { return &function_ == &program_.functions.back(); }

  Statement assignment() {
    Statement s = of_kind(Statement::Kind::assign);
    const std::vector<int> into = arrays(false);
    if (!into.empty() && picks_.one_in(4)) {
      s.kind = Statement::Kind::store;
      s.index = picks_.of(into);
      s.of = {expression(integer_type(), 2), expression(variable(s.index).type, 2)};
      return s;
    }
    std::vector<int> all;
    for (const Type type : {Type::boolean, Type::u8, Type::i32, Type::u32, Type::i64, Type::f32, Type::f64}) {
      std::ranges::copy(scalars(type, false), std::back_inserter(all));
    }
    s.index = picks_.of(all);
    s.of = {expression(variable(s.index).type, 3)};
    return s;
  }

  Statement statement(const Place& place) {
    constexpr int kNested = 5;
    const int kind = picks_.below(100);
    if (place.nesting > kNested) return assignment();
    const Place inner{.statements = std::max(1, place.statements - 1 - picks_.below(2)),
                      .depth = place.depth,
                      .nesting = place.nesting + 1,
                      .in_loop = place.in_loop,
                      .stops = place.stops};
    if (kind < 22 && place.depth < kDeepest) return loop(place);
    if (kind < 44) {
      Statement s = of_kind(Statement::Kind::branch);
      s.of = {condition(3)};
      s.blocks = {block(inner), picks_.one_in(2) ? block(inner) : Block()};
      return s;
    }
    if (kind < 50) {
      Statement s = of_kind(Statement::Kind::choose);
      s.of = {expression(integer_type(), 2)};
      const int cases = 2 << picks_.below(2);
      Place of_case = inner;
      of_case.statements = picks_.between(1, 2);
      of_case.stops = true;
      for (int i = 0; i < cases; ++i) {
        const bool falls = picks_.one_in(3);
        s.number |= static_cast<std::int64_t>(falls) << i;
        s.blocks.push_back(falls && picks_.one_in(2) ? Block() : block(of_case));
      }
      return s;
    }
    return assignment();
  }

  Statement loop(const Place& place) {
    has_loop_ = true;
    const Place inner{.statements = std::max(1, place.statements - picks_.below(2)),
                      .depth = place.depth + 1,
                      .nesting = place.nesting + 1,
                      .in_loop = true,
                      .stops = true};
    const int most = place.depth == 0 ? 31 : place.depth == 1 ? 7 : 3;  // of iterations, about

    Statement s = of_kind(Statement::Kind::count);
    const int kind = picks_.below(10);
    const Type type = kind > 3 ? Type::i32 : picks_.of(std::vector<Type>{Type::i32, Type::i32, Type::i64, Type::u8, Type::u32});
    s.index = add({.type = type, .initial = {}});
    counters_.push_back(s.index);
    if (kind < 4) {
      const bool down = (type == Type::i32 || type == Type::i64) && picks_.one_in(4);
      s.number = down ? -picks_.between(1, 2) : picks_.between(1, 2);
      const Expression bound = picks_.one_in(3) ? literal(type, picks_.between(1, most))
                                                : made(Op::bit_and, type, {expression(type, 2), literal(type, most)});
      const Expression low = picks_.one_in(3) ? made(Op::bit_and, type, {leaf(type), literal(type, 3)}) : literal(type, 0);
      s.of = {low, bound};
    } else {
      s.kind = kind < 7 ? Statement::Kind::repeat : kind < 9 ? Statement::Kind::until : Statement::Kind::forever;
      s.number = picks_.between(1, most);
      if (s.kind != Statement::Kind::forever) s.of = {condition(3)};
    }
    s.blocks = {block(inner)};
    return s;
  }

  Picks& picks_;
  Program& program_;
  Function& function_;
  const std::vector<Type>& types_;
  static constexpr int kAll = 1000000;
  int visible_ = kAll;  ///< scalars in front of this one may be read
  std::vector<int> counters_;
  bool has_loop_ = false;
};

}  // namespace

Program generate(std::uint64_t seed) {
  Picks picks(seed);
  Program program;
  std::vector<Type> types;
  const int kinds = picks.between(1, 3);
  for (int i = 0; i < kinds; ++i) {
    types.push_back(
        picks.of(std::vector<Type>{Type::u8, Type::i32, Type::i32, Type::u32, Type::i64, Type::f32, Type::f32, Type::f64}));
  }
  const int tables = picks.one_in(3) ? 1 : 0;
  for (int i = 0; i < tables; ++i) {
    program.tables.push_back({.type = picks.of(types), .length = 4 << picks.below(4), .initial = {.integer = picks.below(40)}});
  }
  const int helpers = picks.one_in(2) ? picks.between(1, 2) : 0;
  program.functions.resize(static_cast<std::size_t>(helpers) + 1);
  program.outputs.push_back(picks.of(types));
  if (picks.one_in(4)) program.outputs.push_back(picks.of(types));
  for (int i = 0; i <= helpers; ++i) {
    Function& function = program.functions[static_cast<std::size_t>(i)];
    const bool body = i == helpers;
    function.parameters = picks.between(1, 3);
    for (int k = 0; k < function.parameters; ++k) function.variables.push_back({.type = picks.of(types), .initial = {}});
    function.result = body ? program.outputs[0] : picks.of(types);
    function.called = !body && picks.one_in(3);
    if (body && program.outputs.size() > 1) {
      for (const Type type : program.outputs) function.variables.push_back({.type = type, .initial = {}});
    }
    Writer(picks, program, function, types).write(body ? picks.between(2, 4) : picks.between(1, 2));
  }
  return program;
}

}  // namespace programs
