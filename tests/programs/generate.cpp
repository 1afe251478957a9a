// Programs of a seed.
#include <algorithm>
#include <iterator>
#include <utility>

#include "expressions.hpp"

namespace programs {
namespace {

/// Writes one function.
class Writer : Expressions {
 public:
  Writer(Picks& picks, Program& program, Function& function, const std::vector<Type>& types)
      : Expressions(picks, program, function, types) {}

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
