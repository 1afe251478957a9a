#include "function_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace programs {
namespace {

std::string literal(Type type, const Value& value) {
  if (type == Type::boolean) return value.integer != 0 ? "true" : "false";
  if (!is_floating(type)) {
    if (type == Type::i64 && value.integer == INT64_MIN) return "int64(-9223372036854775807 - 1)";
    return fmt::format("{}({})", name(type), value.integer);
  }
  if (std::isnan(value.real)) return fmt::format("{}(NAN)", name(type));
  if (std::isinf(value.real)) return fmt::format("{}({}INFINITY)", name(type), value.real < 0 ? "-" : "");
  return fmt::format("{}({:a})", name(type), value.real);
}

const char* unsigned_name(Type type) {
  return type == Type::i64 ? "uint64" : "uint32";
}

struct Names {
  int variable;
  bool operator()(const Expression& e) const {
    return (e.op == Op::variable || e.op == Op::element || e.op == Op::guarded || e.op == Op::view) && e.index == variable;
  }
  bool operator()(const Statement& s) const {
    using Kind = Statement::Kind;
    const bool none = s.kind == Kind::branch || s.kind == Kind::choose || s.kind >= Kind::stop;
    return !none && s.index == variable;
  }
};
bool uses(const Function& function, int variable) {
  const Names names{variable};
  return any(function.block, names) || any(function.end, names);
}

class Printer {
 public:
  Printer(const Program& program, const Function& function, bool body) : program_(program), function_(function), body_(body) {}

  std::string print() {
    if (function_.packed) pack();
    for (std::size_t i = static_cast<std::size_t>(function_.parameters); i < function_.variables.size(); ++i) declare(i);
    print(function_.block);
    if (several()) return std::move(text_);
    if (body_ && program_.kind == Program::Kind::cores) {
      line(fmt::format("r = {};", print(function_.end)));
      return std::move(text_);
    }
    if (body_ && program_.kind == Program::Kind::each) {
      line(fmt::format("r(v{}) = {};", function_.parameters, print(function_.end)));
      return std::move(text_);
    }
    line(fmt::format("return {};", print(function_.end)));
    return std::move(text_);
  }

 private:
  [[nodiscard]] bool several() const {
    return body_ && program_.kind == Program::Kind::elementwise && program_.outputs.size() > 1;
  }

  [[nodiscard]] bool is_output(std::size_t index) const {
    return several() && index < static_cast<std::size_t>(function_.parameters) + program_.outputs.size();
  }

  void line(const std::string& text) {
    text_.append(static_cast<std::size_t>(2 * depth_), ' ');
    text_ += text + "\n";
  }

  [[nodiscard]] std::string variable(int index) const {
    if (index < 0) return fmt::format("t{}", -index);
    for (std::size_t i = 0; i < packs_.size(); ++i) {
      if (std::ranges::find(packs_[i], index) != packs_[i].end()) return fmt::format("s{}.v{}", i, index);
    }
    return fmt::format("v{}", index);
  }

  [[nodiscard]] bool is_declared(std::size_t index) const {
    const Variable& variable = function_.variables[index];
    if (variable.view || variable.walks) return false;
    return uses(function_, static_cast<int>(index)) || is_output(index);
  }

  /// Declares scalars in structures of two to four, each with a function that gives what it takes.
  void pack() {
    for (std::size_t i = static_cast<std::size_t>(function_.parameters); i < function_.variables.size(); ++i) {
      if (function_.variables[i].length > 0 || is_output(i) || !is_declared(i)) continue;
      if (packs_.empty() || packs_.back().size() == 2 + (packs_.size() - 1) % 3) packs_.emplace_back();
      packs_.back().push_back(static_cast<int>(i));
    }
    for (std::size_t k = 0; k < packs_.size(); ++k) {
      std::string members;
      std::string same;
      std::string initial;
      for (const int i : packs_[k]) {
        const Variable& each = function_.variables[static_cast<std::size_t>(i)];
        members += fmt::format("{} v{}; ", name(each.type), i);
        same += fmt::format("{}a.v{}", same.empty() ? "" : ", ", i);
        initial += (initial.empty() ? "" : ", ") + literal(each.type, each.initial);
      }
      line(fmt::format("struct S{0} {{ {1}static S{0} same(S{0} a) {{ return {{{2}}}; }} }} s{0} = {{{3}}};", k, members, same,
                       initial));
    }
  }

  void declare(std::size_t index) {
    const Variable& variable = function_.variables[index];
    if (!is_declared(index) || this->variable(static_cast<int>(index)).starts_with('s')) return;
    if (variable.length == 0) {
      line(fmt::format("{}v{} = {};", is_output(index) ? "" : std::string(name(variable.type)) + " ", index,
                       literal(variable.type, variable.initial)));
    } else if (variable.filled) {
      line(fmt::format("{} v{}[{}];", name(variable.type), index, variable.length));
      line(fmt::format("for (int32 k = 0; k < {}; ++k) v{}[k] = {}(k + {});", variable.length, index, name(variable.type),
                       variable.initial.integer));
    } else {
      std::string list;
      for (int i = 0; i < variable.length; ++i) {
        list += fmt::format("{}{}({})", i == 0 ? "" : ", ", name(variable.type), variable.initial.integer + i);
      }
      line(fmt::format("{} v{}[{}] = {{{}}};", name(variable.type), index, variable.length, list));
    }
  }

  [[nodiscard]] std::string wrapped(const Expression& e, const char* op) const {
    const std::string a = print(e.of[0]);
    const std::string b = print(e.of[1]);
    if (is_floating(e.type)) return fmt::format("({} {} {})", a, op, b);
    const char* const type = unsigned_name(e.type);
    return fmt::format("{}({}({}) {} {}({}))", name(e.type), type, a, op, type, b);
  }
  [[nodiscard]] std::string plain(const Expression& e, const char* op) const {
    return fmt::format("{}({} {} {})", name(e.type), print(e.of[0]), op, print(e.of[1]));
  }
  [[nodiscard]] std::string checked(const Expression& e, const char* op) const {
    const std::string a = print(e.of[0]);
    const std::string b = print(e.of[1]);
    return fmt::format("({} != 0 ? {}({} {} {}) : {})", b, name(e.type), a, op, b, a);
  }
  [[nodiscard]] std::string small(const Expression& e, const char* op) const {
    return fmt::format("(({} & 1023) {} ({} & 1023))", print(e.of[0]), op, print(e.of[1]));
  }
  [[nodiscard]] bool is_walk(const Expression& e) const {
    return e.op == Op::variable && e.index >= 0 && program_.variable(function_, e.index).walks;
  }
  [[nodiscard]] std::string view(int index, const Place& place, const Expression& e) const {
    const std::string at = is_walk(e) ? variable(e.index) : print(e);
    const std::string type = unsigned_name(e.type);
    switch (place.kind) {
      case Place::Kind::walk:
        return fmt::format("v{}({}{})", index, at, place.before == 0 ? "" : fmt::format(" - {}", place.before));
      case Place::Kind::mirror:
        return fmt::format("v{}(n - 1 - {}{})", index, at, place.before == 0 ? "" : fmt::format(" + {}", place.before));
      default:
        if (e.op == Op::literal && e.value.integer >= 0) return fmt::format("v{}({} % n)", index, e.value.integer);
        return fmt::format("v{0}({1}({2}) % {1}(n))", index, type, at);
    }
  }
  [[nodiscard]] std::string through(const Expression& e) const {
    std::string list;
    for (std::size_t i = 1; i < e.of.size(); ++i) list += (list.empty() ? "" : ", ") + print(e.of[i]);
    const std::vector<int>& all = program_.pointers[static_cast<std::size_t>(e.index)];
    // By a choice, or from a table.
    if (e.value.integer != 0 && all.size() == 2)
      return fmt::format("(({} & 1) != 0 ? f{} : f{})({})", print(e.of[0]), all[1], all[0], list);
    return fmt::format("p{}[{}]({})", e.index, index(e.of[0], static_cast<int>(all.size())), list);
  }
  [[nodiscard]] std::string index(const Expression& e, int length) const {
    return fmt::format("{} & {}", print(e), length - 1);
  }
  [[nodiscard]] std::string call(const std::string& function, const Expression& e) const {
    std::string list;
    for (const Expression& each : e.of) list += (list.empty() ? "" : ", ") + print(each);
    return fmt::format("{}({})", function, list);
  }

  [[nodiscard]] std::string print(const Expression& e) const {
    const auto operand = [&](std::size_t i) { return print(e.of[i]); };
    switch (e.op) {
      case Op::literal:
        return literal(e.type, e.value);
      case Op::variable:
        return is_walk(e) ? fmt::format("int32({})", variable(e.index)) : variable(e.index);
      case Op::extent:
        return "int32(n)";
      case Op::view:
        return fmt::format("{}({})", name(e.type), view(e.index, e.place, e.of[0]));
      case Op::element:
        return fmt::format("{}[{}]", variable(e.index), index(e.of[0], program_.variable(function_, e.index).length));
      case Op::guarded: {
        const std::string at = operand(0);
        return fmt::format("({}({}) < {}u ? {}[{}] : {})", unsigned_name(e.of[0].type), at,
                           program_.variable(function_, e.index).length, variable(e.index), at, operand(1));
      }
      case Op::cast:
        if (e.type == Type::boolean) return fmt::format("({} != 0)", operand(0));
        if (is_floating(e.of[0].type) && !is_floating(e.type)) return fmt::format("{}(whole({}))", name(e.type), operand(0));
        return fmt::format("{}({})", name(e.type), operand(0));
      case Op::negate:
        if (is_floating(e.type)) return fmt::format("(-{})", operand(0));
        return fmt::format("{}(0u - {}({}))", name(e.type), unsigned_name(e.type), operand(0));
      case Op::invert:
        return fmt::format("{}(~{})", name(e.type), operand(0));
      case Op::add:
        return wrapped(e, "+");
      case Op::subtract:
        return wrapped(e, "-");
      case Op::multiply:
        return wrapped(e, "*");
      case Op::divide:
        return is_floating(e.type) ? wrapped(e, "/") : plain(e, "/");
      case Op::remainder:
        return plain(e, "%");
      case Op::checked_divide:
        return checked(e, "/");
      case Op::checked_remainder:
        return checked(e, "%");
      case Op::bit_and:
        return plain(e, "&");
      case Op::bit_or:
        return plain(e, "|");
      case Op::bit_xor:
        return plain(e, "^");
      case Op::shift_left:
        return fmt::format("{}({}({}) << ({} & {}))", name(e.type), unsigned_name(e.type), operand(0), operand(1),
                           bits_of(e.type) - 1);
      case Op::shift_right:
        return fmt::format("{}({} >> ({} & {}))", name(e.type), operand(0), operand(1), bits_of(e.type) - 1);
      case Op::small_add:
        return small(e, "+");
      case Op::small_multiply:
        return small(e, "*");
      case Op::multiply_add:
        return fmt::format("({} * {} + {})", operand(0), operand(1), operand(2));
      case Op::square_root:
        return call("sqrt", e);
      case Op::magnitude:
        return call("fabs", e);
      case Op::least:
        return fmt::format("{}({})", name(e.type), call("min", e));
      case Op::greatest:
        return fmt::format("{}({})", name(e.type), call("max", e));
      case Op::less:
        return fmt::format("({} < {})", operand(0), operand(1));
      case Op::less_equal:
        return fmt::format("({} <= {})", operand(0), operand(1));
      case Op::equal:
        return fmt::format("({} == {})", operand(0), operand(1));
      case Op::not_equal:
        return fmt::format("({} != {})", operand(0), operand(1));
      case Op::logical_and:
        return fmt::format("({} && {})", operand(0), operand(1));
      case Op::logical_or:
        return fmt::format("({} || {})", operand(0), operand(1));
      case Op::logical_not:
        return fmt::format("(!{})", operand(0));
      case Op::select:
        return fmt::format("({} ? {} : {})", operand(0), operand(1), operand(2));
      case Op::call:
        return call(fmt::format("f{}", e.index), e);
      case Op::call_through:
        return through(e);
    }
    return {};
  }

  void print(const Block& block) {
    for (const Statement& each : block) print(each);
  }
  void within(const std::string& head, const Block& block, const std::string& end = "}") {
    line(head);
    ++depth_;
    print(block);
    --depth_;
    line(end);
  }

  void loop(const std::string& head, const Block& block, const std::string& end = "}") {
    line(head);
    ++depth_;
    for (std::size_t i = 0; i < packs_.size(); ++i) line(fmt::format("s{0} = S{0}::same(s{0});", i));
    print(block);
    --depth_;
    line(end);
  }

  void print(const Statement& s) {
    using Kind = Statement::Kind;
    const auto counter = [&] { return s.index >= 0 ? variable(s.index) : ""; };
    switch (s.kind) {
      case Kind::assign:
        return line(fmt::format("{} = {};", variable(s.index), print(s.of[0])));
      case Kind::store:
        if (program_.variable(function_, s.index).view)
          return line(fmt::format("{} = {};", view(s.index, s.place, s.of[0]), print(s.of[1])));
        return line(fmt::format("{}[{}] = {};", variable(s.index), index(s.of[0], program_.variable(function_, s.index).length),
                                print(s.of[1])));
      case Kind::branch:
        within(fmt::format("if ({}) {{", print(s.of[0])), s.blocks[0], s.blocks[1].empty() ? "}" : "} else {");
        if (s.blocks[1].empty()) return;
        ++depth_;
        print(s.blocks[1]);
        --depth_;
        return line("}");
      case Kind::choose:
        return print_switch(s);
      case Kind::count: {
        const std::string i = counter();
        const std::string low = print(s.of[0]);
        const std::string high = print(s.of[1]);
        if (s.number > 0)
          return loop(fmt::format("for ({0} = {1}; {0} < {2}; {0} += {3}) {{", i, low, high, s.number), s.blocks[0]);
        return loop(fmt::format("for ({0} = {2}; {0} > {1}; {0} -= {3}) {{", i, low, high, -s.number), s.blocks[0]);
      }
      case Kind::walk:
        return loop(fmt::format("for (index {0} = {1}; {0} < n; ++{0}) {{", variable(s.index), s.number), s.blocks[0]);
      case Kind::repeat:
        line(fmt::format("{} = 0;", counter()));
        return loop(fmt::format("while ({} && {}++ < {}) {{", print(s.of[0]), counter(), s.number), s.blocks[0]);
      case Kind::until:
        line(fmt::format("{} = 0;", counter()));
        return loop("do {", s.blocks[0], fmt::format("}} while ({} && ++{} < {});", print(s.of[0]), counter(), s.number));
      case Kind::forever:
        line(fmt::format("{} = 0;", counter()));
        return loop(fmt::format("for (;;) {{\n{:{}}  if ({}++ >= {}) break;", "", 2 * depth_, counter(), s.number),
                    s.blocks[0]);
      case Kind::stop:
        return line("break;");
      case Kind::next:
        return line("continue;");
      case Kind::leave:
        return line(s.of.empty() ? "return;" : fmt::format("return {};", print(s.of[0])));
    }
  }

  void print_switch(const Statement& s) {
    line(fmt::format("switch ({} & {}) {{", print(s.of[0]), static_cast<int>(s.blocks.size()) - 1));
    for (std::size_t i = 0; i < s.blocks.size(); ++i) {
      const bool falls = (s.number >> i & 1) != 0;
      const char* const nothing = falls && s.blocks[i].empty() ? " ;" : "";
      line((i + 1 == s.blocks.size() ? "default:" : fmt::format("case {}:", i)) + nothing);
      ++depth_;
      print(s.blocks[i]);
      if (!falls) line("break;");
      --depth_;
    }
    line("}");
  }

  const Program& program_;
  const Function& function_;
  bool body_;
  int depth_ = 0;
  std::vector<std::vector<int>> packs_;  ///< variables that are members of a structure
  std::string text_;
};

}  // namespace

std::string text_of(const Program& program, const Function& function) {
  return Printer(program, function, &function == &program.body()).print();
}

}  // namespace programs
