#include "expressions.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace programs {

Expression literal(Type type, std::int64_t number) {
  Expression e{.op = Op::literal, .type = type, .value = {}, .of = {}};
  if (is_floating(type)) {
    e.value.real = static_cast<double>(number);
  } else {
    e.value.integer = number;
  }
  return e;
}
Expression made(Op op, Type type, std::vector<Expression> of, int index) {
  return {.op = op, .type = type, .index = index, .value = {}, .of = std::move(of)};
}

std::vector<int> Expressions::scalars(Type type, bool counters) const {
  std::vector<int> found;
  for (int i = 0; std::cmp_less(i, function_.variables.size()); ++i) {
    const Variable& each = variable(i);
    if (each.length > 0 || each.view || each.type != type || i >= visible_) continue;
    const bool inside = std::ranges::any_of(walks_, [&](const Walk& walk) { return walk.counter == i; });
    const bool counts = each.walks || std::ranges::find(counters_, i) != counters_.end();
    if (counts && !(counters && (!each.walks || inside))) continue;
    found.push_back(i);
  }
  return found;
}
std::vector<int> Expressions::counters() const {
  std::vector<int> found = counters_;
  for (const Walk& walk : walks_) found.push_back(walk.counter);
  return found;
}
std::vector<int> Expressions::views(std::optional<Type> type) const {
  std::vector<int> found;
  for (int i = 0; std::cmp_less(i, function_.variables.size()) && i < visible_views_; ++i) {
    if (variable(i).view && (!type || variable(i).type == *type)) found.push_back(i);
  }
  return found;
}
std::vector<int> Expressions::arrays(bool tables) const {
  std::vector<int> found;
  for (int i = tables ? -static_cast<int>(program_.tables.size()) : 0;
       std::cmp_less(i, static_cast<int>(function_.variables.size())); ++i) {
    if (variable(i).length > 0) found.push_back(i);
  }
  return found;
}

Type Expressions::integer_type() {
  for (int i = 0; i < 4; ++i) {
    if (const Type type = picks_.of(types_); !is_floating(type)) return type;
  }
  return Type::i32;
}

Expression Expressions::any_literal(Type type) {
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
  if (kind == 0 && type == Type::i8) return literal(type, picks_.one_in(2) ? INT8_MIN : INT8_MAX);
  if (kind == 0 && type == Type::i16) return literal(type, picks_.one_in(2) ? INT16_MIN : INT16_MAX);
  if (type == Type::u8) return literal(type, picks_.below(kind < 8 ? 16 : 256));
  if (type == Type::u16) return literal(type, picks_.below(kind < 8 ? 16 : 65536));
  if (type == Type::i8) return literal(type, kind < 8 ? picks_.between(-3, 12) : picks_.between(-128, 127));
  if (type == Type::i16) return literal(type, kind < 8 ? picks_.between(-3, 12) : picks_.between(-32768, 32767));
  if (type == Type::u32) return literal(type, picks_.below(kind < 8 ? 16 : 1000000));
  return literal(type, kind < 8 ? picks_.between(-3, 12) : picks_.between(-1000000, 1000000));
}

Expression Expressions::leaf(Type type) {
  if (has_views() && picks_.one_in(4)) {
    if (std::optional<Expression> e = view(type, 0)) return *std::move(e);
  }
  if (has_views() && type == Type::i32 && picks_.one_in(8)) return made(Op::extent, type, {});
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

Expression Expressions::condition(int depth) {
  const int kind = picks_.below(20);
  // Often the same for all items.
  if (const std::vector<int> all = counters(); kind < 4 && !all.empty()) {
    const int counter = picks_.of(all);
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

std::optional<Expression> Expressions::access(Type type, int depth) {
  std::vector<int> found;
  for (const int each : arrays(true)) {
    if (variable(each).type == type) found.push_back(each);
  }
  if (found.empty()) return std::nullopt;
  const int index = picks_.of(found);
  if (picks_.one_in(3)) return made(Op::guarded, type, {expression(integer_type(), depth - 1), leaf(type)}, index);
  return made(Op::element, type, {expression(integer_type(), depth - 1)}, index);
}

Expressions::Access Expressions::any_access(int depth) {
  if (!walks_.empty() && picks_.percent(70)) {
    const Walk& walk = picks_.of(walks_);
    Place place{.kind = picks_.one_in(6) ? Place::Kind::mirror : Place::Kind::walk};
    if (walk.first > 0 && picks_.one_in(2)) place.before = picks_.between(1, walk.first);
    return {place, made(Op::variable, Type::i32, {}, walk.counter)};
  }
  if (picks_.one_in(3)) return {{}, literal(Type::i32, picks_.below(100))};
  return {{}, expression(integer_type(), depth - 1)};
}

std::optional<Expression> Expressions::view(Type type, int depth) {
  const std::vector<int> found = views(type);
  if (found.empty()) return std::nullopt;
  const int index = picks_.of(found);
  Access access = any_access(depth);
  Expression e = made(Op::view, type, {std::move(access.index)}, index);
  e.place = access.place;
  return e;
}

std::vector<Expression> Expressions::arguments(const Function& callee, int depth) {
  std::vector<Expression> all;
  for (int i = 0; i < callee.parameters; ++i)
    all.push_back(expression(callee.variables[static_cast<std::size_t>(i)].type, depth - 1));
  return all;
}

std::optional<Expression> Expressions::call_through(Type type, int depth) {
  std::vector<int> found;
  for (int i = 0; std::cmp_less(i, program_.pointers.size()); ++i) {
    const int first = program_.pointers[static_cast<std::size_t>(i)][0];
    if (program_.functions[static_cast<std::size_t>(first)].result == type) found.push_back(i);
  }
  if (found.empty()) return std::nullopt;
  const int index = picks_.of(found);
  const int first = program_.pointers[static_cast<std::size_t>(index)][0];
  Expression e = made(Op::call_through, type, {expression(integer_type(), depth - 1)}, index);
  e.value.integer = picks_.below(2);
  for (Expression& each : arguments(program_.functions[static_cast<std::size_t>(first)], depth))
    e.of.push_back(std::move(each));
  return e;
}

std::optional<Expression> Expressions::call(Type type, int depth) {
  std::vector<int> found;
  for (int i = 0; std::cmp_less(i + 1, program_.functions.size()); ++i) {
    const Function& each = program_.functions[static_cast<std::size_t>(i)];
    if (&each == &function_) break;
    if (each.result == type) found.push_back(i);
  }
  if (found.empty()) return std::nullopt;
  const int index = picks_.of(found);
  return made(Op::call, type, arguments(program_.functions[static_cast<std::size_t>(index)], depth), index);
}

Expression Expressions::expression(Type type, int depth) {
  if (type == Type::boolean) return condition(depth);
  if (depth <= 0 || picks_.one_in(5)) return leaf(type);
  // Each pick is a statement or an element of a list: arguments are evaluated in any order.
  const auto operand = [&] { return expression(type, depth - 1); };
  const auto two = [&](Op op) { return made(op, type, {operand(), operand()}); };
  const int kind = picks_.below(100);
  if (kind < 12) {
    if (std::optional<Expression> e = access(type, depth)) return *std::move(e);
  }
  if (has_views() && kind < 24) {
    if (std::optional<Expression> e = view(type, depth)) return *std::move(e);
  }
  if (kind < 24 || (kind < 40 && depth > 2)) {
    if (std::optional<Expression> e = call_through(type, depth)) return *std::move(e);
  }
  if (kind < 18 || (kind < 50 && depth > 2)) {
    if (std::optional<Expression> e = call(type, depth)) return *std::move(e);
  }
  if (kind < 26) return made(Op::select, type, {condition(depth - 1), operand(), operand()});
  if (kind < 34) {
    const Type from = picks_.of(types_);
    if (from != type) return made(Op::cast, type, {expression(from, depth - 1)});
  }
  if (kind < 40) {
    const Op op = one_of({Op::least, Op::greatest});
    if (!is_floating(type)) return two(op);
    // LLVM 19 takes max(c, max(x, c)) for max(x, c), which is NaN where x is: here no two have the same first operand.
    Expression first = made(Op::add, type, {operand(), literal(type, picks_.distinct())});
    return made(op, type, {std::move(first), operand()});
  }
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
  return two(one_of({Op::add, Op::add, Op::subtract, Op::subtract, Op::multiply, Op::divide, Op::remainder, Op::checked_divide,
                     Op::checked_remainder, Op::bit_and, Op::bit_or, Op::bit_xor}));
}

Expression Expressions::sum_of_all(Type type) {
  Expression sum = expression(type, 1);
  for (int i = 0; std::cmp_less(i, function_.variables.size()); ++i) {
    const Type own = variable(i).type;
    if (variable(i).view || variable(i).walks) continue;
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

}  // namespace programs
