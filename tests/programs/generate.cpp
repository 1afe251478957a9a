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
           .length = 2 << picks_.below(picks_.one_in(4) ? 6 : 4),
           .initial = {.integer = picks_.below(9)},
           .filled = picks_.one_in(2)});
    }
    if (has_views()) begin_views();
    for (int i = 0; std::cmp_less(i, function_.variables.size()); ++i) {
      const Variable& each = variable(i);
      if (i < function_.parameters || each.length > 0 || each.view || each.walks) continue;
      Statement begin = of_kind(Statement::Kind::assign);
      begin.index = visible_ = i;  // of what has a value already
      begin.of = {expression(variable(i).type, 2)};
      function_.block.push_back(std::move(begin));
    }
    visible_ = kAll;
    const Scope scope{.statements = statements};
    for (Statement& each : block(scope)) function_.block.push_back(std::move(each));
    if (!has_loop_) function_.block.push_back(has_views() ? walk(scope) : loop(scope));
    for (Statement& each : block({.statements = 2, .depth = deepest()})) function_.block.push_back(std::move(each));
    end();
  }

 private:
  /// An output holds nothing before it is written.
  void begin_views() {
    if (program_.kind == Program::Kind::each) {
      walks_.push_back({function_.parameters, 0});
      return;
    }
    visible_ = visible_views_ = function_.parameters;
    Statement all = of_kind(Statement::Kind::walk);
    all.index = add({.type = Type::i32, .initial = {}, .walks = true});
    const Expression at = made(Op::variable, Type::i32, {}, all.index);
    walks_.push_back({all.index, 0});
    Block stores;
    for (int i = 0; std::cmp_less(i + 1, program_.outputs.size()); ++i) {
      Statement one = of_kind(Statement::Kind::store);
      one.index = function_.parameters + i;
      one.place.kind = Place::Kind::walk;
      one.of = {at, expression(variable(one.index).type, 2)};
      stores.push_back(std::move(one));
    }
    all.blocks = {std::move(stores)};
    walks_.clear();
    visible_ = visible_views_ = kAll;
    function_.block.push_back(std::move(all));
  }

  /// What was computed is in the results, as far as possible, or compilers would leave it out.
  void end() {
    const bool several = is_body() && program_.kind == Program::Kind::elementwise && program_.outputs.size() > 1;
    if (!several) {
      function_.end = sum_of_all(function_.result);
      return;
    }
    for (int i = 0; std::cmp_less(i, program_.outputs.size()); ++i) {
      Statement last = of_kind(Statement::Kind::assign);
      last.index = function_.parameters + i;
      last.of = {sum_of_all(computed(program_.outputs[static_cast<std::size_t>(i)]))};
      function_.block.push_back(std::move(last));
    }
  }

  /// One program in ten is narrow and deep.
  [[nodiscard]] bool is_deep() const { return program_.deep; }
  [[nodiscard]] int deepest() const { return is_deep() ? 6 : 3; }
  struct Scope {
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

  Block block(const Scope& scope) {
    Block made;
    for (int left = scope.statements; left > 0; --left) {
      if (const int kind = picks_.below(100); kind < 14 && scope.stops && scope.depth > 0) {
        made.push_back(leaving(scope));
      } else {
        made.push_back(statement(scope));
      }
    }
    return made;
  }

  static Statement of_kind(Statement::Kind kind) { return {.kind = kind, .of = {}, .blocks = {}}; }

  /// `if (…) break;` and its like.
  Statement leaving(const Scope& scope) {
    Statement s = of_kind(Statement::Kind::branch);
    s.of = {condition(2)};
    Block way;
    if (picks_.one_in(3)) way.push_back(assignment());
    const int kind = picks_.below(10);
    if (kind < 2 && !has_views()) {
      way.push_back(of_kind(Statement::Kind::leave));
      if (is_body() ? program_.outputs.size() == 1 : true) way.back().of = {expression(function_.result, 2)};
    } else {
      way.push_back(of_kind(kind < 6 && scope.in_loop ? Statement::Kind::next : Statement::Kind::stop));
    }
    s.blocks = {way, {}};
    return s;
  }
  Statement assignment() {
    Statement s = of_kind(Statement::Kind::assign);
    if (has_views() && program_.kind == Program::Kind::cores && picks_.percent(40)) return store_in_view();
    const std::vector<int> into = arrays(false);
    if (!into.empty() && picks_.one_in(4)) {
      s.kind = Statement::Kind::store;
      s.index = picks_.of(into);
      s.of = {expression(integer_type(), 2), expression(variable(s.index).type, 2)};
      return s;
    }
    std::vector<int> all;
    for (const Type type :
         {Type::boolean, Type::i8, Type::u8, Type::i16, Type::u16, Type::i32, Type::u32, Type::i64, Type::f32, Type::f64}) {
      std::ranges::copy(scalars(type, false), std::back_inserter(all));
    }
    // A gufunc's inputs cannot be written.
    if (has_views()) std::erase_if(all, [&](int each) { return each < function_.parameters; });
    s.index = picks_.of(all);
    s.of = {expression(variable(s.index).type, is_deep() ? 5 : 3)};
    return s;
  }
  Statement store_in_view() {
    std::vector<int> outputs;
    for (const int each : views(std::nullopt)) {
      if (each >= function_.parameters) outputs.push_back(each);
    }
    Statement s = of_kind(Statement::Kind::store);
    s.index = picks_.of(outputs);
    Access access = any_access(2);
    s.place = access.place;
    Type type = variable(s.index).type;
    // A number of any type becomes an element of floats, rounded once.
    if (is_floating(type) && picks_.one_in(4)) type = picks_.of(types_);
    s.of = {std::move(access.index), expression(type, 3)};
    return s;
  }

  Statement statement(const Scope& scope) {
    const int most_nested = is_deep() ? 14 : 5;
    const int kind = picks_.below(100);
    if (scope.nesting > most_nested) return assignment();
    if (is_deep() && kind < 70 && kind >= 22) return nested(scope);
    const Scope inner{.statements = std::max(1, scope.statements - 1 - picks_.below(2)),
                      .depth = scope.depth,
                      .nesting = scope.nesting + 1,
                      .in_loop = scope.in_loop,
                      .stops = scope.stops};
    if (kind < 22 && scope.depth < deepest()) {
      constexpr std::size_t kWalks = 2;
      return has_views() && walks_.size() < kWalks && picks_.percent(60) ? walk(scope) : loop(scope);
    }
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
      Scope of_case = inner;
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

  /// A branch of a deep program: little but the next one.
  Statement nested(const Scope& scope) {
    Statement s = of_kind(Statement::Kind::branch);
    s.of = {condition(2)};
    Scope inner = scope;
    inner.statements = 1;
    ++inner.nesting;
    Block way = block(inner);
    if (picks_.one_in(3)) way.push_back(assignment());
    s.blocks = {way, picks_.one_in(3) ? Block{assignment()} : Block()};
    return s;
  }

  /// An element is read, for what stands behind, and overwritten.
  void read_and_write(int counter, Block& block) {
    const Expression at = made(Op::variable, Type::i32, {}, counter);
    Statement write = of_kind(Statement::Kind::store);
    write.index = function_.parameters + picks_.below(static_cast<int>(program_.outputs.size()) - 1);
    write.place.kind = Place::Kind::walk;
    const Type type = variable(write.index).type;
    std::vector<int> into = scalars(type, false);
    std::erase_if(into, [&](int each) { return each < function_.parameters; });
    if (into.empty()) return;
    Statement read = of_kind(Statement::Kind::assign);
    read.index = picks_.of(into);
    Expression element = made(Op::view, type, {at}, write.index);
    element.place = write.place;
    read.of = {std::move(element)};
    write.of = {at, expression(type, 2)};
    block.push_back(std::move(read));
    block.push_back(std::move(write));
  }

  /// A value that waits for that of the element before: `v = v * 3 + x(i)`.
  void recurrence(int counter, Block& block) {
    std::vector<int> into;
    for (const Type type : types_) std::ranges::copy(scalars(type, false), std::back_inserter(into));
    std::erase_if(into, [&](int each) { return each < function_.parameters; });
    if (into.empty()) return;
    Statement s = of_kind(Statement::Kind::assign);
    s.index = picks_.of(into);
    const Type type = variable(s.index).type;
    const std::vector<int> all = views(std::nullopt);
    const int from = picks_.of(all);
    Expression element = made(Op::view, variable(from).type, {made(Op::variable, Type::i32, {}, counter)}, from);
    element.place.kind = Place::Kind::walk;
    if (element.type != type) element = made(Op::cast, type, {std::move(element)});
    s.of = {made(Op::add, type,
                 {made(Op::multiply, type, {made(Op::variable, type, {}, s.index), literal(type, picks_.between(2, 5))}),
                  std::move(element)})};
    block.push_back(std::move(s));
  }

  Statement walk(const Scope& scope) {
    has_loop_ = true;
    Scope inner = scope;
    ++inner.depth;
    ++inner.nesting;
    inner.in_loop = inner.stops = true;
    Statement s = of_kind(Statement::Kind::walk);
    s.index = add({.type = Type::i32, .initial = {}, .walks = true});
    s.number = picks_.one_in(2) ? 0 : picks_.between(1, 2);
    walks_.push_back({s.index, static_cast<int>(s.number)});
    Block body;
    const bool cores = program_.kind == Program::Kind::cores;
    // As short as loops are that compilers take apart.
    const bool is_short = cores && picks_.one_in(4);
    if (is_short || (cores && picks_.one_in(3))) read_and_write(s.index, body);
    if (is_short) recurrence(s.index, body);
    if (!is_short || body.empty()) {
      for (Statement& each : block(inner)) body.push_back(std::move(each));
    }
    s.blocks = {std::move(body)};
    walks_.pop_back();
    return s;
  }

  Statement loop(const Scope& scope) {
    has_loop_ = true;
    const Scope inner{.statements = std::max(1, scope.statements - picks_.below(2)),
                      .depth = scope.depth + 1,
                      .nesting = scope.nesting + 1,
                      .in_loop = true,
                      .stops = true};
    const int depth = scope.depth + static_cast<int>(walks_.size());
    const int most = depth == 0 ? 31 : depth == 1 ? 7 : depth < 4 ? 3 : 1;  // of iterations, about

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

/// Types that a program computes with.
std::vector<Type> some_types(Picks& picks) {
  std::vector<Type> types;
  const int kinds = picks.between(1, 3);
  for (int i = 0; i < kinds; ++i) {
    types.push_back(picks.of(std::vector<Type>{Type::i8, Type::u8, Type::i16, Type::u16, Type::i32, Type::i32, Type::i32,
                                               Type::u32, Type::i64, Type::f32, Type::f32, Type::f32, Type::f64, Type::f64}));
  }
  return types;
}

/// An operand of floats may be of halves in memory.
Variable operand(Picks& picks, Type type) {
  Variable made{.type = type, .initial = {}};
  if (type == Type::f32 && picks.one_in(3)) made.stored = picks.one_in(2) ? Type::f16 : Type::bf16;
  return made;
}

void add_outputs(Picks& picks, Program& program, Function& body, const std::vector<Type>& types) {
  const bool elementwise = program.kind == Program::Kind::elementwise;
  const int more = program.kind == Program::Kind::each ? 0 : elementwise ? (picks.one_in(4) ? 1 : 0) : picks.between(1, 2);
  for (int i = 0; i <= more; ++i) {
    Variable output = operand(picks, picks.of(types));
    // Each of several is a half itself in the body of a ufunc, with which nothing is computed.
    if (elementwise && more > 0) output.stored.reset();
    output.view = !elementwise;
    program.outputs.push_back(output.in_memory());
    if (elementwise ? more > 0 : i < more) body.variables.push_back(std::move(output));
  }
  body.result = computed(program.outputs.back());
  if (program.kind == Program::Kind::each) body.variables.push_back({.type = Type::i32, .initial = {}, .walks = true});
}

}  // namespace

Program generate(std::uint64_t seed) {
  Picks picks(seed);
  Program program;
  const std::vector<Type> types = some_types(picks);
  program.deep = picks.one_in(10);
  const int kind = picks.below(10);
  program.kind = kind < 5 ? Program::Kind::elementwise : kind < 9 ? Program::Kind::cores : Program::Kind::each;
  const int tables = picks.one_in(3) ? 1 : 0;
  for (int i = 0; i < tables; ++i) {
    program.tables.push_back({.type = picks.of(types), .length = 4 << picks.below(4), .initial = {.integer = picks.below(40)}});
  }
  const int helpers = picks.one_in(2) ? picks.between(1, 2) : 0;
  // One form for all of them, where they are called by pointers.
  const bool alike = helpers == 2 ? picks.one_in(2) : helpers == 1 && picks.one_in(4);
  const int functions = alike ? (picks.one_in(3) ? 4 : 2) : helpers;
  program.functions.resize(static_cast<std::size_t>(functions) + 1);
  for (int i = 0; i <= functions; ++i) {
    Function& function = program.functions[static_cast<std::size_t>(i)];
    const bool body = i == functions;
    if (alike && i > 0 && !body) {
      const Function& first = program.functions[0];
      function.parameters = first.parameters;
      function.result = first.result;
      for (int k = 0; k < first.parameters; ++k) function.variables.push_back(first.variables[static_cast<std::size_t>(k)]);
    } else {
      function.parameters = picks.between(1, 3);
      function.result = picks.of(types);
      for (int k = 0; k < function.parameters; ++k) {
        function.variables.push_back(body ? operand(picks, picks.of(types)) : Variable{.type = picks.of(types), .initial = {}});
        if (body && program.kind != Program::Kind::elementwise) function.variables.back().view = k == 0 || !picks.one_in(4);
      }
    }
    function.called = !body && picks.one_in(3);
    if (body) add_outputs(picks, program, function, types);
    Writer(picks, program, function, types).write(body ? picks.between(2, 4) : picks.between(1, 2));
    if (alike && i + 1 == functions) {
      program.pointers.emplace_back();
      for (int k = 0; k < functions; ++k) program.pointers.back().push_back(k);
    }
  }
  for (Function& each : program.functions) each.packed = picks.one_in(3);
  return program;
}

}  // namespace programs
